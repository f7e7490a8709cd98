//===- graph-run.cpp - Runs artifacts from the command line ---------------===//

#include "Commands.h"

#include "graphrt/graphrt.hpp"

#include <cstdio>

using namespace graphrt;

void run::addSessionOptions(CLI::App &sub, SessionOptions &options) {
  sub.add_option("--device", options.device,
                 "cpu, cuda, cuda:N or cuda-emulated; by default what the "
                 "artifact was compiled for");
  sub.add_option("--threads", options.threads,
                 "Threads of the CPU; 0 for GRAPHRT_NUM_THREADS or all cores");
}

int main(int argc, char **argv) {
  CLI::App app("Runs the functions of a compiled graph", "graph-run");
  app.set_version_flag("--version", std::string(grt_version()));
  app.require_subcommand(1);
  run::Command command;
  run::addInfoCommand(app, command);
  run::addCallCommand(app, command);
  run::addTrainCommand(app, command);
  CLI11_PARSE(app, argc, argv);

  try {
    return command();
  } catch (const Error &error) {
    std::string at =
        error.location().empty() ? "" : " (at " + error.location() + ")";
    std::fprintf(stderr, "graph-run: error: %s%s\n", error.what(), at.c_str());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "graph-run: error: %s\n", error.what());
  }
  return 1;
}
