//===- MatrixMove.cpp - ldmatrix, stmatrix and movmatrix ------------------===//
//
// A matrix is 8 rows of 16 bytes. Lane 8 * m + r holds the address of row r of
// matrix m. Of every matrix, a lane holds two elements of 16 bits in one
// register: row lane / 4, columns 2 * (lane % 4) and the next; under .trans
// rows and columns change places.
//
//===----------------------------------------------------------------------===//

#include "exec/Access.h"
#include "exec/Block.h"
#include "exec/InstructionSet.h"
#include "exec/Lanes.h"

#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

enum Option : unsigned { Matrices, Transposed, Is32, InSharedWindow };

constexpr unsigned rows = 8, rowBytes = 16;

/// Row and column of half `half` of a lane's register.
struct Position {
  unsigned row, column;
};
Position positionOf(unsigned lane, unsigned half, bool transposed) {
  unsigned across = lane % 4 * 2 + half, along = lane / 4;
  return transposed ? Position{across, along} : Position{along, across};
}

/// Checks the rows' addresses and turns them into host pointers.
bool prepare(Warp &warp, const Instruction &i, AccessKind kind,
             Addresses &addresses) {
  if (!warp.converge(allLanes, /*countsEnded=*/true))
    return false;
  readAddresses(warp, i.slots[0], i.options[Is32], i.immediate, addresses);
  if (i.options[InSharedWindow])
    for (uint64_t &address : addresses.lane)
      address -= sharedWindow;
  unsigned lanes = i.options[Matrices] * rows;
  LaneMask users = lanes == warpSize ? allLanes : (LaneMask(1) << lanes) - 1;
  Counters &counters = warp.block.counters;
  unsigned conflicts = countBankConflicts(addresses, users, rowBytes);
  if (isLoad(kind)) {
    ++counters.matrixLoadRequests;
    counters.matrixLoadConflicts += conflicts;
  } else {
    ++counters.sharedStoreRequests;
    counters.sharedStoreConflicts += conflicts;
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!checkSharedLane(warp, lane, addresses.lane[lane], rowBytes, kind))
      return false;
    addresses.lane[lane] += reinterpret_cast<uint64_t>(warp.block.shared);
  }
  return true;
}

void loadMatrices(Warp &warp, const Instruction &i) {
  Addresses addresses;
  if (!prepare(warp, i, AccessKind::Load, addresses))
    return;
  for (unsigned matrix = 0; matrix < i.options[Matrices]; ++matrix) {
    uint32_t *result = warp.lanes<uint32_t>(warp.slotList(i)[matrix]);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      uint32_t value = 0;
      for (unsigned half = 0; half < 2; ++half) {
        Position at = positionOf(lane, half, i.options[Transposed]);
        const uint16_t *row =
            pointerAt<uint16_t>(addresses, matrix * rows + at.row);
        value |= uint32_t(row[at.column]) << (16 * half);
      }
      result[lane] = value;
    }
  }
}

void storeMatrices(Warp &warp, const Instruction &i) {
  Addresses addresses;
  if (!prepare(warp, i, AccessKind::Store, addresses))
    return;
  for (unsigned matrix = 0; matrix < i.options[Matrices]; ++matrix) {
    const uint32_t *source = warp.lanes<uint32_t>(warp.slotList(i)[matrix]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned half = 0; half < 2; ++half) {
        Position at = positionOf(lane, half, i.options[Transposed]);
        uint16_t *row = pointerAt<uint16_t>(addresses, matrix * rows + at.row);
        row[at.column] = source[lane] >> (16 * half);
      }
  }
}

/// Transposes one matrix across the warp.
void transpose(Warp &warp, const Instruction &i) {
  if (!warp.converge(allLanes, /*countsEnded=*/true))
    return;
  uint16_t elements[rows][rows];
  const uint32_t *source = warp.lanes<uint32_t>(i.slots[1]);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned half = 0; half < 2; ++half) {
      Position at = positionOf(lane, half, false);
      elements[at.row][at.column] = source[lane] >> (16 * half);
    }
  uint32_t *result = warp.lanes<uint32_t>(i.slots[0]);
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    Position low = positionOf(lane, 0, true), high = positionOf(lane, 1, true);
    result[lane] = elements[low.row][low.column] |
                   uint32_t(elements[high.row][high.column]) << 16;
  }
}

/// Takes .sync.aligned.m8n8[.xN][.trans][.shared].b16 and the list at one
/// position, the address at the other.
bool decodeShape(Decoder &decoder, unsigned listPosition, bool isLoad) {
  Instruction &instruction = decoder.instruction();
  bool known = decoder.acceptAll({"sync", "aligned", "m8n8"});
  constexpr uint8_t counts[] = {1, 2, 4, 1};
  instruction.options[Matrices] = counts[decoder.acceptAny({"x1", "x2", "x4"})];
  instruction.options[Transposed] = decoder.accept("trans");
  bool isShared = decoder.acceptAny({"shared", "shared::cta"}) < 2;
  known &= decoder.type() == ScalarType::B16;
  std::vector<Operand> list = decoder.elements(listPosition);
  known &= list.size() == instruction.options[Matrices];
  for (const Operand &element : list)
    decoder.append(isLoad ? decoder.destinationSlot(element, ScalarType::B32)
                          : decoder.sourceSlot(element, ScalarType::B32));
  instruction.options[Is32] = decoder.address(0, isLoad ? 1 : 0).bits == 32;
  instruction.options[InSharedWindow] = !isShared;
  return known;
}

Handler decodeLoad(Decoder &decoder) {
  return decodeShape(decoder, 0, true) ? loadMatrices : decoder.unsupported();
}

Handler decodeStore(Decoder &decoder) {
  return decodeShape(decoder, 1, false) ? storeMatrices : decoder.unsupported();
}

Handler decodeMove(Decoder &decoder) {
  bool known = decoder.acceptAll({"sync", "aligned", "m8n8", "trans", "b16"});
  decodeOperands(decoder, 1, ScalarType::B32);
  return known ? transpose : decoder.unsupported();
}

constexpr Entry entries[] = {
    {"ldmatrix", decodeLoad},
    {"stmatrix", decodeStore},
    {"movmatrix", decodeMove},
};

} // namespace

std::span<const Entry> exec::matrixMoveInstructions() { return entries; }
