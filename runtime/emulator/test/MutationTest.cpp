//===- MutationTest.cpp - Damaged PTX is an error or a kernel -------------===//
//
// Real kernels of the compiler with bytes changed, cut out, doubled or moved
// must be refused or run, whatever that does to the emulated memory; neither
// may crash or hang.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <fstream>
#include <random>
#include <sstream>

using namespace graphrt;
using namespace graphrt::test;

namespace {

std::string readFile(const std::string &name) {
  std::ifstream file(GRAPHRT_EMULATOR_TEST_DATA "/" + name);
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Changes a text in a few places.
class Mutator {
public:
  explicit Mutator(unsigned seed) : random(seed) {}

  std::string mutate(std::string text) {
    for (unsigned count = below(3) + 1; count != 0 && !text.empty(); --count)
      mutateOnce(text);
    return text;
  }

private:
  size_t below(size_t end) { return random() % end; }

  void mutateOnce(std::string &text) {
    size_t at = below(text.size());
    size_t length = std::min(below(24) + 1, text.size() - at);
    // Letters that mean something are likelier to get past the lexer.
    static const std::string_view letters =
        "0123456789.%$_,;:{}[]()<>+-!@|\"/*frdbuspxt \n\0\xff";
    switch (below(12)) {
    case 0:
      text[at] = letters[below(letters.size())];
      break;
    case 1:
      text[at] ^= char(1 << below(8));
      break;
    case 2:
      text.erase(at, length);
      break;
    case 3:
      text.insert(below(text.size()), text.substr(at, length));
      break;
    case 4:
      text.insert(at, length, letters[below(letters.size())]);
      break;
    case 5:
      if (below(8) == 0)
        text.resize(at);
      else
        std::swap(text[at], text[below(text.size())]);
      break;
    default:
      changeDigit(text, at);
      break;
    }
  }

  /// Another register, offset or constant: what is likeliest to be accepted.
  void changeDigit(std::string &text, size_t from) {
    size_t at = text.find_first_of("0123456789", from);
    if (at != text.npos)
      text[at] = char('0' + below(10));
  }

  std::mt19937_64 random;
};

/// Runs all kernels of a text on a little memory.
unsigned runAll(const std::string &text) {
  auto module = ptx::Module::parse(text);
  if (!module) {
    EXPECT_NE(module.failure().message, "");
    return 0;
  }
  Machine machine;
  machine.options.threads = 1;
  machine.options.maxWarpInstructions = 20000;
  for (const auto &kernel : (*module)->kernels) {
    uint64_t buffer = machine.upload(std::vector<float>(4096));
    // As long as the longest parameter may be.
    std::vector<uint64_t> argument(4096, buffer);
    std::vector<const void *> pointers(kernel->parameters.size(),
                                       argument.data());
    exec::LaunchConfig config{{2, 1, 1}, {64, 1, 1}, 16384, pointers};
    (void)exec::launch(*kernel, config, *machine.memory, machine.options);
  }
  machine.memory->unload(**module);
  return 1;
}

TEST(Mutation, DamagedKernels) {
  for (const char *name : {"row-reduction.ptx", "contraction.ptx"}) {
    std::string text = readFile(name);
    ASSERT_EQ(runAll(text), 1u) << name;
    unsigned accepted = 0, count = 400;
    for (unsigned seed = 0; seed < count; ++seed) {
      SCOPED_TRACE(seed);
      accepted += runAll(Mutator(seed).mutate(text));
    }
    // Both happen, or the test tests little.
    EXPECT_GT(accepted, count / 20) << name;
    EXPECT_LT(accepted, count) << name;
  }
}

TEST(Mutation, EveryPrefix) {
  std::string text = readFile("row-reduction.ptx");
  for (size_t length = 0; length < text.size(); length += 7)
    runAll(text.substr(0, length));
}

} // namespace
