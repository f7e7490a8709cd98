//===- CpuFeatures.h - What this machine can execute ------------*- C++ -*-===//

#ifndef GRAPHRT_CPU_CPUFEATURES_H
#define GRAPHRT_CPU_CPUFEATURES_H

#include "graphrt/artifact/program_generated.h"
#include "graphrt/support/Expected.h"

namespace graphrt::cpu {

/// Fails unless the program's architecture and CPU features fit this machine,
/// and names what is missing.
Status checkMachine(const fb::Program &program);

} // namespace graphrt::cpu

#endif // GRAPHRT_CPU_CPUFEATURES_H
