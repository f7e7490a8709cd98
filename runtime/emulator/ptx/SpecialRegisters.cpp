//===- SpecialRegisters.cpp - The registers that PTX predefines -----------===//

#include "ptx/SpecialRegisters.h"

using namespace graphrt;
using namespace graphrt::ptx;

namespace {

/// A cluster has one block.
constexpr SpecialRegister registers[] = {
    {"%tid.x", Special::Tid, 32, 0},
    {"%tid.y", Special::Tid, 32, 1},
    {"%tid.z", Special::Tid, 32, 2},
    {"%ntid.x", Special::Ntid, 32, 0},
    {"%ntid.y", Special::Ntid, 32, 1},
    {"%ntid.z", Special::Ntid, 32, 2},
    {"%ctaid.x", Special::Ctaid, 32, 0},
    {"%ctaid.y", Special::Ctaid, 32, 1},
    {"%ctaid.z", Special::Ctaid, 32, 2},
    {"%nctaid.x", Special::Nctaid, 32, 0},
    {"%nctaid.y", Special::Nctaid, 32, 1},
    {"%nctaid.z", Special::Nctaid, 32, 2},
    {"%clusterid.x", Special::Ctaid, 32, 0},
    {"%clusterid.y", Special::Ctaid, 32, 1},
    {"%clusterid.z", Special::Ctaid, 32, 2},
    {"%nclusterid.x", Special::Nctaid, 32, 0},
    {"%nclusterid.y", Special::Nctaid, 32, 1},
    {"%nclusterid.z", Special::Nctaid, 32, 2},
    {"%cluster_ctaid.x", Special::Immediate, 32, 0},
    {"%cluster_ctaid.y", Special::Immediate, 32, 0},
    {"%cluster_ctaid.z", Special::Immediate, 32, 0},
    {"%cluster_nctaid.x", Special::Immediate, 32, 1},
    {"%cluster_nctaid.y", Special::Immediate, 32, 1},
    {"%cluster_nctaid.z", Special::Immediate, 32, 1},
    {"%cluster_ctarank", Special::Immediate, 32, 0},
    {"%cluster_nctarank", Special::Immediate, 32, 1},
    {"%laneid", Special::Laneid, 32, 0},
    {"%warpid", Special::Warpid, 32, 0},
    {"%nwarpid", Special::Nwarpid, 32, 0},
    {"%smid", Special::Smid, 32, 0},
    {"%nsmid", Special::Nsmid, 32, 0},
    {"%gridid", Special::Gridid, 64, 0},
    {"%lanemask_eq", Special::LanemaskEq, 32, 0},
    {"%lanemask_le", Special::LanemaskLe, 32, 0},
    {"%lanemask_lt", Special::LanemaskLt, 32, 0},
    {"%lanemask_ge", Special::LanemaskGe, 32, 0},
    {"%lanemask_gt", Special::LanemaskGt, 32, 0},
    {"%dynamic_smem_size", Special::DynamicSharedSize, 32, 0},
    {"%total_smem_size", Special::TotalSharedSize, 32, 0},
    {"WARP_SZ", Special::Immediate, 32, 32},
};

} // namespace

const SpecialRegister *ptx::findSpecialRegister(std::string_view name) {
  for (const SpecialRegister &known : registers)
    if (known.name == name)
      return &known;
  return nullptr;
}
