//===- Session.h - A program on a device ------------------------*- C++ -*-===//

#ifndef GRAPHRT_API_SESSION_H
#define GRAPHRT_API_SESSION_H

#include "Device.h"
#include "Program.h"
#include "Tensor.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace graphrt::rt {

class Session {
public:
  /// Throws std::bad_alloc and std::system_error.
  static Expected<std::unique_ptr<Session>>
  create(std::shared_ptr<const Program> program, const DeviceOptions &options);

  const Program &getProgram() const { return *program; }
  const Device &getDevice() const { return *device; }

  /// Runs a function. Outputs without memory are given some. Nothing changes if
  /// the arguments do not fit.
  Status call(uint32_t function, std::span<const Tensor *const> inputs,
              std::span<Tensor> outputs);

  /// Told of every command of later calls; empty for none.
  using Observer = std::function<void(uint32_t function, uint32_t step,
                                      uint64_t begin, uint64_t end)>;
  void setObserver(Observer newObserver) { observer = std::move(newObserver); }

  bool isInitialized(uint32_t state) const { return written[state]; }
  Expected<Tensor> getState(std::string_view name) const;
  Status setState(std::string_view name, const Tensor &tensor);

  Status save(const std::string &path) const;
  Status load(const std::string &path);

  /// What checkpoints carry beside the states.
  std::map<std::string, std::string> metadata;

private:
  Session(std::shared_ptr<const Program> program,
          std::unique_ptr<Device> device);

  Status checkStates(const fb::Function &function) const;

  std::shared_ptr<const Program> program;
  std::unique_ptr<Device> device;
  /// Per state, whether it has a value.
  std::vector<bool> written;
  Observer observer;
};

} // namespace graphrt::rt

#endif // GRAPHRT_API_SESSION_H
