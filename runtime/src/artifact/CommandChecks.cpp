//===- CommandChecks.cpp - Checks of single commands ----------------------===//

#include "CommandChecks.h"

#include <string>

using namespace graphrt;
using namespace graphrt::artifact;

namespace {

/// The sizes of all objects of a space, null for an unknown space.
const std::vector<uint64_t> *objects(const Limits &limits, fb::Space space,
                                     std::vector<uint64_t> &single) {
  switch (space) {
  case fb::Space::arena:
    single = {limits.arena};
    return &single;
  case fb::Space::constant:
    single = {limits.constants};
    return &single;
  case fb::Space::state:
    return &limits.states;
  case fb::Space::input:
    return &limits.inputs;
  case fb::Space::output:
    return &limits.outputs;
  }
  return nullptr;
}

} // namespace

Failure graphrt::artifact::mismatch(const std::string &what, uint64_t found,
                                    uint64_t expected) {
  return corrupt("found " + std::to_string(found) + " " + what + ", expected " +
                 std::to_string(expected));
}

Status graphrt::artifact::checkBuffer(const fb::Buffer &buffer,
                                      const Limits &limits, bool isWritten) {
  std::vector<uint64_t> single;
  const auto *sizes = objects(limits, buffer.space(), single);
  if (!sizes)
    return corrupt("found buffer space " +
                   std::to_string(static_cast<unsigned>(buffer.space())) +
                   ", expected 0 to 4");
  std::string space = fb::EnumNameSpace(buffer.space());
  if (buffer.index() >= sizes->size())
    return corrupt("found " + space + " " + std::to_string(buffer.index()) +
                   ", expected less than " + std::to_string(sizes->size()));
  uint64_t size = (*sizes)[buffer.index()];
  if (buffer.offset() > size || buffer.size() > size - buffer.offset())
    return corrupt("found " + std::to_string(buffer.size()) +
                   " bytes at offset " + std::to_string(buffer.offset()) +
                   " of " + space + " " + std::to_string(buffer.index()) +
                   ", expected a range inside its " + std::to_string(size) +
                   " bytes");
  if (isWritten && (buffer.space() == fb::Space::input ||
                    buffer.space() == fb::Space::constant))
    return corrupt("found a write to a buffer of space " + space +
                   ", expected arena, state or output");
  return {};
}

bool graphrt::artifact::overlaps(const fb::Buffer &a, const fb::Buffer &b) {
  return a.space() == b.space() && a.index() == b.index() && a.size() &&
         b.size() && a.offset() < b.offset() + b.size() &&
         b.offset() < a.offset() + a.size();
}

Status graphrt::artifact::checkDispatch(const fb::Program &program,
                                        const fb::Dispatch &dispatch,
                                        const Limits &limits,
                                        Accesses &accesses) {
  if (dispatch.kernel() >= count(program.kernels()))
    return corrupt("found kernel " + std::to_string(dispatch.kernel()) +
                   ", expected less than " +
                   std::to_string(count(program.kernels())));
  const fb::Kernel &kernel = *program.kernels()->Get(dispatch.kernel());
  if (dispatch.buffers()->size() != kernel.buffers())
    return mismatch("buffers", dispatch.buffers()->size(), kernel.buffers());
  if (dispatch.writes()->size() != kernel.buffers())
    return mismatch("write flags", dispatch.writes()->size(), kernel.buffers());
  if (!isAligned(dispatch.buffers()))
    return corrupt("found misaligned buffers");
  uint64_t mostWorkgroups =
      isForCuda(program) ? maxCudaWorkgroups : uint64_t(INT64_MAX);
  if (dispatch.workgroups() > mostWorkgroups)
    return corrupt("found " + std::to_string(dispatch.workgroups()) +
                   " workgroups, expected at most " +
                   std::to_string(mostWorkgroups));
  for (unsigned i = 0; i < kernel.buffers(); ++i) {
    const fb::Buffer &buffer = *dispatch.buffers()->Get(i);
    bool isWritten = dispatch.writes()->Get(i);
    if (Status status = checkBuffer(buffer, limits, isWritten))
      return status;
    (isWritten ? accesses.writes : accesses.reads).push_back(buffer);
  }
  for (size_t i = 0; i < count(kernel.tensor_maps()); ++i) {
    const fb::TensorMap &map = *kernel.tensor_maps()->Get(i);
    if (Status status =
            checkTensorMapPlace(map, *dispatch.buffers()->Get(map.buffer())))
      return status;
  }
  return {};
}

static Status checkCopy(const fb::Copy &copy, const Limits &limits,
                        Accesses &accesses) {
  const fb::Buffer &source = *copy.source();
  const fb::Buffer &destination = *copy.destination();
  if (Status status = checkBuffer(source, limits, false))
    return status;
  if (Status status = checkBuffer(destination, limits, true))
    return status;
  if (source.size() != destination.size())
    return mismatch("bytes in a copy's destination", destination.size(),
                    source.size());
  if (overlaps(source, destination))
    return corrupt("found a copy between overlapping ranges");
  accesses.reads.push_back(source);
  accesses.writes.push_back(destination);
  return {};
}

Status graphrt::artifact::checkCommand(const fb::Program &program,
                                       const fb::Step &step,
                                       const Limits &limits,
                                       Accesses &accesses) {
  switch (step.command_type()) {
  case fb::Command::Dispatch:
    return checkDispatch(program, *step.command_as_Dispatch(), limits,
                         accesses);
  case fb::Command::Gemm:
    return checkGemm(program, *step.command_as_Gemm(), limits, accesses);
  case fb::Command::Copy:
    return checkCopy(*step.command_as_Copy(), limits, accesses);
  case fb::Command::NONE:
    break;
  }
  return corrupt("found command " +
                 std::to_string(static_cast<unsigned>(step.command_type())) +
                 ", expected 1 to " +
                 std::to_string(static_cast<unsigned>(fb::Command::MAX)));
}
