//===- Call.cpp - graph-run call ------------------------------------------===//

#include "Commands.h"
#include "CounterRandom.h"
#include "Profile.h"
#include "TensorText.h"
#include "UserError.h"

#include "graphrt/graphrt.hpp"
#include "graphrt/io/Npy.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <optional>

using namespace graphrt;
using namespace graphrt::run;

namespace {

struct Options {
  std::string path, function;
  std::vector<std::string> inputs, outputs;
  std::optional<uint64_t> randomSeed;
  std::string state, saveState;
  SessionOptions session;
  bool profile = false;
};

using Assignments = std::map<std::string, std::string>;

std::string names(const std::vector<TensorInfo> &tensors) {
  std::string text;
  for (const TensorInfo &tensor : tensors)
    text += (text.empty() ? "" : ", ") + std::string(tensor.name) + ": " +
            typeText(tensor);
  return text.empty() ? "none" : text;
}

/// Splits "name=value" arguments of the option --`what`, and checks the names.
Assignments parseAssignments(const std::string &what,
                             const std::vector<std::string> &arguments,
                             const std::string &function,
                             const std::vector<TensorInfo> &known) {
  Assignments result;
  for (const std::string &argument : arguments) {
    size_t equals = argument.find('=');
    if (equals == std::string::npos)
      throw UserError("found --" + what + " '" + argument +
                      "', expected NAME=VALUE");
    std::string name = argument.substr(0, equals);
    bool exists = false;
    for (const TensorInfo &tensor : known)
      exists |= tensor.name == name;
    if (!exists)
      throw UserError("function '" + function + "' has no " + what + " '" +
                      name + "'; expected: " + names(known));
    if (!result.emplace(name, argument.substr(equals + 1)).second)
      throw UserError("found --" + what + " '" + name +
                      "' twice, expected it once");
  }
  return result;
}

Tensor readNpy(const std::string &path) {
  Expected<npy::Array> array = npy::readFile(path);
  if (!array)
    throw UserError(array.failure().message);
  Tensor tensor = Tensor::zeros(array->type, array->shape);
  if (!array->data.empty())
    std::memcpy(tensor.data(), array->data.data(), array->data.size());
  return tensor;
}

void writeNpy(const std::string &path, const Tensor &tensor) {
  TensorInfo info = tensor.info();
  const auto *bytes = static_cast<const uint8_t *>(tensor.data());
  Status status = npy::writeFile(path, {info.type,
                                        {info.shape.begin(), info.shape.end()},
                                        {bytes, bytes + info.bytes}});
  if (status)
    throw UserError(status.failure().message);
}

bool isNpyPath(const std::string &value) {
  std::string_view suffix = ".npy";
  return value.size() > suffix.size() &&
         value.compare(value.size() - suffix.size(), suffix.size(), suffix) ==
             0;
}

/// Floats are uniform in [-1, 1), integers are 0 or 1, so that they are valid
/// indices of all but the smallest tables.
Tensor makeRandom(const TensorInfo &expected, uint64_t seed, size_t position) {
  Tensor tensor = Tensor::zeros(expected.type, expected.shape);
  size_t count = expected.bytes / byteSize(expected.type);
  for (size_t i = 0; i < count; ++i) {
    double unit = randomUnit(seed, 0, position, i);
    setElement(tensor, i, isFloat(expected.type) ? 2 * unit - 1 : 2 * unit);
  }
  return tensor;
}

std::vector<Tensor> makeInputs(const Options &options,
                               const std::vector<TensorInfo> &expected) {
  Assignments given =
      parseAssignments("input", options.inputs, options.function, expected);
  std::string missing;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < expected.size(); ++i) {
    std::string name(expected[i].name);
    auto found = given.find(name);
    if (found != given.end())
      inputs.push_back(isNpyPath(found->second)
                           ? readNpy(found->second)
                           : parseScalar(expected[i], found->second));
    else if (options.randomSeed)
      inputs.push_back(makeRandom(expected[i], *options.randomSeed, i));
    else
      missing += (missing.empty() ? "" : ", ") + name;
  }
  if (!missing.empty())
    throw UserError("function '" + options.function + "': missing input " +
                    missing + "; expected: " + names(expected));
  return inputs;
}

int runCall(const Options &options) {
  Program program = Program::load(options.path);
  uint32_t function = program.findFunction(options.function);
  std::vector<TensorInfo> expected = program.outputs(function);
  Assignments files =
      parseAssignments("output", options.outputs, options.function, expected);
  std::vector<Tensor> inputs = makeInputs(options, program.inputs(function));

  Session session(program, options.session);
  if (!options.state.empty())
    session.load(options.state);
  std::optional<Profile> profile;
  if (options.profile)
    profile.emplace(session);
  std::vector<Tensor> outputs = session.call(function, inputs);

  for (size_t i = 0; i < outputs.size(); ++i) {
    std::string name(expected[i].name);
    auto file = files.find(name);
    if (file != files.end())
      writeNpy(file->second, outputs[i]);
    else
      std::printf("%s: %s = %s\n", name.c_str(), typeText(expected[i]).c_str(),
                  valueText(outputs[i]).c_str());
  }
  if (!options.saveState.empty())
    session.save(options.saveState);
  if (profile)
    profile->print();
  return 0;
}

} // namespace

void graphrt::run::addCallCommand(CLI::App &app, Command &command) {
  auto options = std::make_shared<Options>();
  CLI::App *sub = app.add_subcommand("call", "Run one function once");
  sub->add_option("artifact", options->path, "The .gx file")->required();
  sub->add_option("function", options->function, "The function")->required();
  sub->add_option("--input", options->inputs,
                  "NAME=FILE.npy, or NAME=VALUE for a scalar")
      ->allow_extra_args(false);
  sub->add_option("--random-inputs", options->randomSeed,
                  "Draw the inputs that are not given from this seed: floats "
                  "in [-1, 1), integers 0 or 1");
  sub->add_option("--output", options->outputs,
                  "NAME=FILE.npy: write an output instead of printing it")
      ->allow_extra_args(false);
  sub->add_option("--state", options->state,
                  "Load the states from a checkpoint first");
  sub->add_option("--save-state", options->saveState,
                  "Write the states to a checkpoint afterwards");
  addSessionOptions(*sub, options->session);
  sub->add_flag("--profile", options->profile,
                "Print the time of every command afterwards");
  sub->callback([options, &command] {
    command = [options] { return runCall(*options); };
  });
}
