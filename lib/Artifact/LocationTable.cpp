//===- LocationTable.cpp - Source locations as text -----------------------===//

#include "LocationTable.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// Collects the file positions and names that a location is made of.
static void collect(Location location, SetVector<StringRef> &names,
                    SmallVectorImpl<FileLineColLoc> &files) {
  if (auto file = dyn_cast<FileLineColLoc>(location)) {
    files.push_back(file);
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    names.insert(name.getName());
    collect(name.getChildLoc(), names, files);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      collect(part, names, files);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collect(call.getCallee(), names, files);
  }
}

/// `model.mlir:12: graph.dot`; of several positions the first one is shown,
/// because the artifact is for messages and traces, not for debuggers.
static std::string describe(Location location) {
  SetVector<StringRef> names;
  SmallVector<FileLineColLoc> files;
  collect(location, names, files);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (files.empty())
    stream << "unknown";
  else
    stream << files.front().getFilename().getValue() << ':'
           << files.front().getLine();
  if (!names.empty())
    stream << ": " << llvm::join(names, " ");
  return text;
}

unsigned graph::LocationTable::getIndex(Location location) {
  auto [entry, isNew] = indices.try_emplace(describe(location), texts.size());
  if (isNew)
    texts.push_back(entry->first().str());
  return entry->second;
}
