//===- Machine.h - Runs PTX text in tests -----------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_TEST_MACHINE_H
#define GRAPHRT_EMULATOR_TEST_MACHINE_H

#include "exec/DeviceMemory.h"
#include "exec/Launch.h"
#include "ptx/Module.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace graphrt::test {

constexpr const char *header = ".version 8.0\n"
                               ".target sm_90a\n"
                               ".address_size 64\n";

/// A device with a little memory.
class Machine {
public:
  Machine() : memory(std::move(*exec::DeviceMemory::create(1 << 24))) {}

  template <typename T>
  uint64_t upload(const std::vector<T> &values) {
    uint64_t address = *memory->allocate(values.size() * sizeof(T));
    EXPECT_FALSE(
        memory->write(address, values.data(), values.size() * sizeof(T)));
    return address;
  }

  template <typename T>
  std::vector<T> download(uint64_t address, size_t count) {
    std::vector<T> values(count);
    EXPECT_FALSE(memory->read(values.data(), address, count * sizeof(T)));
    return values;
  }

  /// Decodes a text and launches its kernel `k` with 64-bit parameters.
  Expected<exec::Counters> run(const std::string &text,
                               const std::vector<uint64_t> &arguments,
                               std::array<uint32_t, 3> grid,
                               std::array<uint32_t, 3> block,
                               uint32_t sharedBytes = 0) {
    auto module = ptx::Module::parse(text);
    if (!module)
      return std::move(module.failure());
    const ptx::Kernel *kernel = (*module)->findKernel("k");
    if (!kernel)
      return Failure{ErrorCode::NotFound, "no kernel k"};
    std::vector<const void *> pointers;
    for (const uint64_t &argument : arguments)
      pointers.push_back(&argument);
    exec::LaunchConfig config{grid, block, sharedBytes, pointers};
    Expected<exec::Counters> result =
        exec::launch(*kernel, config, *memory, options);
    memory->unload(**module);
    return result;
  }

  std::unique_ptr<exec::DeviceMemory> memory;
  exec::Options options;
};

/// A kernel `k` with `parameters` 64-bit parameters p0, p1, ... already loaded
/// into %p0, %p1, ...; %t is tid.x.
inline std::string kernel(unsigned parameters, const std::string &body,
                          const std::string &declarations = "") {
  std::string text = std::string(header) + declarations + ".visible .entry k(";
  for (unsigned index = 0; index < parameters; ++index)
    text +=
        (index ? ", .param .u64 p" : ".param .u64 p") + std::to_string(index);
  text += ")\n{\n.reg .b64 %p<16>;\n.reg .b32 %t;\n.reg .b32 %r<64>;\n"
          ".reg .b64 %rd<64>;\n.reg .b16 %h<64>;\n.reg .pred %q<16>;\n"
          ".reg .f32 %f<64>;\nmov.u32 %t, %tid.x;\n";
  for (unsigned index = 0; index < parameters; ++index)
    text += "ld.param.u64 %p" + std::to_string(index) + ", [p" +
            std::to_string(index) + "];\n";
  return text + body + "\nret;\n}\n";
}

/// Runs `instructions` once per element: %a, %b, %c hold the elements of the
/// sources, and %d is the result; %x<8> and %y<8> are 32-bit and predicate
/// registers.
template <typename D, typename... S>
std::vector<D> evaluate(const std::string &instructions,
                        const std::vector<S> &...sources) {
  Machine machine;
  std::vector<uint64_t> arguments = {
      machine.upload(std::vector<D>(std::get<0>(std::tie(sources...)).size()))};
  size_t count = std::get<0>(std::tie(sources...)).size();
  std::string body = "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %t, %r1, 64, %t;\n"
                     "setp.ge.u32 %q1, %t, " +
                     std::to_string(count) + ";\n@%q1 ret;\n";
  auto address = [](unsigned index, unsigned bytes) {
    std::string n = std::to_string(index);
    return "mad.wide.u32 %p" + n + ", %t, " + std::to_string(bytes) + ", %p" +
           n + ";\n";
  };
  auto bits = [](unsigned bytes) {
    return std::to_string(bytes == 1 ? 16 : bytes * 8);
  };
  unsigned index = 0;
  auto load = [&](const auto &values) {
    constexpr unsigned bytes = sizeof(values[0]);
    arguments.push_back(machine.upload(values));
    std::string name(1, "abc"[index++]);
    body += ".reg .b" + bits(bytes) + " %" + name + ";\n" +
            address(index, bytes) + "ld.global.b" + std::to_string(bytes * 8) +
            " %" + name + ", [%p" + std::to_string(index) + "];\n";
  };
  (load(sources), ...);
  body += ".reg .b" + bits(sizeof(D)) +
          " %d;\n.reg .b32 %x<8>;\n"
          ".reg .pred %y<8>;\n" +
          instructions + "\n" + address(0, sizeof(D)) + "st.global.b" +
          std::to_string(sizeof(D) * 8) + " [%p0], %d;\n";
  auto result = machine.run(kernel(1 + sizeof...(S), body), arguments,
                            {uint32_t(count + 63) / 64, 1, 1}, {64, 1, 1});
  if (!result) {
    ADD_FAILURE() << instructions << ": " << result.failure().message;
    return std::vector<D>(count);
  }
  return machine.download<D>(arguments[0], count);
}

/// All pairs of elements, as two lists.
template <typename T>
std::pair<std::vector<T>, std::vector<T>> pairs(const std::vector<T> &values) {
  std::pair<std::vector<T>, std::vector<T>> result;
  for (T a : values)
    for (T b : values) {
      result.first.push_back(a);
      result.second.push_back(b);
    }
  return result;
}

template <typename T>
bool sameBits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Equal bits, or both NaN.
template <typename T>
void expectSame(T found, T expected, size_t index) {
  if (found != found && expected != expected)
    return;
  EXPECT_TRUE(sameBits(found, expected))
      << "element " << index << ": found " << +found << ", expected "
      << +expected;
}

template <typename D, typename A, typename F>
void checkUnary(const std::string &opcode, const std::vector<A> &a,
                F function) {
  SCOPED_TRACE(opcode);
  std::vector<D> found = evaluate<D>(opcode + " %d, %a;", a);
  for (size_t index = 0; index < a.size(); ++index)
    expectSame<D>(found[index], function(a[index]), index);
}

template <typename D, typename A, typename F>
void checkBinary(const std::string &opcode, const std::vector<A> &values,
                 F function) {
  SCOPED_TRACE(opcode);
  auto [a, b] = pairs(values);
  std::vector<D> found = evaluate<D>(opcode + " %d, %a, %b;", a, b);
  for (size_t index = 0; index < a.size(); ++index)
    expectSame<D>(found[index], function(a[index], b[index]), index);
}

} // namespace graphrt::test

#endif // GRAPHRT_EMULATOR_TEST_MACHINE_H
