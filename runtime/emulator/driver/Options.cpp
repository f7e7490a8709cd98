//===- Options.cpp - How the emulated devices behave ----------------------===//

#include "Options.h"

#include "Architecture.h"

#include <charconv>
#include <cstdlib>

using namespace graphrt::driver;

namespace {

Fault badValue(const char *name, const std::string &found,
               const std::string &expected) {
  return {CUDA_ERROR_INVALID_VALUE,
          std::string(name) + ": found '" + found + "', expected " + expected};
}

Result<uint64_t> parseInteger(const char *name, const std::string &text,
                              uint64_t least, uint64_t most) {
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end || value < least ||
      value > most)
    return badValue(name, text,
                    "an integer from " + std::to_string(least) + " to " +
                        std::to_string(most));
  return value;
}

/// An integer with an optional suffix K, M or G (powers of 1024).
Result<uint64_t> parseBytes(const char *name, const std::string &text) {
  size_t suffix = std::string("KMG").find(text.empty() ? ' ' : text.back());
  bool hasSuffix = suffix != std::string::npos;
  unsigned shift = hasSuffix ? 10 * unsigned(suffix + 1) : 0;
  auto value = parseInteger(name, text.substr(0, text.size() - hasSuffix), 1,
                            (uint64_t(1) << 40) >> shift);
  if (!value)
    return badValue(name, text,
                    "bytes, up to 1024G, with an optional suffix K, M or G");
  return *value << shift;
}

Result<const Architecture *> parseArchitecture(const char *name,
                                               const std::string &text) {
  if (const Architecture *architecture = findArchitecture(text))
    return architecture;
  return badValue(name, text, "one of " + listArchitectures());
}

Result<Strategy> parseStrategy(const char *name, const std::string &text) {
  if (text == "late")
    return Strategy::Late;
  if (text == "newest")
    return Strategy::Newest;
  if (text == "random")
    return Strategy::Random;
  if (text == "issued")
    return Strategy::Issued;
  return badValue(name, text, "one of late, newest, random, issued");
}

/// Sets options one after the other until a value is bad.
class OptionReader {
public:
  explicit OptionReader(const LookUp &lookUp) : lookUp(lookUp) {}

  /// parse(name, text) returns a Result.
  template <typename T, typename Parse>
  void read(const char *name, T &option, Parse parse) {
    std::optional<std::string> text = lookUp(name);
    if (outcome || !text || text->empty())
      return;
    auto value = parse(name, *text);
    if (value)
      option = static_cast<T>(*value);
    else
      outcome = std::move(value.fault());
  }

  Outcome outcome;

private:
  const LookUp &lookUp;
};

auto integerFrom(uint64_t least, uint64_t most) {
  return [=](const char *name, const std::string &text) {
    return parseInteger(name, text, least, most);
  };
}

} // namespace

Result<Options> graphrt::driver::parseOptions(const LookUp &lookUp) {
  Options options;
  options.architecture = findArchitecture("sm_90");
  OptionReader reader(lookUp);
  reader.read("GRAPHRT_EMULATOR_ARCH", options.architecture, parseArchitecture);
  reader.read("GRAPHRT_EMULATOR_DEVICES", options.devices, integerFrom(0, 64));
  reader.read("GRAPHRT_EMULATOR_MEMORY", options.memory, parseBytes);
  reader.read("GRAPHRT_EMULATOR_ORDER", options.strategy, parseStrategy);
  reader.read("GRAPHRT_EMULATOR_SEED", options.seed, integerFrom(0, ~0ull));
  reader.read("GRAPHRT_EMULATOR_THREADS", options.threads,
              integerFrom(0, 1024));
  reader.read("GRAPHRT_EMULATOR_REPORT", options.reportPath,
              [](const char *, const std::string &text) {
                return Result<std::string>(text);
              });
  if (reader.outcome)
    return std::move(reader.outcome.fault());
  return options;
}

Result<Options> graphrt::driver::parseEnvironment() {
  return parseOptions([](const char *name) -> std::optional<std::string> {
    const char *value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
  });
}
