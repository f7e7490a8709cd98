//===- DlpackLayout.h - The structures of DLPack 1.x ------------*- C++ -*-===//
//
// DLPack is a binary interface: these are its declarations, under its names,
// for builds without its header.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_API_DLPACKLAYOUT_H
#define GRAPHRT_API_DLPACKLAYOUT_H

#include <cstdint>

struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
};

enum DLDeviceType : int32_t { kDLCPU = 1 };

struct DLDevice {
  DLDeviceType device_type;
  int32_t device_id;
};

enum DLDataTypeCode : uint8_t {
  kDLInt = 0,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6
};

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
};

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
};

/// A bit of DLManagedTensorVersioned::flags.
inline constexpr uint64_t dlpackReadOnly = 1;

#endif // GRAPHRT_API_DLPACKLAYOUT_H
