//===- Report.cpp - Counters per kernel -----------------------------------===//

#include "Report.h"

#include <nlohmann/json.hpp>

using namespace graphrt::driver;

std::string Report::toJson(const std::string &architecture) const {
  nlohmann::ordered_json kernels = nlohmann::ordered_json::object();
  for (const auto &[name, entry] : entries) {
    nlohmann::ordered_json &kernel = kernels[name];
    kernel["launches"] = entry.launches;
    kernel["seconds"] = entry.seconds;
#define GRAPHRT_EMULATOR_JSON(counter, title)                                  \
  kernel[#counter] = entry.counters.counter;
    GRAPHRT_EMULATOR_COUNTERS(GRAPHRT_EMULATOR_JSON)
#undef GRAPHRT_EMULATOR_JSON
  }
  nlohmann::ordered_json report = {{"architecture", architecture},
                                   {"kernels", std::move(kernels)}};
  return report.dump(2) + "\n";
}
