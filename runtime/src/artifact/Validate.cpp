//===- Validate.cpp - Proof that a program has meaning --------------------===//

#include "graphrt/artifact/Validate.h"
#include "CommandChecks.h"

#include <algorithm>
#include <map>
#include <set>

using namespace graphrt;
using namespace graphrt::artifact;

namespace {

/// Names go into checkpoints, logs and messages.
bool isName(std::string_view name) {
  return !name.empty() && name != "__metadata__" &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return c > ' ' && c <= '~'; });
}

/// The byte counts of a list of tensors, after checks of names and types.
Status checkTensors(
    const std::string &what,
    const flatbuffers::Vector<flatbuffers::Offset<fb::NamedTensor>> *tensors,
    std::vector<uint64_t> &sizes) {
  std::set<std::string> names;
  for (size_t i = 0; i < count(tensors); ++i) {
    const fb::NamedTensor *tensor = tensors->Get(i);
    std::string name = tensor->name()->str();
    if (!isName(name))
      return corrupt(what + " " + std::to_string(i) +
                     ": found a name that is empty, reserved or not printable "
                     "ASCII");
    if (!names.insert(name).second)
      return corrupt("found two of the " + what + "s named '" + name +
                     "', expected one");
    const fb::TensorType *type = tensor->type();
    if (!isAligned(type->shape()))
      return corrupt(what + " '" + name + "': found a misaligned shape");
    std::optional<uint64_t> size =
        byteCount(type->element_type(), type->shape());
    if (!size)
      return corrupt(what + " '" + name +
                     "': found an invalid element type, a negative extent or a "
                     "size beyond 63 bits");
    sizes.push_back(*size);
  }
  return {};
}

/// Checks one function, its steps in order.
class FunctionValidator {
public:
  FunctionValidator(const fb::Program &program, const fb::Function &function,
                    uint64_t constantsSize,
                    const std::vector<uint64_t> &stateSizes)
      : program(program), function(function) {
    limits.arena = function.arena_size();
    limits.constants = constantsSize;
    limits.states = stateSizes;
  }

  Status run() {
    std::string name = function.name()->str();
    Status status = check();
    if (!status)
      return {};
    return corrupt("function '" + name + "': " + status.failure().message);
  }

private:
  Status check() {
    if (Status status = checkTensors("input", function.inputs(), limits.inputs))
      return status;
    if (Status status =
            checkTensors("output", function.outputs(), limits.outputs))
      return status;
    if (Status status =
            checkStates("states_read", function.states_read(), read))
      return status;
    if (Status status =
            checkStates("states_written", function.states_written(), written))
      return status;

    for (size_t i = 0; i < count(function.steps()); ++i) {
      Status status = checkStep(*function.steps()->Get(i));
      if (status)
        return corrupt("step " + std::to_string(i) + ": " +
                       status.failure().message);
    }
    return checkCoverage();
  }

  Status checkStates(const std::string &what,
                     const flatbuffers::Vector<uint32_t> *indices,
                     std::set<uint32_t> &states) {
    for (size_t i = 0; i < count(indices); ++i) {
      uint32_t index = indices->Get(i);
      if (index >= limits.states.size())
        return corrupt(what + ": found state " + std::to_string(index) +
                       ", expected less than " +
                       std::to_string(limits.states.size()));
      if (!states.insert(index).second)
        return corrupt(what + ": found state " + std::to_string(index) +
                       " twice, expected it once");
    }
    return {};
  }

  Status checkStep(const fb::Step &step) {
    if (step.location() >= count(program.locations()))
      return corrupt("found location " + std::to_string(step.location()) +
                     ", expected less than " +
                     std::to_string(count(program.locations())));
    Accesses accesses;
    Status status = checkCommand(program, step, limits, accesses);
    if (status)
      return status;
    for (const fb::Buffer &buffer : accesses.reads)
      if (Status status = recordRead(buffer))
        return status;
    for (const fb::Buffer &buffer : accesses.writes)
      if (Status status = recordWrite(buffer))
        return status;
    return {};
  }

  /// A state that the function does not declare as read must have been written
  /// by an earlier step.
  Status recordRead(const fb::Buffer &buffer) {
    if (buffer.space() == fb::Space::state && !read.count(buffer.index()) &&
        !coverage.count({fb::Space::state, buffer.index()}))
      return corrupt("found a read of state " + std::to_string(buffer.index()) +
                     " before any write, expected it in states_read");
    return {};
  }

  Status recordWrite(const fb::Buffer &buffer) {
    if (buffer.space() == fb::Space::state && !written.count(buffer.index()))
      return corrupt("found a write of state " +
                     std::to_string(buffer.index()) +
                     ", expected it in states_written");
    if (buffer.space() != fb::Space::arena)
      coverage[{buffer.space(), buffer.index()}].push_back(
          {buffer.offset(), buffer.offset() + buffer.size()});
    return {};
  }

