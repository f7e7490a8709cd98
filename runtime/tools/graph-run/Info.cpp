//===- Info.cpp - graph-run info ------------------------------------------===//

#include "Commands.h"
#include "TensorText.h"

#include "graphrt/graphrt.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

using namespace graphrt;
using namespace graphrt::run;
using nlohmann::ordered_json;

namespace {

struct Options {
  std::string path;
  bool json = false;
};

std::string listText(const std::vector<TensorInfo> &tensors) {
  std::string text;
  for (const TensorInfo &tensor : tensors)
    text += (text.empty() ? "" : ", ") + std::string(tensor.name) + ": " +
            typeText(tensor);
  return text;
}

std::string statesText(const std::vector<TensorInfo> &states,
                       const uint32_t *indices, uint32_t count) {
  constexpr uint32_t few = 4;
  std::string text = std::to_string(count) + " of " +
                     std::to_string(states.size()) + " states";
  if (count == 0 || count > few)
    return text;
  for (uint32_t i = 0; i < count; ++i)
    text += (i ? ", " : ": ") + std::string(states[indices[i]].name);
  return text;
}

/// The launch of every kernel, where it is not just a function.
void printKernels(const Program &program) {
  std::printf("\nkernels:\n");
  for (uint32_t i = 0; i < program.info().kernels; ++i) {
    grt_kernel_info kernel = program.kernel(i);
    std::printf("  %-40s %4u threads  %s of shared memory\n", kernel.symbol,
                kernel.threads, bytesText(kernel.shared_bytes).c_str());
  }
}

void printText(const Options &options, const Program &program) {
  grt_program_info info = program.info();
  std::printf("%s: made by %s for %s, %s%s%s\n", options.path.c_str(),
              info.producer, info.target, info.architecture,
              *info.cpu_features ? " with " : "", info.cpu_features);
  std::printf("\nsections:\n");
  for (uint32_t i = 0; i < info.sections; ++i) {
    grt_section_info section = program.section(i);
    std::printf("  %-10s %s\n", section.name, bytesText(section.bytes).c_str());
  }

  if (info.target == std::string_view("cuda"))
    printKernels(program);

  std::vector<TensorInfo> states = program.states();
  uint64_t total = 0;
  for (const TensorInfo &state : states)
    total += state.bytes;
  std::printf("\nstates: %zu, %s\n", states.size(), bytesText(total).c_str());
  for (const TensorInfo &state : states)
    std::printf("  %-40.*s %-24s %s\n", int(state.name.size()),
                state.name.data(), typeText(state).c_str(),
                bytesText(state.bytes).c_str());

  std::printf("\nfunctions:\n");
  for (uint32_t f = 0; f < info.functions; ++f) {
    grt_function_info function = program.function(f);
    std::printf("  %s(%s) -> (%s)\n", function.name,
                listText(program.inputs(f)).c_str(),
                listText(program.outputs(f)).c_str());
    std::printf("    %u steps\n", function.steps);
    std::printf(
        "    reads  %s\n",
        statesText(states, function.states_read_indices, function.states_read)
            .c_str());
    std::printf("    writes %s\n",
                statesText(states, function.states_written_indices,
                           function.states_written)
                    .c_str());
    std::printf("    planned peak memory %s; live at once in this order %s, in "
                "any order at least %s\n",
                bytesText(function.arena_bytes).c_str(),
                bytesText(function.max_live_bytes).c_str(),
                bytesText(function.lower_bound_bytes).c_str());
  }
}

ordered_json toJson(const std::vector<TensorInfo> &tensors) {
  ordered_json list = ordered_json::array();
  for (const TensorInfo &tensor : tensors)
    list.push_back({{"name", tensor.name},
                    {"element_type", name(tensor.type)},
                    {"shape", std::vector<int64_t>(tensor.shape.begin(),
                                                   tensor.shape.end())},
                    {"bytes", tensor.bytes}});
  return list;
}

ordered_json toJson(const std::vector<TensorInfo> &states,
                    const uint32_t *indices, uint32_t count) {
  ordered_json list = ordered_json::array();
  for (uint32_t i = 0; i < count; ++i)
    list.push_back(states[indices[i]].name);
  return list;
}

void printJson(const Program &program) {
  grt_program_info info = program.info();
  std::vector<TensorInfo> states = program.states();
  ordered_json root = {{"producer", info.producer},
                       {"target", info.target},
                       {"architecture", info.architecture},
                       {"cpu_features", info.cpu_features}};
  for (uint32_t i = 0; i < info.sections; ++i) {
    grt_section_info section = program.section(i);
    root["sections"].push_back(
        {{"name", section.name}, {"bytes", section.bytes}});
  }
  root["kernels"] = ordered_json::array();
  for (uint32_t i = 0; i < info.kernels; ++i) {
    grt_kernel_info kernel = program.kernel(i);
    root["kernels"].push_back({{"symbol", kernel.symbol},
                               {"buffers", kernel.buffers},
                               {"threads", kernel.threads},
                               {"shared_bytes", kernel.shared_bytes}});
  }
  root["states"] = toJson(states);
  root["functions"] = ordered_json::array();
  for (uint32_t f = 0; f < info.functions; ++f) {
    grt_function_info function = program.function(f);
    root["functions"].push_back(
        {{"name", function.name},
         {"inputs", toJson(program.inputs(f))},
         {"outputs", toJson(program.outputs(f))},
         {"states_read",
          toJson(states, function.states_read_indices, function.states_read)},
         {"states_written", toJson(states, function.states_written_indices,
                                   function.states_written)},
         {"steps", function.steps},
         {"arena_bytes", function.arena_bytes},
         {"max_live_bytes", function.max_live_bytes},
         {"lower_bound_bytes", function.lower_bound_bytes}});
  }
  std::printf("%s\n", root.dump(2).c_str());
}

int runInfo(const Options &options) {
  Program program = Program::load(options.path);
  if (options.json)
    printJson(program);
  else
    printText(options, program);
  return 0;
}

} // namespace

void graphrt::run::addInfoCommand(CLI::App &app, Command &command) {
  auto options = std::make_shared<Options>();
  CLI::App *sub = app.add_subcommand("info", "Describe an artifact");
  sub->add_option("artifact", options->path, "The .gx file")->required();
  sub->add_flag("--json", options->json, "Print JSON");
  sub->callback([options, &command] {
    command = [options] { return runInfo(*options); };
  });
}
