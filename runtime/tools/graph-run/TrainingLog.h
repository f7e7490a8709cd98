//===- TrainingLog.h - What a training run tells ----------------*- C++ -*-===//

#ifndef GRAPHRT_TOOLS_GRAPHRUN_TRAININGLOG_H
#define GRAPHRT_TOOLS_GRAPHRUN_TRAININGLOG_H

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace graphrt::run {

/// A log of one JSON object per line.
class JsonLog {
public:
  /// Opens a file to append to, or a new one; an empty path logs nothing.
  /// Throws UserError.
  JsonLog(const std::string &path, bool append);

  /// Writes the fields of a step and hands the line to the system. Throws
  /// UserError.
  void write(uint64_t step,
             const std::vector<std::pair<std::string, double>> &fields);

private:
  struct Closer {
    void operator()(FILE *file) const { std::fclose(file); }
  };

  std::string path;
  std::unique_ptr<FILE, Closer> file;
};

/// Shows a run on the standard output: one line that is rewritten on a
/// terminal, else a line for the first step, the last, and every two seconds.
class Progress {
public:
  /// Steps `first` to `last`, of `tokensPerStep` each.
  Progress(uint64_t first, uint64_t last, uint64_t tokensPerStep);

  /// A step is done.
  void step(uint64_t step, double loss);

  /// Prints a line of its own.
  void message(const std::string &text);

  double elapsedSeconds() const;
  /// A recent average.
  double tokensPerSecond() const;

private:
  using Clock = std::chrono::steady_clock;

  uint64_t first, last, tokensPerStep;
  bool isTerminal;
  Clock::time_point start, lastStep, lastLine;
  /// An exponential average of the time of a step.
  double secondsPerStep = 0;
  bool lineIsOpen = false;
};

} // namespace graphrt::run

#endif // GRAPHRT_TOOLS_GRAPHRUN_TRAININGLOG_H
