//===- InstructionSet.cpp - Finds the decode function of a mnemonic -------===//

#include "exec/InstructionSet.h"

#include "exec/Lanes.h"

#include <unordered_map>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

const TypedEntry *find(std::span<const TypedEntry> table,
                       std::string_view mnemonic) {
  for (const TypedEntry &entry : table)
    if (entry.mnemonic == mnemonic)
      return &entry;
  return nullptr;
}

std::span<const TypedEntry> tableFor(ScalarType type) {
  if (!isFloat(type))
    return integerInstructions();
  if (type == ScalarType::F32 || type == ScalarType::F64)
    return floatInstructions();
  return halfInstructions();
}

Handler decodeTyped(Decoder &decoder) {
  if (decoder.has("cc"))
    return decodeCarry(decoder);
  ScalarType type = decoder.type();
  const TypedEntry *entry = find(tableFor(type), decoder.mnemonic());
  if (!entry)
    return decoder.unsupported();
  return orUnsupported(decoder, entry->decode(decoder, type));
}

using Table = std::unordered_map<std::string_view, DecodeFunction>;

Table makeTable() {
  Table table;
  for (auto entries :
       {bitInstructions(), carryInstructions(), compareInstructions(),
        convertInstructions(), moveInstructions(), memoryInstructions(),
        atomicInstructions(), controlInstructions(), warpInstructions(),
        asyncCopyInstructions(), matrixMoveInstructions(),
        matrixProductInstructions(), mbarrierInstructions(),
        warpGroupInstructions()})
    for (const Entry &entry : entries)
      table[entry.mnemonic] = entry.decode;
  for (auto entries :
       {integerInstructions(), floatInstructions(), halfInstructions()})
    for (const TypedEntry &entry : entries)
      table.try_emplace(entry.mnemonic, decodeTyped);
  return table;
}

} // namespace

DecodeFunction ptx::findInstruction(std::string_view mnemonic) {
  static const Table table = makeTable();
  auto found = table.find(mnemonic);
  return found == table.end() ? nullptr : found->second;
}
