//===- graph-opt.cpp - Runs passes on textual IR --------------------------===//

#include "graph/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  graph::registerAllDialects(registry);
  graph::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "computation-graph optimizer\n", registry));
}
