//===- Commands.h - The subcommands of graph-run ----------------*- C++ -*-===//

#ifndef GRAPHRT_TOOLS_GRAPHRUN_COMMANDS_H
#define GRAPHRT_TOOLS_GRAPHRUN_COMMANDS_H

#include "graphrt/graphrt.hpp"

#include <CLI/CLI.hpp>
#include <functional>

namespace graphrt::run {

/// What main runs after the command line is parsed; returns the exit status.
using Command = std::function<int()>;

/// Adds the options that say where and how a session runs.
void addSessionOptions(CLI::App &sub, SessionOptions &options);

/// Each adds a subcommand that sets `command` when it is chosen.
void addInfoCommand(CLI::App &app, Command &command);
void addCallCommand(CLI::App &app, Command &command);
void addTrainCommand(CLI::App &app, Command &command);

} // namespace graphrt::run

#endif // GRAPHRT_TOOLS_GRAPHRUN_COMMANDS_H
