//===- TrainingLog.cpp - What a training run tells ------------------------===//

#include "TrainingLog.h"
#include "UserError.h"

#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace graphrt::run;

namespace {

double secondsBetween(std::chrono::steady_clock::time_point begin,
                      std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

/// "1:02:03" or "2:03".
std::string durationText(double seconds) {
  auto total = static_cast<uint64_t>(seconds + 0.5);
  char text[48];
  if (total >= 3600)
    std::snprintf(text, sizeof(text), "%" PRIu64 ":%02u:%02u", total / 3600,
                  unsigned(total / 60 % 60), unsigned(total % 60));
  else
    std::snprintf(text, sizeof(text), "%u:%02u", unsigned(total / 60),
                  unsigned(total % 60));
  return text;
}

} // namespace

JsonLog::JsonLog(const std::string &path, bool append) : path(path) {
  if (path.empty())
    return;
  file.reset(std::fopen(path.c_str(), append ? "a" : "w"));
  if (!file)
    throw UserError("'" + path +
                    "': cannot open the log: " + std::strerror(errno));
}

void JsonLog::write(uint64_t step,
                    const std::vector<std::pair<std::string, double>> &fields) {
  if (!file)
    return;
  nlohmann::ordered_json line = {{"step", step}};
  for (const auto &[name, value] : fields)
    line[name] = value;
  std::string text = line.dump() + "\n";
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()))
    throw UserError("'" + path +
                    "': cannot write the log: " + std::strerror(errno));
}

Progress::Progress(uint64_t first, uint64_t last, uint64_t tokensPerStep)
    : first(first), last(last), tokensPerStep(tokensPerStep),
      isTerminal(::isatty(STDOUT_FILENO)), start(Clock::now()), lastStep(start),
      lastLine(start) {}

void Progress::step(uint64_t step, double loss) {
  constexpr double weight = 0.05, terminalPeriod = 0.1, filePeriod = 2;
  Clock::time_point now = Clock::now();
  double seconds = secondsBetween(lastStep, now);
  lastStep = now;
  secondsPerStep = secondsPerStep == 0
                       ? seconds
                       : (1 - weight) * secondsPerStep + weight * seconds;
  bool isDue = secondsBetween(lastLine, now) >=
               (isTerminal ? terminalPeriod : filePeriod);
  if (step != first && step != last && !isDue)
    return;
  lastLine = now;
  std::printf("%sstep %" PRIu64 "/%" PRIu64
              "  loss %.4f  %.0f tokens/s  %s left%s",
              isTerminal ? "\r" : "", step, last, loss, tokensPerSecond(),
              durationText((last - step) * secondsPerStep).c_str(),
              isTerminal ? "\033[K" : "\n");
  lineIsOpen = isTerminal;
  if (step == last && lineIsOpen)
    message("");
  std::fflush(stdout);
}

void Progress::message(const std::string &text) {
  if (std::exchange(lineIsOpen, false))
    std::printf("\n");
  if (!text.empty())
    std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

double Progress::elapsedSeconds() const {
  return secondsBetween(start, Clock::now());
}

double Progress::tokensPerSecond() const {
  return secondsPerStep > 0 ? tokensPerStep / secondsPerStep : 0;
}
