//===- InstructionSet.h - The families' tables of mnemonics -----*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_EXEC_INSTRUCTIONSET_H
#define GRAPHRT_EMULATOR_EXEC_INSTRUCTIONSET_H

#include "ptx/Decoder.h"

#include <span>
#include <string_view>

namespace graphrt::exec {

/// A mnemonic of one family.
struct Entry {
  std::string_view mnemonic;
  ptx::DecodeFunction decode;
};

/// Decodes an instruction whose type is already taken from the modifiers.
using TypedDecode = ptx::Handler (*)(ptx::Decoder &, ptx::ScalarType);

/// A mnemonic that integers and floating-point numbers share (`add`).
struct TypedEntry {
  std::string_view mnemonic;
  TypedDecode decode;
};

std::span<const TypedEntry> integerInstructions();
std::span<const TypedEntry> floatInstructions();
std::span<const TypedEntry> halfInstructions();

/// Decodes additions, subtractions and multiply-adds that read or write the
/// carry flag.
ptx::Handler decodeCarry(ptx::Decoder &decoder);

/// Decodes what follows `cp.async.bulk`, and `cp.async.mbarrier`.
ptx::Handler decodeBulkCopy(ptx::Decoder &decoder);
ptx::Handler decodeCopyArrive(ptx::Decoder &decoder);

std::span<const Entry> bitInstructions();
std::span<const Entry> carryInstructions();
std::span<const Entry> compareInstructions();
std::span<const Entry> convertInstructions();
std::span<const Entry> moveInstructions();
std::span<const Entry> memoryInstructions();
std::span<const Entry> atomicInstructions();
std::span<const Entry> controlInstructions();
std::span<const Entry> warpInstructions();
std::span<const Entry> asyncCopyInstructions();
std::span<const Entry> matrixMoveInstructions();
std::span<const Entry> matrixProductInstructions();
std::span<const Entry> mbarrierInstructions();
std::span<const Entry> warpGroupInstructions();

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_INSTRUCTIONSET_H
