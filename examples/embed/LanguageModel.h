//===- LanguageModel.h - A trained model behind the runtime -----*- C++ -*-===//

#ifndef EXAMPLES_EMBED_LANGUAGEMODEL_H
#define EXAMPLES_EMBED_LANGUAGEMODEL_H

#include "graphrt/graphrt.hpp"

#include <span>
#include <string>
#include <vector>

namespace embed {

/// A causal language model over bytes: the function `logits` of an artifact,
/// tokens i32 [1, context] -> f32 [context, vocabulary], and its parameters.
class LanguageModel {
public:
  /// Throws graphrt::Error if a file cannot be used or `logits` has another
  /// signature.
  LanguageModel(const std::string &artifact, const std::string &checkpoint,
                unsigned threads);

  int64_t context() const { return contextSize; }
  int64_t vocabulary() const { return vocabularySize; }

  /// The logits of the token after `tokens` (at least one), of which the last
  /// `context()` count. Valid until the next call.
  std::span<const float> next(std::span<const int32_t> tokens);

private:
  graphrt::Program program;
  graphrt::Session session;
  uint32_t function;
  int64_t contextSize, vocabularySize;
  graphrt::Tensor window;
  std::vector<graphrt::Tensor> results;
};

} // namespace embed

#endif // EXAMPLES_EMBED_LANGUAGEMODEL_H
