//===- TouchedBytes.h - The memory that a launch touched --------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_EXEC_TOUCHEDBYTES_H
#define GRAPHRT_EMULATOR_EXEC_TOUCHEDBYTES_H

#include "exec/DeviceMemory.h"
#include "exec/Launch.h"

namespace graphrt::exec {

/// Reads off the cells which bytes the launch of that number, the last one,
/// read and wrote.
void collectTouchedBytes(const DeviceMemory &memory, uint8_t launch,
                         LaunchRecord &record);

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_TOUCHEDBYTES_H
