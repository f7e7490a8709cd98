/* The kernels of the test artifact, in the form that the compiler emits. */

#include "FakeTensorMap.h"

#include <stdint.h>

/* buffers: i64 seed, f32[4] w. w[i] = seed + i. */
void init_w(void *const *buffers, int64_t workgroup) {
  const int64_t *seed = buffers[0];
  float *w = buffers[1];
  (void)workgroup;
  for (int i = 0; i < 4; ++i)
    w[i] = (float)(*seed + i);
}

/* buffers: f32[4] x, f32[4] w, f32[4] y, i64 count. One workgroup per element:
   y = x + w, w = y; the first one counts the calls. */
void accumulate(void *const *buffers, int64_t workgroup) {
  const float *x = buffers[0];
  float *w = buffers[1];
  float *y = buffers[2];
  int64_t *count = buffers[3];
  y[workgroup] = x[workgroup] + w[workgroup];
  w[workgroup] = y[workgroup];
  if (workgroup == 0)
    ++*count;
}

/* buffers: f32[2,3] a, f32[3,2] b, f32[2,2] c. One workgroup per element of c. */
void multiply(void *const *buffers, int64_t workgroup) {
  const float *a = buffers[0];
  const float *b = buffers[1];
  float *c = buffers[2];
  int64_t i = workgroup / 2, j = workgroup % 2;
  c[workgroup] = 0;
  for (int k = 0; k < 3; ++k)
    c[workgroup] += a[3 * i + k] * b[2 * k + j];
}

static float mean_square(const int32_t *targets, float guess, float *gradient) {
  float loss = 0;
  *gradient = 0;
  for (int i = 0; i < 8; ++i) {
    float error = guess - (float)targets[i] / 256;
    loss += error * error / 8;
    *gradient += 2 * error / 8;
  }
  return loss;
}

/* buffers: i32[2,4] tokens, i32[2,4] targets, f32[4] w, f32 loss, f32 norm.
   Fits w[0] to the mean byte. */
void train(void *const *buffers, int64_t workgroup) {
  float *w = buffers[2];
  float *loss = buffers[3];
  float *norm = buffers[4];
  float gradient;
  (void)workgroup;
  *loss = mean_square(buffers[1], w[0], &gradient);
  *norm = gradient < 0 ? -gradient : gradient;
  w[0] -= 0.1f * gradient;
}

/* buffers: i32[2,4] tokens, i32[2,4] targets, f32[4] w, f32 loss. */
void evaluate(void *const *buffers, int64_t workgroup) {
  const float *w = buffers[2];
  float *loss = buffers[3];
  float gradient;
  (void)workgroup;
  *loss = mean_square(buffers[1], w[0], &gradient);
}

/* buffers: f32[1024] y. y[workgroup] = 2^-100 * 2^-40: denormal, so zero where
   denormals are flushed. */
void denormal(void *const *buffers, int64_t workgroup) {
  float *y = buffers[0];
  volatile float tiny = 0x1p-100f;
  y[workgroup] = tiny * 0x1p-40f;
}

/* buffers: f32[6,8] x, f32[4,4] y, tensor map of x. y is the box at row 3,
   column 6, with zeros outside of x. */
void window(void *const *buffers, int64_t workgroup) {
  float *y = buffers[1];
  const struct fake_tensor_map *map = buffers[2];
  uint64_t row = 3 + workgroup / 4, column = 6 + workgroup % 4;
  y[workgroup] = 0;
  if (row < map->rows && column < map->columns)
    y[workgroup] =
        ((const float *)(map->address + row * map->row_bytes))[column];
}
