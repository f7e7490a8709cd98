//===- AccessHistory.cpp - Races between operations -----------------------===//

#include "AccessHistory.h"

using namespace graphrt::driver;

AccessHistory::Segments::iterator AccessHistory::splitAt(uint64_t address) {
  auto next = segments.lower_bound(address);
  if (next == segments.begin())
    return next;
  auto previous = std::prev(next);
  if (previous->second.end <= address)
    return next;
  Segment upper = previous->second;
  previous->second.end = address;
  return segments.emplace_hint(next, address, std::move(upper));
}

std::optional<AccessHistory::Conflict>
AccessHistory::findConflict(const Segments::value_type &entry,
                            const Clock &clock, bool isWrite) {
  const auto &[begin, segment] = entry;
  if (segment.writer && !clock.includes(segment.writer->moment))
    return Conflict{segment.writer, true, {begin, segment.end}};
  if (!isWrite)
    return std::nullopt;
  for (const OperationNameRef &reader : segment.readers)
    if (!clock.includes(reader->moment))
      return Conflict{reader, false, {begin, segment.end}};
  return std::nullopt;
}

std::optional<AccessHistory::Conflict>
AccessHistory::record(const OperationNameRef &name, const Clock &clock,
                      ByteRange range, bool isWrite) {
  if (range.begin >= range.end)
    return std::nullopt;
  splitAt(range.begin);
  auto end = splitAt(range.end);
  // What an operation does to its own bytes is its own affair.
  Clock known = clock;
  known.add(name->moment);
  for (auto it = segments.lower_bound(range.begin); it != end; ++it)
    if (std::optional<Conflict> conflict = findConflict(*it, known, isWrite))
      return conflict;
  if (isWrite)
    recordWrite(name, range);
  else
    recordRead(name, known, range);
  return std::nullopt;
}

// Every earlier access is ordered before this write, so what is not ordered
// after this write is not ordered after them either: they can be forgotten.
void AccessHistory::recordWrite(const OperationNameRef &name, ByteRange range) {
  auto end = segments.lower_bound(range.end);
  segments.erase(segments.lower_bound(range.begin), end);
  auto previous = end == segments.begin() ? segments.end() : std::prev(end);
  if (previous != segments.end() && previous->second.end == range.begin &&
      previous->second.writer == name && previous->second.readers.empty())
    previous->second.end = range.end;
  else
    segments.emplace_hint(end, range.begin, Segment{range.end, name, {}});
}

void AccessHistory::recordRead(const OperationNameRef &name, const Clock &clock,
                               ByteRange range) {
  uint64_t covered = range.begin;
  auto it = segments.lower_bound(range.begin);
  while (covered < range.end) {
    if (it == segments.end() || it->first > covered) {
      uint64_t gapEnd =
          it == segments.end() ? range.end : std::min(range.end, it->first);
      segments.emplace_hint(it, covered, Segment{gapEnd, nullptr, {name}});
      covered = gapEnd;
      continue;
    }
    auto &readers = it->second.readers;
    std::erase_if(readers, [&](const OperationNameRef &reader) {
      return clock.includes(reader->moment);
    });
    readers.push_back(name);
    covered = it->second.end;
    ++it;
  }
}

void AccessHistory::forget(ByteRange range) {
  splitAt(range.begin);
  auto end = splitAt(range.end);
  segments.erase(segments.lower_bound(range.begin), end);
}
