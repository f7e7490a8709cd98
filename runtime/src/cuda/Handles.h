//===- Handles.h - Owned objects of the CUDA driver -------------*- C++ -*-===//

#ifndef GRAPHRT_CUDA_HANDLES_H
#define GRAPHRT_CUDA_HANDLES_H

#include "Driver.h"

#include <utility>

namespace graphrt::cuda {

/// An object of the driver, destroyed with its owner. The object's context is
/// current then. Errors of the destruction mean that the context is lost, and
/// the object with it.
template <typename T, CUresult (*Driver::*destroy)(T)>
class Handle {
public:
  Handle() = default;
  Handle(const Driver &driver, T object) : driver(&driver), object(object) {}
  Handle(Handle &&other) noexcept { swap(other); }
  Handle &operator=(Handle &&other) noexcept {
    Handle(std::move(other)).swap(*this);
    return *this;
  }
  ~Handle() {
    if (object)
      (driver->*destroy)(object);
  }

  T get() const { return object; }
  explicit operator bool() const { return object; }

private:
  void swap(Handle &other) noexcept {
    std::swap(driver, other.driver);
    std::swap(object, other.object);
  }

  const Driver *driver = nullptr;
  T object = nullptr;
};

using Stream = Handle<CUstream, &Driver::cuStreamDestroy>;
using Event = Handle<CUevent, &Driver::cuEventDestroy>;
using Module = Handle<CUmodule, &Driver::cuModuleUnload>;
using Graph = Handle<CUgraph, &Driver::cuGraphDestroy>;
using GraphExec = Handle<CUgraphExec, &Driver::cuGraphExecDestroy>;

/// A stream that does not synchronize with the legacy default stream.
Expected<Stream> createStream(const Driver &driver);

/// An event, with a time stamp if it is to be measured with.
Expected<Event> createEvent(const Driver &driver, bool isTimed);

} // namespace graphrt::cuda

#endif // GRAPHRT_CUDA_HANDLES_H
