//===- LocationTable.h - Source locations as text ---------------*- C++ -*-===//

#ifndef GRAPH_LIB_ARTIFACT_LOCATIONTABLE_H
#define GRAPH_LIB_ARTIFACT_LOCATIONTABLE_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace graph {

/// The distinct texts of locations, numbered in the order of their first use.
class LocationTable {
public:
  unsigned getIndex(mlir::Location location);
  std::vector<std::string> takeTexts() { return std::move(texts); }

private:
  llvm::StringMap<unsigned> indices;
  std::vector<std::string> texts;
};

} // namespace graph

#endif // GRAPH_LIB_ARTIFACT_LOCATIONTABLE_H
