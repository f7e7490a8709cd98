//===- measure-kernels.cpp - Checks and times functions on a device -------===//
//
// Takes one module compiled twice, for the CPU and for another device. Calls
// every function in both with the same random inputs, compares the results, and
// then times the commands on the device. Prints one JSON object; the exit
// status is 1 where a result differs by more than its type's tolerance.
//
//===----------------------------------------------------------------------===//

#include "TensorData.h"

#include "graphrt/graphrt.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

using namespace graph::benchmark;
using namespace graphrt;
using nlohmann::ordered_json;

namespace {

struct Options {
  std::string reference, measured, device;
  unsigned threads = 0, repeat = 10;
  uint64_t seed = 1;
  int64_t indexBound = 2;
};

std::vector<Tensor> makeInputs(const Program &program, uint32_t function,
                               const Options &options) {
  std::vector<Tensor> inputs;
  for (const TensorInfo &info : program.inputs(function))
    inputs.push_back(
        makeRandom(info, options.seed + inputs.size(), options.indexBound));
  return inputs;
}

/// Calls every function of a program in two sessions.
class Measurement {
public:
  Measurement(const Program &reference, const Program &measured,
              const Options &options)
      : options(options), program(measured),
        expected(reference, {.threads = options.threads, .device = "cpu"}),
        found(measured,
              {.threads = options.threads, .device = options.device}) {}

  std::string device() const { return found.device(); }
  bool passed() const { return hasPassed; }

  ordered_json measure(uint32_t function) {
    grt_function_info info = program.function(function);
    std::vector<Tensor> inputs = makeInputs(program, function, options);
    ordered_json result = {{"name", info.name}};
    result["outputs"] = compare(info.name, inputs);
    result["commands"] = time(function, inputs);
    return result;
  }

private:
  ordered_json compare(const std::string &function,
                       std::span<const Tensor> inputs) {
    std::vector<Tensor> right = expected.call(function, inputs);
    std::vector<Tensor> left = found.call(function, inputs);
    std::vector<TensorInfo> infos =
        program.outputs(program.findFunction(function));
    ordered_json list = ordered_json::array();
    for (size_t i = 0; i < infos.size(); ++i) {
      std::string name(infos[i].name);
      double tolerance = getTolerance(infos[i].type);
      Difference worst = findWorst(left[i], right[i]);
      list.push_back({{"name", name},
                      {"type", graphrt::name(infos[i].type)},
                      {"error", worst.error},
                      {"tolerance", tolerance}});
      if (worst.error <= tolerance)
        continue;
      hasPassed = false;
      std::fprintf(stderr,
                   "measure-kernels: error: function '%s', output '%s': found "
                   "%g at element %zu, expected %g: an error of %.3g, expected "
                   "at most %.3g\n",
                   function.c_str(), name.c_str(), worst.found, worst.element,
                   worst.expected, worst.error, tolerance);
    }
    return list;
  }

  /// Every command of a function with the median of its times.
  ordered_json time(uint32_t function, std::span<const Tensor> inputs) {
    struct Command {
      grt_event event;
      std::vector<uint64_t> nanoseconds;
    };
    std::map<uint32_t, Command> commands;
    found.setObserver([&](const grt_event &event) {
      Command &command = commands[event.step];
      command.event = event;
      command.nanoseconds.push_back(event.end_ns - event.begin_ns);
    });
    std::vector<Tensor> outputs(program.function(function).outputs);
    for (unsigned i = 0; i < options.repeat; ++i)
      found.call(function, inputs, outputs);
    found.setObserver({});

    constexpr const char *kinds[] = {"kernel", "gemm", "copy"};
    ordered_json list = ordered_json::array();
    for (auto &[step, command] : commands) {
      auto median = command.nanoseconds.begin() + options.repeat / 2;
      std::nth_element(command.nanoseconds.begin(), median,
                       command.nanoseconds.end());
      list.push_back({{"kind", kinds[command.event.kind]},
                      {"symbol", command.event.symbol},
                      {"location", command.event.location},
                      {"ns", *median},
                      {"bytes", command.event.bytes},
                      {"flops", command.event.flops}});
    }
    return list;
  }

  const Options &options;
  Program program;
  Session expected, found;
  bool hasPassed = true;
};

int run(const Options &options) {
  Program reference = Program::load(options.reference);
  Program measured = Program::load(options.measured);
  Measurement measurement(reference, measured, options);
  ordered_json result = {{"device", measurement.device()},
                         {"functions", ordered_json::array()}};
  for (uint32_t i = 0; i < measured.info().functions; ++i)
    result["functions"].push_back(measurement.measure(i));
  std::printf("%s\n", result.dump(2).c_str());
  return measurement.passed() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Checks the functions of an artifact against the CPU and times "
               "their commands",
               "measure-kernels");
  Options options;
  app.add_option("reference", options.reference,
                 "The module compiled for the CPU")
      ->required();
  app.add_option("measured", options.measured,
                 "The module compiled for the device")
      ->required();
  app.add_option("--device", options.device,
                 "cpu, cuda, cuda:N or cuda-emulated; by default what the "
                 "second artifact was compiled for");
  app.add_option("--threads", options.threads,
                 "Threads of the CPU; 0 for GRAPHRT_NUM_THREADS or all cores");
  app.add_option("--repeat", options.repeat,
                 "Calls that are timed, after one that is compared")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "Of the random inputs");
  app.add_option("--index-bound", options.indexBound,
                 "Integers in the inputs are less than this")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);

  try {
    return run(options);
  } catch (const Error &error) {
    std::string at =
        error.location().empty() ? "" : " (at " + error.location() + ")";
    std::fprintf(stderr, "measure-kernels: error: %s%s\n", error.what(),
                 at.c_str());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "measure-kernels: error: %s\n", error.what());
  }
  return 1;
}
