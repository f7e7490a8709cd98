//===- CpuDevice.cpp - A program on this machine's cores ------------------===//

#include "CpuDevice.h"

#include <cstring>

using namespace graphrt;
using namespace graphrt::cpu;
using artifact::SectionKind;

Expected<std::unique_ptr<rt::Device>>
CpuDevice::create(std::shared_ptr<const rt::Program> program,
                  unsigned threads) {
  Expected<std::unique_ptr<StepRunner>> steps = StepRunner::create(
      program->image(), program->section(SectionKind::Code), threads);
  if (!steps)
    return steps.failure();
  return std::unique_ptr<rt::Device>(
      new CpuDevice(std::move(program), std::move(*steps)));
}

CpuDevice::CpuDevice(std::shared_ptr<const rt::Program> program,
                     std::unique_ptr<StepRunner> steps)
    : program(std::move(program)), steps(std::move(steps)) {
  const rt::Program &loaded = *this->program;
  // Read-only: the loader refuses writes to constants.
  bindings.constants =
      const_cast<char *>(loaded.section(SectionKind::Constants).data());
  for (uint32_t i = 0; i < loaded.numStates(); ++i) {
    states.push_back(rt::allocateAligned(rt::byteSizeOf(loaded.state(i))));
    bindings.states.push_back(states.back().get());
  }
}

Status CpuDevice::run(uint32_t index, std::span<const char *const> inputs,
                      std::span<char *const> outputs,
                      const rt::StepObserver &observe) {
  const fb::Function &function = program->function(index);
  if (arenaSize < function.arena_size() || !arena) {
    arena.reset();
    arenaSize = 0;
    arena = rt::allocateAligned(function.arena_size());
    arenaSize = function.arena_size();
  }
  bindings.arena = arena.get();
  bindings.inputs.clear();
  for (const char *input : inputs)
    bindings.inputs.push_back(const_cast<char *>(input));
  bindings.outputs.assign(outputs.begin(), outputs.end());
  return steps->run(function, bindings, observe);
}

Status CpuDevice::writeState(uint32_t state, const char *from) {
  if (uint64_t bytes = rt::byteSizeOf(program->state(state)))
    std::memcpy(states[state].get(), from, bytes);
  return {};
}

Expected<const char *> CpuDevice::readState(uint32_t state,
                                            rt::AlignedMemory &) {
  return static_cast<const char *>(states[state].get());
}
