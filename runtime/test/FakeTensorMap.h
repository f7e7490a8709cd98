/*===- FakeTensorMap.h - The CUtensorMap of the fake driver -------*- C -*-===*/

#ifndef GRAPHRT_TEST_FAKETENSORMAP_H
#define GRAPHRT_TEST_FAKETENSORMAP_H

#include <stdint.h>

/* A matrix of f32. */
struct fake_tensor_map {
  const char *address;
  uint64_t columns, rows, row_bytes;
};

#endif /* GRAPHRT_TEST_FAKETENSORMAP_H */
