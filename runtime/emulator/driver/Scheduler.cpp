//===- Scheduler.cpp - Hostile orders of queued operations ----------------===//

#include "Scheduler.h"

using namespace graphrt::driver;

OperationRef Scheduler::submit(Lane &lane, unsigned stream, WorkRef work,
                               std::span<const OperationRef> predecessors) {
  auto operation = std::make_shared<Operation>();
  operation->index = ++submitted;
  operation->name = std::make_shared<OperationName>(OperationName{
      work->describe() + " (operation " + std::to_string(submitted) +
          ", stream " + std::to_string(stream) + ")",
      {lane.id, ++lane.issued}});
  operation->work = std::move(work);
  operation->stream = stream;
  operation->before = host;
  auto waitFor = [&](const OperationRef &predecessor) {
    if (!predecessor)
      return;
    operation->before.join(predecessor->before);
    operation->before.add(predecessor->name->moment);
    if (predecessor->isDone)
      return;
    operation->predecessors.push_back(predecessor);
    predecessor->successors.push_back(operation.get());
    ++operation->awaited;
  };
  waitFor(lane.tail);
  for (const OperationRef &predecessor : predecessors)
    waitFor(predecessor);
  everything.add(operation->name->moment);
  if (operation->awaited == 0)
    ready.emplace(operation->index, operation.get());
  pending.emplace(operation->index, operation);
  return lane.tail = operation;
}

void Scheduler::want(Operation *target) {
  wantsAll = !target || strategy != Strategy::Late;
  ++generation;
  std::vector<Operation *> stack;
  if (!wantsAll)
    stack.push_back(target);
  while (!stack.empty()) {
    Operation *operation = stack.back();
    stack.pop_back();
    if (operation->wantedIn == generation)
      continue;
    operation->wantedIn = generation;
    for (const OperationRef &predecessor : operation->predecessors)
      if (!predecessor->isDone)
        stack.push_back(predecessor.get());
  }
}

Operation &Scheduler::take(std::vector<Operation *> &candidates) {
  auto chosen = candidates.begin();
  switch (strategy) {
  case Strategy::Late:
  case Strategy::Random:
    chosen += random() % candidates.size();
    break;
  case Strategy::Newest:
    chosen = std::ranges::max_element(candidates, {}, &Operation::stream);
    break;
  case Strategy::Issued:
    chosen = std::ranges::min_element(candidates, {}, &Operation::index);
    break;
  }
  Operation &operation = **chosen;
  *chosen = candidates.back();
  candidates.pop_back();
  return operation;
}

Outcome Scheduler::run(Operation &operation,
                       std::vector<Operation *> &candidates) {
  ready.erase(operation.index);
  OperationRef keepAlive = pending.extract(operation.index).mapped();
  if (Outcome outcome = execute(operation))
    return outcome;
  operation.isDone = true;
  operation.doneAt = std::chrono::steady_clock::now();
  operation.predecessors.clear();
  for (Operation *successor : operation.successors) {
    if (--successor->awaited)
      continue;
    ready.emplace(successor->index, successor);
    if (isWanted(*successor))
      candidates.push_back(successor);
  }
  operation.successors.clear();
  return {};
}

Outcome Scheduler::advance(Operation *target) {
  want(target);
  std::vector<Operation *> candidates;
  for (auto [index, operation] : ready)
    if (isWanted(*operation))
      candidates.push_back(operation);
  while (!(target ? target->isDone : pending.empty()))
    if (Outcome outcome = run(take(candidates), candidates))
      return outcome;
  return {};
}

void Scheduler::tellHost(const Operation &operation) {
  host.join(operation.before);
  host.add(operation.name->moment);
}

Outcome Scheduler::finish(const OperationRef &operation) {
  if (!operation)
    return {};
  if (Outcome outcome = advance(operation.get()))
    return outcome;
  tellHost(*operation);
  return {};
}

Outcome Scheduler::finishAll() {
  if (Outcome outcome = advance(nullptr))
    return outcome;
  host = everything;
  return {};
}

const Operation *Scheduler::findUnordered(const Operation &operation) const {
  for (const auto &[index, other] : pending)
    if (index < operation.index)
      return other.get();
  return nullptr;
}

void Scheduler::drop() {
  for (auto &[index, operation] : pending) {
    operation->predecessors.clear();
    operation->successors.clear();
  }
  pending.clear();
  ready.clear();
}
