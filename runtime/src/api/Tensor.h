//===- Tensor.h - Dense arrays ----------------------------------*- C++ -*-===//

#ifndef GRAPHRT_API_TENSOR_H
#define GRAPHRT_API_TENSOR_H

#include "graphrt/ElementType.h"
#include "graphrt/artifact/program_generated.h"
#include "graphrt/support/Expected.h"

#include <memory>
#include <string>
#include <vector>

struct DLManagedTensorVersioned;

namespace graphrt::rt {

/// A row-major array without gaps, whose memory may be shared.
struct Tensor {
  ElementType type = ElementType::f32;
  std::vector<int64_t> shape;
  uint64_t bytes = 0;
  /// Whatever keeps `data` alive.
  std::shared_ptr<void> owner;
  char *data = nullptr;
  bool isReadOnly = false;

  /// A tensor without memory; fails for a shape without a size.
  static Expected<Tensor> describe(ElementType type,
                                   std::vector<int64_t> shape);
  /// A tensor of zeros. Throws std::bad_alloc.
  static Expected<Tensor> create(ElementType type, std::vector<int64_t> shape);
  /// A tensor in other memory, of which it becomes a user.
  static Expected<Tensor> borrow(void *data, ElementType type,
                                 std::vector<int64_t> shape,
                                 void (*release)(void *), void *context);

  /// Gives a described tensor memory of its own, with undefined contents.
  /// Throws std::bad_alloc.
  void allocate();

  static Expected<Tensor> fromDlpack(DLManagedTensorVersioned *managed);
  DLManagedTensorVersioned *toDlpack() const;
};

/// A type as the IR spells it, such as "tensor<2x3xf32>".
std::string typeName(ElementType type, const std::vector<int64_t> &shape);

/// The shape of a program's tensor.
std::vector<int64_t> shapeOf(const fb::TensorType &type);
std::string typeName(const fb::TensorType &type);

} // namespace graphrt::rt

#endif // GRAPHRT_API_TENSOR_H
