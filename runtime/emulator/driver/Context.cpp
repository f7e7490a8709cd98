//===- Context.cpp - The state of one device ------------------------------===//

#include "Context.h"

using namespace graphrt::driver;

Context::Context(const Options &options, int device, uint64_t number,
                 Report &report)
    : architecture(*options.architecture), device(device),
      modules(HandleKind::Module, number),
      functions(HandleKind::Function, number),
      streams(HandleKind::Stream, number), events(HandleKind::Event, number),
      graphs(HandleKind::Graph, number),
      graphExecs(HandleKind::GraphExec, number), report(report),
      scheduler(options.strategy, options.seed + number,
                [this](Operation &operation) { return execute(operation); }) {
  launchOptions.threads = options.threads;
  defaultStream.lane = scheduler.makeLane();
}

Result<std::unique_ptr<Context>> Context::create(const Options &options,
                                                 int device, uint64_t number,
                                                 Report &report) {
  auto memory = Memory::create(options.memory);
  if (!memory)
    return std::move(memory.fault());
  std::unique_ptr<Context> context(
      new Context(options, device, number, report));
  context->memory = std::move(*memory);
  return context;
}

Outcome Context::execute(Operation &operation) {
  Accesses accesses;
  // A race explains a fault: what was read was not there yet.
  Outcome outcome = operation.work->run(accesses);
  if (Outcome race = checkRaces(operation, accesses))
    return race;
  if (!outcome)
    return {};
  if (const Operation *other = scheduler.findUnordered(operation))
    outcome.fault().message += "; nothing orders " + operation.name->text +
                               " after " + other->name->text +
                               ", which has not run";
  return outcome;
}

Outcome Context::checkRaces(const Operation &operation,
                            const Accesses &accesses) {
  for (ByteRange range : accesses.reads)
    if (Outcome outcome = checkRace(operation, range, false))
      return outcome;
  for (ByteRange range : accesses.writes)
    if (Outcome outcome = checkRace(operation, range, true))
      return outcome;
  return {};
}

Outcome Context::checkRace(const Operation &operation, ByteRange range,
                           bool isWrite) {
  std::optional<AccessHistory::Conflict> conflict =
      history.record(operation.name, operation.before, range, isWrite);
  if (!conflict)
    return {};
  ByteRange both = {std::max(range.begin, conflict->range.begin),
                    std::min(range.end, conflict->range.end)};
  return Fault{CUDA_ERROR_LAUNCH_FAILED,
               "missing wait: " + operation.name->text +
                   (isWrite ? " writes " : " reads ") + memory->describe(both) +
                   ", which " + conflict->other->text +
                   (conflict->otherWrites ? " writes" : " reads") +
                   ", and nothing orders the two"};
}

Outcome Context::keepFault(Outcome outcome) {
  if (!outcome)
    return {};
  fault = outcome.fault();
  scheduler.drop();
  return outcome;
}

void Context::unload(LoadedModule &module) {
  module.isLoaded = false;
  memory->device().unload(*module.code);
  for (const auto &[name, handle] : module.functions)
    (void)functions.remove(handle);
}

void Context::forgetIfQuiet() {
  if (scheduler.isQuiet())
    history.clear();
}

Outcome Context::synchronizeAll() {
  Outcome outcome = keepFault(scheduler.finishAll());
  forgetIfQuiet();
  return outcome;
}
