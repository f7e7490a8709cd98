//===- ByteCorpus.h - Training data of bytes --------------------*- C++ -*-===//

#ifndef GRAPHRT_TOOLS_GRAPHRUN_BYTECORPUS_H
#define GRAPHRT_TOOLS_GRAPHRUN_BYTECORPUS_H

#include "graphrt/graphrt.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace graphrt::run {

/// A batch for a function that takes `tokens` and `targets`, both of shape
/// [batch, length] and of one integer type.
struct Batch {
  Tensor tokens, targets;

  /// Zeros; throws UserError if the function's inputs are not the two, or if
  /// their type cannot hold a byte.
  Batch(const Program &program, uint32_t function);

  /// The two in the order of the function's inputs.
  std::vector<Tensor> inputs() const;

private:
  bool tokensFirst = true;
};

/// The bytes of some files, one after the other.
class ByteCorpus {
public:
  /// Reads the files; throws UserError for one that is missing or empty.
  explicit ByteCorpus(const std::vector<std::string> &paths);

  /// Splits off the last `fraction` of the bytes.
  ByteCorpus holdOut(double fraction);

  /// Throws UserError if there is no whole window of length + 1 bytes.
  void checkLength(const char *what, const Batch &batch) const;

  /// Fills each row with a random window: its first bytes are the tokens, the
  /// bytes one later the targets. The window depends on seed, stream, step and
  /// row alone.
  void fill(Batch &batch, uint64_t seed, uint64_t stream, uint64_t step) const;

private:
  explicit ByteCorpus(std::string bytes) : bytes(std::move(bytes)) {}

  std::string bytes;
};

} // namespace graphrt::run

#endif // GRAPHRT_TOOLS_GRAPHRUN_BYTECORPUS_H
