//===- BulkCopy.cpp - cp.async.bulk and cp.async.bulk.tensor --------------===//

#include "exec/BulkCopy.h"

#include "exec/Access.h"
#include "exec/Block.h"
#include "exec/InstructionSet.h"
#include "exec/Lanes.h"

#include <algorithm>
#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

//===----------------------------------------------------------------------===//
// Moving bytes
//===----------------------------------------------------------------------===//

/// Calls `visit(global address or 0 outside the tensor, offset in the box)` for
/// every element of the box.
template <typename Visit>
bool forBox(const TensorMap &map, const std::array<int32_t, 5> &start,
            Visit visit) {
  std::array<uint32_t, 5> index = {};
  for (uint32_t offset = 0;; offset += map.elementBytes) {
    uint64_t address = map.address;
    for (unsigned d = 0; d < map.rank; ++d) {
      int64_t at = int64_t(start[d]) + index[d] * map.elementStrides[d];
      if (at < 0 || at >= int64_t(map.extents[d])) {
        address = 0;
        break;
      }
      address += at * (d == 0 ? map.elementBytes : map.strides[d - 1]);
    }
    if (!visit(address, offset))
      return false;
    unsigned d = 0;
    while (d < map.rank && ++index[d] == map.box[d])
      index[d++] = 0;
    if (d == map.rank)
      return true;
  }
}

uint32_t boxBytes(const TensorMap &map) {
  uint32_t bytes = map.elementBytes;
  for (unsigned d = 0; d < map.rank; ++d)
    bytes *= map.box[d];
  return bytes;
}

/// Moves one element or 16 bytes.
bool moveElement(Warp &warp, const BulkCopy &copy, uint64_t global,
                 uint32_t shared, unsigned bytes) {
  Block &block = warp.block;
  AccessKind onGlobal = copy.toShared ? AccessKind::Load : AccessKind::Store;
  AccessKind onShared = copy.toShared ? AccessKind::Store : AccessKind::Load;
  if (copy.toShared) {
    std::fill_n(block.sharedState.begin() + shared, bytes,
                uint8_t(ByteState::Uninitialized));
    if (global == 0) {
      std::memset(block.shared + shared, 0, bytes);
      return checkSharedLane(warp, copy.lane, shared, bytes, onShared);
    }
  } else if (global == 0) {
    return true;
  }
  if (!checkGlobalLane(warp, copy.lane, global, bytes, onGlobal) ||
      !checkSharedLane(warp, copy.lane, shared, bytes, onShared))
    return false;
  auto *outside = reinterpret_cast<uint8_t *>(global);
  if (copy.toShared)
    std::memcpy(block.shared + shared, outside, bytes);
  else
    std::memcpy(outside, block.shared + shared, bytes);
  return true;
}

bool moveAll(Warp &warp, const BulkCopy &copy) {
  if (copy.isTensor)
    return forBox(
        copy.map, copy.coordinates, [&](uint64_t global, uint32_t offset) {
          return moveElement(warp, copy, global,
                             swizzle(copy.shared + offset, copy.map.swizzle),
                             copy.map.elementBytes);
        });
  for (uint32_t offset = 0; offset < copy.bytes; offset += 16)
    if (!moveElement(warp, copy, copy.global + offset, copy.shared + offset,
                     16))
      return false;
  return true;
}

} // namespace

void exec::deliverBulkCopies(Block &block, uint32_t address) {
  for (BulkCopy &copy : block.bulkCopies) {
    if (!copy.toShared || copy.mbarrier != address)
      continue;
    Warp &warp = block.warps[copy.warp];
    if (!moveAll(warp, copy))
      return;
    Mbarrier &object = block.mbarriers[address];
    object.arriving.seen[copy.warp] =
        std::max(object.arriving.seen[copy.warp], block.tick());
    object.transactions -= copy.bytes;
    completePhase(block, object);
  }
  std::erase_if(block.bulkCopies, [&](const BulkCopy &copy) {
    return copy.toShared && copy.mbarrier == address;
  });
}

