//===- make-test-artifact.cpp - Writes the toy programs to files ----------===//

#include "TestArtifact.h"

#include "graphrt/support/AtomicFile.h"

using namespace graphrt;

static bool write(const char *path, const fb::ProgramT &program) {
  std::string bytes = test::makeArtifact(program);
  std::string_view pieces[] = {bytes};
  return !writeFileAtomically(path, pieces);
}

/// Arguments: the files for the targets "cpu" and "cuda".
int main(int argc, char **argv) {
  return argc == 3 && write(argv[1], test::toyProgram()) &&
                 write(argv[2], test::cudaToyProgram())
             ? 0
             : 1;
}
