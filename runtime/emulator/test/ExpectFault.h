//===- ExpectFault.h - Checks of what a fault says --------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_TEST_EXPECTFAULT_H
#define GRAPHRT_EMULATOR_TEST_EXPECTFAULT_H

#include "Machine.h"

#include <regex>

namespace graphrt::test {

/// The message must name the kernel `k`, a block, a thread, and a line of the
/// text together with what stands there.
inline void expectPlace(const std::string &message, const std::string &text) {
  static const std::regex place(
      "in kernel 'k', block \\(\\d+, \\d+, \\d+\\), thread "
      "\\(\\d+, \\d+, \\d+\\).* line (\\d+): (.*)");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(message, match, place)) << message;
  auto module = ptx::Module::parse(text);
  ASSERT_TRUE(module);
  std::string named = match[2];
  EXPECT_EQ((*module)->line(std::stoul(match[1])),
            named.substr(0, named.find("; warp ")))
      << message;
}

/// The launch must fail at a place that its message names, with each of the
/// texts in it.
inline void expectFault(Machine &machine, const std::string &text,
                        const std::vector<uint64_t> &arguments, uint32_t blocks,
                        uint32_t threads, const std::vector<std::string> &parts,
                        uint32_t sharedBytes = 0) {
  auto result = machine.run(text, arguments, {blocks, 1, 1}, {threads, 1, 1},
                            sharedBytes);
  ASSERT_FALSE(result) << "the fault was not noticed";
  const std::string &message = result.failure().message;
  expectPlace(message, text);
  for (const std::string &part : parts)
    EXPECT_NE(message.find(part), std::string::npos)
        << "found '" << message << "', expected '" << part << "' in it";
}

/// One 4-byte store by each thread at offset %t * 4.
inline const std::string storeEach = "mad.wide.u32 %rd1, %t, 4, %p0;\n"
                                     "st.global.u32 [%rd1], %t;";

} // namespace graphrt::test

#endif // GRAPHRT_EMULATOR_TEST_EXPECTFAULT_H