namespace {

//===----------------------------------------------------------------------===//
// Issuing. slots: [0] shared address, [1] global address or tensor map, [2]
// mbarrier, [3] bytes; the list: offsets of [1] and [2], then coordinates
//===----------------------------------------------------------------------===//

enum Option : unsigned {
  ToShared,
  Rank,
  SharedIs32,
  MbarrierIs32,
  HasMbarrier
};

uint64_t readAddress(Warp &warp, Slot slot, bool is32, unsigned lane) {
  return is32 ? warp.lanes<uint32_t>(slot)[lane]
              : warp.lanes<uint64_t>(slot)[lane];
}

/// Reads the tensor map, wherever it lies; null after a fault.
const TensorMap *findMap(Warp &warp, uint64_t address, unsigned lane) {
  if (address % alignof(TensorMap)) {
    warp.fault(lane, "bad tensor map: found an address of " +
                         std::to_string(address % alignof(TensorMap)) +
                         " modulo 64, expected a multiple of 64");
    return nullptr;
  }
  const LaunchState &launch = warp.block.launch;
  uint64_t offset = address - reinterpret_cast<uint64_t>(launch.parameters);
  bool isParameter = offset < launch.kernel.parameterBytes &&
                     launch.kernel.parameterBytes - offset >= sizeof(TensorMap);
  if (!isParameter)
    for (unsigned part = 0; part < sizeof(TensorMap); part += 16)
      if (!checkGlobalLane(warp, lane, address + part, 16, AccessKind::Load))
        return nullptr;
  auto *map = reinterpret_cast<const TensorMap *>(address);
  if (map->magic == TensorMap::expectedMagic)
    return map;
  warp.fault(lane, "bad tensor map: found other bytes than "
                   "cuTensorMapEncodeTiled writes");
  return nullptr;
}

bool describeGlobalPart(Warp &warp, const Instruction &i, unsigned lane,
                        BulkCopy &copy) {
  const Slot *list = warp.slotList(i);
  uint64_t address = warp.lanes<uint64_t>(i.slots[1])[lane] + int32_t(list[0]);
  if (!copy.isTensor) {
    copy.global = address;
    copy.bytes = warp.lanes<uint32_t>(i.slots[3])[lane];
    if (copy.bytes % 16 == 0 && copy.shared % 16 == 0)
      return true;
    warp.fault(lane,
               "misaligned bulk copy: found " + std::to_string(copy.bytes) +
                   " bytes at shared address " + std::to_string(copy.shared) +
                   ", expected multiples of 16");
    return false;
  }
  const TensorMap *map = findMap(warp, address, lane);
  if (!map)
    return false;
  copy.map = *map;
  copy.bytes = boxBytes(copy.map);
  for (unsigned d = 0; d < i.options[Rank]; ++d)
    copy.coordinates[d] = warp.lanes<int32_t>(list[2 + d])[lane];
  if (map->rank == i.options[Rank] && copy.shared % 128 == 0)
    return true;
  warp.fault(lane, "bad tensor copy: found a map of rank " +
                       std::to_string(map->rank) + " and shared address " +
                       std::to_string(copy.shared) + ", expected rank " +
                       std::to_string(i.options[Rank]) +
                       " and a multiple of 128");
  return false;
}

/// Checks the target in shared memory and marks it as in flight.
bool markInFlight(Warp &warp, const BulkCopy &copy, unsigned lane) {
  Block &block = warp.block;
  for (uint32_t offset = 0; offset < copy.bytes; offset += 4)
    if (!checkSharedLane(warp, lane, copy.shared + offset, 4,
                         AccessKind::Store))
      return false;
  std::fill_n(block.sharedState.begin() + copy.shared, copy.bytes,
              uint8_t(ByteState::InFlight));
  return true;
}

void issue(Warp &warp, const Instruction &i) {
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    BulkCopy copy;
    copy.toShared = i.options[ToShared];
    copy.isTensor = i.options[Rank] != 0;
    copy.warp = warp.index;
    copy.lane = lane;
    copy.shared = readAddress(warp, i.slots[0], i.options[SharedIs32], lane) +
                  i.immediate;
    if (!describeGlobalPart(warp, i, lane, copy))
      return;
    if (i.options[HasMbarrier])
      copy.mbarrier =
          readAddress(warp, i.slots[2], i.options[MbarrierIs32], lane) +
          int32_t(warp.slotList(i)[1]);
    else
      copy.group = warp.committedBulk[lane];
    if (copy.toShared && !markInFlight(warp, copy, lane))
      return;
    if (copy.toShared && !warp.block.mbarriers.count(copy.mbarrier))
      return warp.fault(lane, "bad mbarrier: found none at shared address " +
                                  std::to_string(copy.mbarrier) +
                                  ", expected one that mbarrier.init has made");
    warp.block.counters.asyncCopyBytes += copy.bytes;
    warp.block.bulkCopies.push_back(copy);
  }
}