  /// Outputs, and states that need not be initialised before the call, are
  /// written in full.
  Status checkCoverage() {
    for (uint32_t i = 0; i < limits.outputs.size(); ++i)
      if (!covers(fb::Space::output, i, limits.outputs[i]))
        return corrupt("output '" + function.outputs()->Get(i)->name()->str() +
                       "' is not written in full by the steps");
    for (uint32_t i : written)
      if (!read.count(i) && !covers(fb::Space::state, i, limits.states[i]))
        return corrupt("state '" + program.states()->Get(i)->name()->str() +
                       "' is not written in full by the steps");
    return {};
  }

  bool covers(fb::Space space, uint32_t index, uint64_t size) {
    auto &ranges = coverage[{space, index}];
    std::sort(ranges.begin(), ranges.end());
    uint64_t end = 0;
    for (auto [rangeBegin, rangeEnd] : ranges)
      if (rangeBegin <= end)
        end = std::max(end, rangeEnd);
    return end == size;
  }

  const fb::Program &program;
  const fb::Function &function;
  Limits limits;
  std::set<uint32_t> read, written;
  /// Byte ranges written so far, per output and state.
  std::map<std::pair<fb::Space, uint32_t>,
           std::vector<std::pair<uint64_t, uint64_t>>>
      coverage;
};

Status checkKernel(const fb::Kernel &kernel, bool isForCuda) {
  if (!isName(kernel.symbol()->string_view()))
    return corrupt("found a symbol that is empty or not printable ASCII");
  uint32_t mostThreads = isForCuda ? maxCudaThreads : 1;
  if (kernel.threads() < 1 || kernel.threads() > mostThreads)
    return corrupt("found " + std::to_string(kernel.threads()) +
                   " threads, expected 1 to " + std::to_string(mostThreads));
  if (kernel.shared_bytes() && !isForCuda)
    return mismatch("bytes of shared memory", kernel.shared_bytes(), 0);
  if (count(kernel.tensor_maps()) && !isForCuda)
    return mismatch("tensor maps", kernel.tensor_maps()->size(), 0);
  return checkTensorMaps(kernel);
}

Status checkProgram(const fb::Program &program, uint64_t constantsSize) {
  std::vector<uint64_t> stateSizes;
  if (Status status = checkTensors("state", program.states(), stateSizes))
    return status;
  for (size_t i = 0; i < count(program.kernels()); ++i) {
    Status status = checkKernel(*program.kernels()->Get(i), isForCuda(program));
    if (status)
      return corrupt("kernel " + std::to_string(i) + ": " +
                     status.failure().message);
  }
  std::set<std::string> names;
  for (size_t i = 0; i < count(program.functions()); ++i) {
    const fb::Function &function = *program.functions()->Get(i);
    std::string name = function.name()->str();
    if (!isName(name))
      return corrupt("function " + std::to_string(i) +
                     ": found a name that is empty, reserved or not printable "
                     "ASCII");
    if (!names.insert(name).second)
      return corrupt("found two functions named '" + name + "', expected one");
    if (Status status =
            FunctionValidator(program, function, constantsSize, stateSizes)
                .run())
      return status;
  }
  return {};
}

} // namespace

std::optional<uint64_t>
graphrt::artifact::byteCount(fb::ElementType type,
                             const flatbuffers::Vector<int64_t> *shape) {
  if (static_cast<unsigned>(type) >= numElementTypes)
    return std::nullopt;
  int64_t bytes = byteSize(static_cast<ElementType>(type));
  bool isEmpty = false;
  for (size_t d = 0; d < count(shape); ++d) {
    int64_t extent = shape->Get(d);
    if (extent < 0)
      return std::nullopt;
    isEmpty |= extent == 0;
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes))
      return std::nullopt;
  }
  return isEmpty ? 0 : bytes;
}

Expected<const fb::Program *>
graphrt::artifact::validateProgram(std::string_view bytes,
                                   uint64_t constantsSize) {
  // FlatBuffers' verifier asserts that offsets fit 31 bits.
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return corrupt("found a program section of " +
                   std::to_string(bytes.size()) +
                   " bytes, expected less than " +
                   std::to_string(FLATBUFFERS_MAX_BUFFER_SIZE));
  constexpr unsigned maxDepth = 16, maxTables = 1u << 28;
  flatbuffers::Verifier verifier(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(), maxDepth,
      maxTables);
  if (!fb::VerifyProgramBuffer(verifier))
    return corrupt("the program section is not a valid FlatBuffer");
  const fb::Program *program = fb::GetProgram(bytes.data());
  if (Status status = checkProgram(*program, constantsSize))
    return status.failure();
  return program;
}
