//===- Train.cpp - graph-run train ----------------------------------------===//
//
// The training loop. What it expects of an artifact and puts into a checkpoint
// is in docs/training-conventions.md.
//
//===----------------------------------------------------------------------===//

#include "ByteCorpus.h"
#include "Commands.h"
#include "Profile.h"
#include "TensorText.h"
#include "TrainingLog.h"
#include "UserError.h"

#include "graphrt/graphrt.hpp"
#include "graphrt/support/AtomicFile.h"

#include <charconv>
#include <cmath>
#include <csignal>
#include <optional>

using namespace graphrt;
using namespace graphrt::run;

namespace {

constexpr const char *stepKey = "train.step";
constexpr const char *seedKey = "train.seed";

/// The streams of random windows.
constexpr uint64_t trainStream = 1, evalStream = 2;

struct Options {
  std::string path;
  std::vector<std::string> data;
  uint64_t steps = 0;
  std::optional<uint64_t> seed;
  std::string initName = "init", stepName = "train_step", evalName;
  uint64_t evalEvery = 100, evalBatches = 8;
  double evalFraction = 0;
  std::string checkpoint, resume, log;
  uint64_t checkpointEvery = 0;
  SessionOptions session;
  bool profile = false;
};

volatile std::sig_atomic_t interruption = 0;

/// Makes SIGINT and SIGTERM end the run after the current step; a second one
/// ends the process.
void catchInterruptions() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) { interruption = signal; };
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

/// The outputs of a function that are scalars, among them `loss`.
class ScalarOutputs {
public:
  ScalarOutputs(const Program &program, uint32_t function) {
    std::vector<TensorInfo> outputs = program.outputs(function);
    bool hasLoss = false;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].shape.empty())
        continue;
      if (outputs[i].name == "loss" && isFloat(outputs[i].type)) {
        hasLoss = true;
        loss = i;
      }
      scalars.emplace_back(outputs[i].name, i);
    }
    if (!hasLoss)
      throw UserError("function '" +
                      std::string(program.function(function).name) +
                      "': found no output 'loss', expected one that is a "
                      "scalar float");
  }

  double readLoss(const std::vector<Tensor> &outputs) const {
    return elementAt(outputs[loss], 0);
  }

  std::vector<std::pair<std::string, double>>
  read(const std::vector<Tensor> &outputs) const {
    std::vector<std::pair<std::string, double>> values;
    for (const auto &[name, index] : scalars)
      values.emplace_back(name, elementAt(outputs[index], 0));
    return values;
  }

private:
  size_t loss = 0;
  std::vector<std::pair<std::string, size_t>> scalars;
};

/// A function that takes batches, with the memory of its calls.
struct BatchFunction {
  Session &session;
  uint32_t index;
  Batch batch;
  ScalarOutputs scalars;
  std::vector<Tensor> outputs;

  BatchFunction(Session &session, const std::string &name)
      : session(session), index(session.program().findFunction(name)),
        batch(session.program(), index), scalars(session.program(), index),
        outputs(session.program().function(index).outputs) {}

  double run() {
    session.call(index, batch.inputs(), outputs);
    return scalars.readLoss(outputs);
  }
};

void initialize(Session &session, const std::string &name, uint64_t seed) {
  uint32_t function = session.program().findFunction(name);
  std::vector<TensorInfo> inputs = session.program().inputs(function);
  std::vector<Tensor> arguments;
  for (const TensorInfo &input : inputs) {
    if (input.name != "seed" || typeText(input) != "tensor<i64>")
      throw UserError("function '" + name + "': found input " +
                      std::string(input.name) + ": " + typeText(input) +
                      ", expected none but seed: tensor<i64>");
    arguments.push_back(Tensor::scalar(static_cast<int64_t>(seed)));
  }
  session.call(function, arguments);
}

std::optional<uint64_t> readCounter(const Session &session, const char *key) {
  std::optional<std::string> text = session.metadata(key);
  if (!text)
    return std::nullopt;
  uint64_t value = 0;
  const char *end = text->data() + text->size();
  auto result = std::from_chars(text->data(), end, value);
  if (result.ec != std::errc() || result.ptr != end)
    throw UserError("found '" + *text + "' for '" + key +
                    "' in the checkpoint, expected a number");
  return value;
}

class Training {
public:
  explicit Training(const Options &options)
      : options(options), session(Program::load(options.path), options.session),
        train(session, options.stepName), corpus(options.data) {
    if (options.profile)
      profile.emplace(session);
    if (!options.evalName.empty())
      eval.emplace(session, options.evalName);
    heldOut.emplace(corpus.holdOut(options.evalFraction));
    corpus.checkLength("training", train.batch);
    if (eval)
      evalCorpus().checkLength("evaluation", eval->batch);
    if (!options.checkpoint.empty())
      if (Status status = checkWritable(options.checkpoint))
        throw UserError(status.failure().message);
    begin();
  }

