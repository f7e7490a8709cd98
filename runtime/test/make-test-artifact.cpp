//===- make-test-artifact.cpp - Writes the toy program to a file ----------===//

#include "TestArtifact.h"

#include "graphrt/support/AtomicFile.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  std::string bytes = graphrt::test::makeArtifact(graphrt::test::toyProgram());
  std::string_view pieces[] = {bytes};
  return graphrt::writeFileAtomically(argv[1], pieces) ? 1 : 0;
}
