//===- CpuFeatures.cpp - What this machine can execute --------------------===//

#include "CpuFeatures.h"

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

using namespace graphrt;

namespace {

#if defined(__x86_64__)
constexpr const char *architecture = "x86-64";
constexpr const char *featuresKey = "flags";
#elif defined(__aarch64__)
constexpr const char *architecture = "aarch64";
constexpr const char *featuresKey = "Features";
#endif

/// The features of the first processor that the kernel lists.
std::set<std::string> machineFeatures() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(featuresKey, 0) != 0)
      continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

} // namespace

Status graphrt::cpu::checkMachine(const fb::Program &program) {
  if (program.architecture()->string_view() != architecture)
    return Failure{ErrorCode::Unsupported, "found code for architecture '" +
                                               program.architecture()->str() +
                                               "', expected '" + architecture +
                                               "' of this machine"};
  if (!program.cpu_features())
    return {};
  std::set<std::string> features = machineFeatures();
  std::string missing;
  for (const flatbuffers::String *feature : *program.cpu_features())
    if (!features.count(feature->str()))
      missing += (missing.empty() ? "" : ", ") + feature->str();
  if (!missing.empty())
    return Failure{ErrorCode::Unsupported,
                   "the artifact's code needs CPU features that this machine "
                   "does not have: " +
                       missing};
  return {};
}
