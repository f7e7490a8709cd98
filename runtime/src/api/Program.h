//===- Program.h - A loaded artifact ----------------------------*- C++ -*-===//

#ifndef GRAPHRT_API_PROGRAM_H
#define GRAPHRT_API_PROGRAM_H

#include "Memory.h"

#include "graphrt/artifact/Container.h"
#include "graphrt/artifact/program_generated.h"
#include "graphrt/support/Expected.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace graphrt::rt {

/// An artifact that has passed all checks. Immutable.
class Program {
public:
  static Expected<std::shared_ptr<const Program>> load(std::string_view bytes);
  static Expected<std::shared_ptr<const Program>>
  loadFile(const std::string &path);

  const fb::Program &image() const { return *program; }
  const std::vector<artifact::Section> &sections() const { return table; }

  /// The bytes of a section, empty if there is none.
  std::string_view section(artifact::SectionKind kind) const;

  uint32_t numFunctions() const;
  uint32_t numStates() const;
  const fb::Function &function(uint32_t index) const;
  const fb::NamedTensor &state(uint32_t index) const;

  Expected<uint32_t> findFunction(std::string_view name) const;
  Expected<uint32_t> findState(std::string_view name) const;

  /// The CPU features with spaces between them.
  const std::string &cpuFeatures() const { return features; }

private:
  AlignedMemory bytes;
  std::vector<artifact::Section> table;
  const fb::Program *program = nullptr;
  std::string features;
};

/// Whether a function of the program has a matrix product.
bool usesGemm(const fb::Program &program);

} // namespace graphrt::rt

#endif // GRAPHRT_API_PROGRAM_H
