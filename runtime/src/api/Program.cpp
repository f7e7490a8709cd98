//===- Program.cpp - A loaded artifact ------------------------------------===//

#include "Program.h"

#include "graphrt/artifact/Validate.h"
#include "graphrt/support/AtomicFile.h"

#include <cstring>

using namespace graphrt;
using namespace graphrt::rt;
using artifact::Section;
using artifact::SectionKind;

Expected<std::shared_ptr<const Program>> Program::load(std::string_view bytes) {
  auto program = std::make_shared<Program>();
  program->bytes = allocateAligned(bytes.size());
  if (!bytes.empty())
    std::memcpy(program->bytes.get(), bytes.data(), bytes.size());
  Expected<std::vector<Section>> sections =
      artifact::parse({program->bytes.get(), bytes.size()});
  if (!sections)
    return sections.failure();
  program->table = std::move(*sections);

  std::string_view image = program->section(SectionKind::Program);
  if (image.empty())
    return Failure{ErrorCode::Corrupt,
                   "found no program section in the artifact, expected one"};
  Expected<const fb::Program *> valid = artifact::validateProgram(
      image, program->section(SectionKind::Constants).size());
  if (!valid)
    return Failure{valid.failure().code,
                   "invalid program: " + valid.failure().message};
  program->program = *valid;
  if (program->program->cpu_features())
    for (const flatbuffers::String *feature : *program->program->cpu_features())
      program->features +=
          (program->features.empty() ? "" : " ") + feature->str();
  return std::shared_ptr<const Program>(std::move(program));
}

Expected<std::shared_ptr<const Program>>
Program::loadFile(const std::string &path) {
  Expected<std::string> bytes = readWholeFile(path);
  if (!bytes)
    return bytes.failure();
  Expected<std::shared_ptr<const Program>> program = load(*bytes);
  if (!program)
    return Failure{program.failure().code,
                   "'" + path + "': " + program.failure().message};
  return program;
}

std::string_view Program::section(SectionKind kind) const {
  for (const Section &section : table)
    if (section.kind == kind)
      return section.bytes;
  return {};
}

uint32_t Program::numFunctions() const {
  return program->functions() ? program->functions()->size() : 0;
}

uint32_t Program::numStates() const {
  return program->states() ? program->states()->size() : 0;
}

const fb::Function &Program::function(uint32_t index) const {
  return *program->functions()->Get(index);
}

const fb::NamedTensor &Program::state(uint32_t index) const {
  return *program->states()->Get(index);
}

Expected<uint32_t> Program::findFunction(std::string_view name) const {
  std::string known;
  for (uint32_t i = 0; i < numFunctions(); ++i) {
    if (function(i).name()->string_view() == name)
      return i;
    known += (i ? ", " : "") + function(i).name()->str();
  }
  return Failure{ErrorCode::NotFound, "found no function '" +
                                          std::string(name) +
                                          "', expected one of: " + known};
}

Expected<uint32_t> Program::findState(std::string_view name) const {
  for (uint32_t i = 0; i < numStates(); ++i)
    if (state(i).name()->string_view() == name)
      return i;
  return Failure{ErrorCode::NotFound,
                 "found no state '" + std::string(name) + "' in the program"};
}

bool graphrt::rt::usesGemm(const fb::Program &program) {
  if (program.functions())
    for (const fb::Function *function : *program.functions())
      if (function->steps())
        for (const fb::Step *step : *function->steps())
          if (step->command_type() == fb::Command::Gemm)
            return true;
  return false;
}