void commitGroup(Warp &warp, const Instruction &) {
  forEachLane(warp.active, [&](unsigned lane) { ++warp.committedBulk[lane]; });
}

/// All but the latest `immediate` groups of the active lanes.
void waitGroup(Warp &warp, const Instruction &i) {
  Block &block = warp.block;
  auto isDue = [&](const BulkCopy &copy) {
    return !copy.toShared && copy.warp == warp.index &&
           (warp.active >> copy.lane & 1) &&
           copy.group + i.immediate < warp.committedBulk[copy.lane];
  };
  for (const BulkCopy &copy : block.bulkCopies)
    if (isDue(copy) && !moveAll(warp, copy))
      return;
  std::erase_if(block.bulkCopies, isDue);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// The operand with the global address (or the tensor map and coordinates).
void decodeGlobalPart(Decoder &decoder, unsigned position, unsigned rank) {
  Instruction &instruction = decoder.instruction();
  Operand whole = decoder.operand(position);
  decoder.address(1, position);
  decoder.append(Slot(instruction.immediate));
  decoder.append(0);
  if (rank == 0)
    return;
  if (whole.elements.size() != 2 || whole.elements[1].elements.size() != rank) {
    decoder.fail("found '" + std::string(decoder.opcode()) + "' without " +
                 std::to_string(rank) + " coordinates");
    return;
  }
  for (const Operand &coordinate : whole.elements[1].elements)
    decoder.append(decoder.sourceSlot(coordinate, ScalarType::S32));
}

/// [shared], [global], (bytes,) [mbarrier] or [global], [shared](, bytes).
Handler decodeTransfer(Decoder &decoder, unsigned rank) {
  Instruction &instruction = decoder.instruction();
  bool toShared = decoder.accept("mbarrier::complete_tx::bytes");
  bool fromShared = decoder.accept("bulk_group");
  if (toShared == fromShared)
    return decoder.unsupported();
  decoder.acceptAny({"shared::cluster", "shared::cta"});
  decoder.accept("global");
  decoder.accept("tile");
  bool hasHint = decoder.accept("L2::cache_hint");
  bool hasMask = decoder.accept("multicast::cluster");
  instruction.options[ToShared] = toShared;
  instruction.options[Rank] = rank;
  decodeGlobalPart(decoder, toShared ? 1 : 0, rank);
  unsigned position = 2;
  if (rank == 0)
    decoder.source(3, position++, ScalarType::U32);
  if (toShared) {
    instruction.options[HasMbarrier] = 1;
    instruction.options[MbarrierIs32] =
        decoder.address(2, position++).bits == 32;
    decoder.setListEntry(1, Slot(instruction.immediate));
  }
  instruction.options[SharedIs32] =
      decoder.address(0, toShared ? 0 : 1).bits == 32;
  for (unsigned extra = 0; extra < unsigned(hasHint + hasMask); ++extra)
    (void)decoder.operand(position++);
  return issue;
}

} // namespace

Handler exec::decodeBulkCopy(Decoder &decoder) {
  if (decoder.accept("commit_group"))
    return commitGroup;
  if (decoder.accept("wait_group")) {
    decoder.accept("read");
    decoder.instruction().immediate = decoder.integer(0);
    return waitGroup;
  }
  unsigned rank = 0;
  if (decoder.accept("tensor"))
    rank = decoder.acceptAny({"1d", "2d", "3d", "4d", "5d"}) + 1;
  return rank > 5 ? decoder.unsupported() : decodeTransfer(decoder, rank);
}
