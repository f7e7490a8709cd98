/* A library that says its version and lacks all else. */

__attribute__((visibility("default"))) int cuDriverGetVersion(int *version) {
  *version = GRAPHRT_TEST_DRIVER_VERSION;
  return 0;
}