  int run() {
    uint64_t first = done + 1, last = done + options.steps;
    TensorInfo tokens = train.batch.tokens.info();
    JsonLog log(options.log, /*append=*/!options.resume.empty());
    Progress progress(first, last, tokens.shape[0] * tokens.shape[1]);
    catchInterruptions();
    for (uint64_t step = first; step <= last && !interruption; ++step) {
      corpus.fill(train.batch, seed, trainStream, step);
      double loss = train.run();
      if (!std::isfinite(loss))
        throw UserError("step " + std::to_string(step) + ": found loss " +
                        std::to_string(loss) + ", expected a finite number");
      done = step;
      progress.step(step, loss);
      auto fields = train.scalars.read(train.outputs);
      fields.emplace_back("tokens_per_s", progress.tokensPerSecond());
      fields.emplace_back("elapsed_s", progress.elapsedSeconds());
      log.write(step, fields);
      if (eval && (step % options.evalEvery == 0 || step == last))
        evaluate(log, progress);
      if (options.checkpointEvery && step % options.checkpointEvery == 0 &&
          step != last)
        save();
    }
    finish(progress);
    if (profile)
      profile->print();
    return interruption ? 128 + interruption : 0;
  }

private:
  const ByteCorpus &evalCorpus() const {
    return options.evalFraction > 0 ? *heldOut : corpus;
  }

  /// Initializes the states and the position in the data.
  void begin() {
    if (options.resume.empty()) {
      seed = options.seed.value_or(0);
      initialize(session, options.initName, seed);
      return;
    }
    session.load(options.resume);
    std::optional<uint64_t> savedSeed = readCounter(session, seedKey);
    done = readCounter(session, stepKey).value_or(0);
    seed = savedSeed ? *savedSeed : options.seed.value_or(0);
    if (options.seed && seed != *options.seed)
      throw UserError("found --seed " + std::to_string(*options.seed) +
                      ", expected " + std::to_string(seed) +
                      ", the seed of the checkpoint");
  }

  void evaluate(JsonLog &log, Progress &progress) {
    double sum = 0;
    for (uint64_t i = 0; i < options.evalBatches; ++i) {
      evalCorpus().fill(eval->batch, seed, evalStream, i);
      sum += eval->run();
    }
    double loss = sum / options.evalBatches;
    log.write(done, {{"eval_loss", loss}});
    char text[96];
    std::snprintf(text, sizeof(text), "step %llu  evaluation loss %.4f",
                  static_cast<unsigned long long>(done), loss);
    progress.message(text);
  }

  void save() {
    session.setMetadata(stepKey, std::to_string(done));
    session.setMetadata(seedKey, std::to_string(seed));
    session.save(options.checkpoint);
  }

  void finish(Progress &progress) {
    std::string text = interruption ? "interrupted after step " : "step ";
    text += std::to_string(done);
    if (!options.checkpoint.empty()) {
      save();
      text += ": checkpoint written to " + options.checkpoint;
    } else if (!interruption) {
      return;
    }
    progress.message(text);
  }

  const Options &options;
  Session session;
  std::optional<Profile> profile;
  BatchFunction train;
  std::optional<BatchFunction> eval;
  ByteCorpus corpus;
  std::optional<ByteCorpus> heldOut;
  uint64_t seed = 0;
  /// Steps done since the initialization, over all runs.
  uint64_t done = 0;
};

} // namespace

void graphrt::run::addTrainCommand(CLI::App &app, Command &command) {
  auto options = std::make_shared<Options>();
  CLI::App *sub = app.add_subcommand("train", "Run a training loop on text");
  sub->add_option("artifact", options->path, "The .gx file")->required();
  sub->add_option("--data", options->data, "Files of bytes to train on")
      ->required();
  sub->add_option("--steps", options->steps, "Steps to run, this time")
      ->required();
  sub->add_option("--seed", options->seed,
                  "Of the parameters and of the order of the data [0]");
  sub->add_option("--init", options->initName,
                  "Function that writes the states")
      ->capture_default_str();
  sub->add_option("--step", options->stepName, "Function of one step")
      ->capture_default_str();
  CLI::Option *eval =
      sub->add_option("--eval", options->evalName,
                      "Function that computes a loss, to evaluate");
  sub->add_option("--eval-every", options->evalEvery,
                  "Steps between evaluations")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->needs(eval);
  sub->add_option("--eval-batches", options->evalBatches,
                  "Batches per evaluation")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->needs(eval);
  sub->add_option("--eval-fraction", options->evalFraction,
                  "Part of the data, at its end, that is held out for the "
                  "evaluation")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 0.9))
      ->needs(eval);
  CLI::Option *checkpoint =
      sub->add_option("--checkpoint", options->checkpoint,
                      "Write the states to this file at the end");
  sub->add_option("--checkpoint-every", options->checkpointEvery,
                  "Write it also every so many steps")
      ->check(CLI::PositiveNumber)
      ->needs(checkpoint);
  sub->add_option("--resume", options->resume,
                  "Go on from a checkpoint instead of initializing");
  sub->add_option("--log", options->log,
                  "Write one JSON object per step; appended to with --resume");
  addSessionOptions(*sub, options->session);
  sub->add_flag("--profile", options->profile,
                "Print the time of every command afterwards");
  sub->callback([options, &command] {
    command = [options] { return Training(*options).run(); };
  });
}
