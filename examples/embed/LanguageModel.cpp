//===- LanguageModel.cpp - A trained model behind the runtime -------------===//

#include "LanguageModel.h"

#include <algorithm>

using namespace embed;

LanguageModel::LanguageModel(const std::string &artifact,
                             const std::string &checkpoint, unsigned threads)
    : program(graphrt::Program::load(artifact)),
      session(program, {.threads = threads}),
      function(program.findFunction("logits")) {
  session.load(checkpoint);

  std::vector<graphrt::TensorInfo> inputs = program.inputs(function);
  std::vector<graphrt::TensorInfo> outputs = program.outputs(function);
  bool fits = inputs.size() == 1 && outputs.size() == 1 &&
              inputs[0].type == graphrt::ElementType::i32 &&
              inputs[0].shape.size() == 2 && inputs[0].shape[0] == 1 &&
              outputs[0].type == graphrt::ElementType::f32 &&
              outputs[0].shape.size() == 2 &&
              outputs[0].shape[0] == inputs[0].shape[1];
  if (!fits)
    throw graphrt::Error(GRT_INVALID_ARGUMENT,
                         "function 'logits' of '" + artifact +
                             "' has another signature, expected i32 [1, T] "
                             "to f32 [T, V]",
                         "");
  contextSize = inputs[0].shape[1];
  vocabularySize = outputs[0].shape[1];
  window = graphrt::Tensor::zeros(inputs[0].type, inputs[0].shape);
  results.resize(1);
}

std::span<const float> LanguageModel::next(std::span<const int32_t> tokens) {
  size_t count = std::min<size_t>(tokens.size(), contextSize);
  // What stands behind the last token does not matter: attention is causal.
  std::ranges::copy(tokens.last(count), window.as<int32_t>().begin());
  session.call(function, {&window, 1}, results);
  return results[0].as<float>().subspan((count - 1) * vocabularySize,
                                        vocabularySize);
}
