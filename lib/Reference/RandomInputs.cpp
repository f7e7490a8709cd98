//===- RandomInputs.cpp - Reproducible inputs -----------------------------===//

#include "graph/Reference/RandomInputs.h"

#include "graph/Dialect/Graph/IR/GraphOps.h"
#include "graph/Support/Philox.h"

#include "llvm/Support/xxhash.h"
#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;
using namespace graph;

/// A normal number from two random words.
static double toNormal(uint32_t a, uint32_t b) {
  double u = std::ldexp(a + 1.0, -32), v = std::ldexp(b, -32);
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

static double getSpecialFloat(uint32_t word) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double values[] = {nan, inf, -inf, 0.0,  -0.0, 1,    -1,
                               2,   -2,  0.5,  -0.5, 1.5,  -1.5, 2.5};
  return values[word % std::size(values)];
}

static int64_t getSpecialInt(uint32_t word, unsigned width) {
  int64_t values[] = {llvm::minIntN(width), llvm::maxIntN(width), -1, 0, 1};
  return values[word % std::size(values)];
}

static int64_t toInt(uint32_t word, unsigned width,
                     const RandomInputOptions &options) {
  int64_t low = std::max(options.intLow, llvm::minIntN(width));
  int64_t high = width == 64
                     ? options.intHigh
                     : std::min(options.intHigh, llvm::maxIntN(width) + 1);
  return high > low ? low + int64_t(word % uint64_t(high - low)) : low;
}

ReferenceTensor graph::getRandomInput(RankedTensorType type, StringRef name,
                                      const RandomInputOptions &options) {
  ReferenceTensor tensor(type);
  uint64_t stream = llvm::xxh3_64bits(name);
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    philox::Counter words = philox::generate(i, stream, options.seed);
    bool isSpecial = options.specialValues && words[2] % 4 == 0;
    if (auto element = dyn_cast<FloatType>(type.getElementType()))
      tensor.floats()[i] =
          isSpecial ? getSpecialFloat(words[3])
                    : roundToType(element, toNormal(words[0], words[1]));
    else if (tensor.getWidth() == 1)
      tensor.ints()[i] = words[0] & 1;
    else
      tensor.ints()[i] = isSpecial
                             ? getSpecialInt(words[3], tensor.getWidth())
                             : toInt(words[0], tensor.getWidth(), options);
  }
  return tensor;
}

std::string graph::getArgumentName(func::FuncOp function, unsigned argument) {
  if (auto name = function.getArgAttrOfType<StringAttr>(argument, kNameAttr))
    return name.str();
  return ("arg" + Twine(argument)).str();
}

std::string graph::getResultName(func::FuncOp function, unsigned result) {
  if (auto name = function.getResultAttrOfType<StringAttr>(result, kNameAttr))
    return name.str();
  return ("result" + Twine(result)).str();
}

SmallVector<ReferenceTensor>
graph::getRandomInputs(func::FuncOp function,
                       const RandomInputOptions &options) {
  SmallVector<ReferenceTensor> inputs;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    inputs.push_back(getRandomInput(cast<RankedTensorType>(type),
                                    getArgumentName(function, i), options));
  return inputs;
}
