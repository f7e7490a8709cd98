//===- Profile.cpp - Where the time of calls goes -------------------------===//

#include "Profile.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <span>
#include <vector>

using namespace graphrt;
using namespace graphrt::run;

static constexpr std::array<const char *, 3> kindNames = {"kernel", "gemm",
                                                          "copy"};

Profile::Profile(Session &session) : program(session.program()) {
  session.setObserver([this](const grt_event &event) {
    Command &command = commands[{event.function, event.step}];
    command.event = event;
    ++command.calls;
    command.nanoseconds += event.end_ns - event.begin_ns;
  });
}

void Profile::print() const {
  uint32_t functions = program.info().functions;
  for (uint32_t function = 0; function < functions; ++function)
    printFunction(function);
}

void Profile::printCommand(const Command &command, uint64_t total) {
  const grt_event &event = command.event;
  double nanoseconds = double(command.nanoseconds) / command.calls;
  // A clock may tick too slowly for the shortest.
  double divisor = std::max(nanoseconds, 1.0);
  std::printf("  %5.1f %%  %9.3f ms  %8.1f  %6.1f  %-6s  %s  %s\n",
              total ? 100.0 * command.nanoseconds / total : 0.0,
              nanoseconds / 1e6, event.flops / divisor, event.bytes / divisor,
              kindNames[event.kind], event.symbol, event.location);
}

void Profile::printFunction(uint32_t function) const {
  constexpr size_t mostLines = 40;
  std::vector<const Command *> list;
  std::array<uint64_t, kindNames.size()> kinds = {};
  uint64_t total = 0;
  for (auto it = commands.lower_bound({function, 0});
       it != commands.end() && it->first.first == function; ++it) {
    const Command &command = it->second;
    list.push_back(&command);
    kinds[command.event.kind] += command.nanoseconds;
    total += command.nanoseconds;
  }
  if (list.empty())
    return;
  std::ranges::sort(list, std::greater(), &Command::nanoseconds);

  double calls = list.front()->calls;
  std::printf("profile of %s: %.0f calls of %zu commands, %.3f ms each\n",
              program.function(function).name, calls, list.size(),
              total / calls / 1e6);
  for (size_t kind = 0; kind < kinds.size(); ++kind)
    std::printf("  %5.1f %%  %9.3f ms  %s\n",
                total ? 100.0 * kinds[kind] / total : 0.0,
                kinds[kind] / calls / 1e6, kindNames[kind]);
  std::printf("   share         time   GFLOP/s    GB/s\n");
  size_t shown = std::min(list.size(), mostLines);
  for (const Command *command : std::span(list).first(shown))
    printCommand(*command, total);
  if (list.size() > shown)
    std::printf("  and %zu more commands\n", list.size() - shown);
}
