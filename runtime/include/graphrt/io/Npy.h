//===- Npy.h - NumPy array files --------------------------------*- C++ -*-===//
//
// Reading and writing `.npy` files, format versions 1 to 3.
//
// Types: f64, f32, f16, i8 to i64 and i1 as NumPy's float64, float32, float16,
// int8 to int64 and bool. NumPy has no bfloat16: bf16 is stored as raw two-byte
// items, '<V2', as the ml_dtypes package does, and '<V2' or '|V2' is read as
// bf16. Big-endian files and all other types are refused.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_IO_NPY_H
#define GRAPHRT_IO_NPY_H

#include "graphrt/ElementType.h"
#include "graphrt/support/Expected.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphrt::npy {

/// A dense tensor: `data` holds the elements in row-major order, little endian.
struct Array {
  ElementType type = ElementType::f32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> data;
};

/// Decodes the bytes of a file. Fortran order is turned into row-major order.
Expected<Array> parse(std::string_view bytes);

/// Encodes as version 1.0 in C order; `array.data` must have the size that
/// type and shape say.
std::string serialize(const Array &array);

/// Reads a file; messages begin with its path.
Expected<Array> readFile(const std::string &path);

/// Writes a file; messages begin with its path. A failed write may leave a
/// partial file.
Status writeFile(const std::string &path, const Array &array);

} // namespace graphrt::npy

#endif // GRAPHRT_IO_NPY_H
