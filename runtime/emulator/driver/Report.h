//===- Report.h - Counters per kernel ---------------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_DRIVER_REPORT_H
#define GRAPHRT_EMULATOR_DRIVER_REPORT_H

#include "Outcome.h"
#include "exec/Counters.h"

#include <map>
#include <string>

namespace graphrt::driver {

/// What the kernels of a process did, by name.
class Report {
public:
  struct Entry {
    uint64_t launches = 0;
    /// Of the host.
    double seconds = 0;
    exec::Counters counters;
  };

  void add(const std::string &kernel, const exec::Counters &counters,
           double seconds) {
    Entry &entry = entries[kernel];
    ++entry.launches;
    entry.seconds += seconds;
    entry.counters += counters;
  }

  const std::map<std::string, Entry> &kernels() const { return entries; }

  /// A JSON object {"architecture": ..., "kernels": {name: {counter: n}}}.
  std::string toJson(const std::string &architecture) const;

private:
  std::map<std::string, Entry> entries;
};

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_REPORT_H
