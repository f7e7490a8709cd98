//===- Options.h - How the emulated devices behave --------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_DRIVER_OPTIONS_H
#define GRAPHRT_EMULATOR_DRIVER_OPTIONS_H

#include "Outcome.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace graphrt::driver {

struct Architecture;

/// Which of the operations that may run does run.
enum class Strategy {
  /// Only what the host waits for, in random order.
  Late,
  /// Everything of the stream created last first.
  Newest,
  /// Anything.
  Random,
  /// In the order of submission, everything: what most devices seem to do.
  Issued,
};

/// The values of the variables that graphrt/emulator.h documents.
struct Options {
  const Architecture *architecture = nullptr;
  int devices = 1;
  /// Bytes of each device.
  uint64_t memory = uint64_t(8) << 30;
  Strategy strategy = Strategy::Late;
  uint64_t seed = 0x5eed;
  /// Host threads that run kernels; 0 takes all.
  unsigned threads = 0;
  /// Where to write the report; empty for nowhere.
  std::string reportPath;
};

/// The value of a variable, or nothing.
using LookUp = std::function<std::optional<std::string>(const char *name)>;

/// Reads all options. Errors name the variable, what was found and what is
/// expected.
Result<Options> parseOptions(const LookUp &lookUp);

/// As above, from the environment.
Result<Options> parseEnvironment();

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_OPTIONS_H
