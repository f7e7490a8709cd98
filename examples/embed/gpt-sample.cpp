//===- gpt-sample.cpp - Writes text with a trained byte-level GPT ---------===//

#include "LanguageModel.h"
#include "Sampler.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace {
struct Options {
  std::string artifact, checkpoint, prompt = "\n";
  unsigned length = 400, threads = 0;
  embed::SamplerOptions sampler;
};
} // namespace

static void writeText(const Options &options) {
  embed::LanguageModel model(options.artifact, options.checkpoint,
                             options.threads);
  if (model.vocabulary() > 256)
    throw graphrt::Error(GRT_INVALID_ARGUMENT,
                         "found a vocabulary of " +
                             std::to_string(model.vocabulary()) +
                             ", expected at most 256: tokens are bytes",
                         "");
  embed::Sampler sampler(options.sampler);
  std::vector<int32_t> tokens;
  for (unsigned char byte : options.prompt) {
    if (byte >= model.vocabulary())
      throw graphrt::Error(GRT_INVALID_ARGUMENT,
                           "found byte " + std::to_string(byte) +
                               " in the prompt, expected less than the "
                               "vocabulary of " +
                               std::to_string(model.vocabulary()),
                           "");
    tokens.push_back(byte);
  }

  std::fwrite(options.prompt.data(), 1, options.prompt.size(), stdout);
  for (unsigned i = 0; i < options.length; ++i) {
    tokens.push_back(sampler.draw(model.next(tokens)));
    std::putchar(tokens.back());
    std::fflush(stdout);
  }
  std::putchar('\n');
}

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Writes text with a trained byte-level GPT.");
  app.add_option("artifact", options.artifact, "Compiled model (.gx)")
      ->required();
  app.add_option("checkpoint", options.checkpoint,
                 "Its trained parameters (.safetensors)")
      ->required();
  app.add_option("--prompt", options.prompt, "What the text begins with")
      ->check([](const std::string &prompt) {
        return prompt.empty() ? "found an empty prompt, expected some text"
                              : "";
      });
  app.add_option("--length", options.length, "Bytes to write after the prompt")
      ->capture_default_str();
  app.add_option("--temperature", options.sampler.temperature,
                 "Below 1 more likely text, above 1 more varied; 0 the most "
                 "likely always")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option(
         "--top-k", options.sampler.topK,
         "Draw from this many of the most likely bytes only; 0 from all")
      ->capture_default_str();
  app.add_option("--seed", options.sampler.seed, "Another seed, another text")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "0: all cores")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  try {
    writeText(options);
  } catch (const graphrt::Error &error) {
    std::fprintf(stderr, "gpt-sample: error: %s\n", error.what());
    return 1;
  }
  return 0;
}
