//===- Profile.h - Where the time of calls goes -----------------*- C++ -*-===//

#ifndef GRAPHRT_TOOLS_GRAPHRUN_PROFILE_H
#define GRAPHRT_TOOLS_GRAPHRUN_PROFILE_H

#include "graphrt/graphrt.hpp"

#include <map>
#include <utility>

namespace graphrt::run {

/// The time of every command, added up over calls.
class Profile {
public:
  /// Counts the commands of the session from now on. Both live to its end.
  explicit Profile(Session &session);
  Profile(const Profile &) = delete;

  /// Prints for each function the commands in the order of their time.
  void print() const;

private:
  struct Command {
    grt_event event;
    uint64_t calls = 0, nanoseconds = 0;
  };

  /// `total` is the time of all commands of the function.
  static void printCommand(const Command &command, uint64_t total);
  void printFunction(uint32_t function) const;

  Program program;
  /// By function and step.
  std::map<std::pair<uint32_t, uint32_t>, Command> commands;
};

} // namespace graphrt::run

#endif // GRAPHRT_TOOLS_GRAPHRUN_PROFILE_H
