//===- TensorMaps.h - Descriptions of tensors for TMA copies ----*- C++ -*-===//

#ifndef GRAPHRT_CUDA_TENSORMAPS_H
#define GRAPHRT_CUDA_TENSORMAPS_H

#include "Driver.h"

#include "graphrt/artifact/program_generated.h"

namespace graphrt::cuda {

/// What a kernel reads as its parameter for `map`, whose tensor lies in the
/// buffer at `buffer`. Fails on devices without a TMA unit, those before sm_90.
Expected<CUtensorMap> encodeTensorMap(const Driver &driver,
                                      const fb::TensorMap &map, char *buffer);

} // namespace graphrt::cuda

#endif // GRAPHRT_CUDA_TENSORMAPS_H
