//===- KernelBenchmark.cpp - Bandwidth of compiled kernels ----------------===//
//
// Prints, for kernels of a training step, the bytes per second that one thread
// reads and writes, beside memcpy's.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include "graph/Reference/RandomInputs.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

using namespace mlir;
using namespace graph;
using namespace graph::test;

/// Seconds of the fastest of several calls.
template <typename Fn> static double measure(Fn fn) {
  constexpr int kTries = 15;
  double best = 1e9;
  for (int i = 0; i < kTries; ++i) {
    auto start = std::chrono::steady_clock::now();
    fn();
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

struct Case {
  const char *name;
  const char *source;
};

static constexpr Case kCases[] = {
    {"gelu_tanh", R"(
func.func @f(%x: tensor<2048x512xf32>) -> tensor<2048x512xf32> {
  %0 = graph.gelu tanh, %x : tensor<2048x512xf32>
  return %0 : tensor<2048x512xf32>
})"},
    {"gelu_erf", R"(
func.func @f(%x: tensor<2048x512xf32>) -> tensor<2048x512xf32> {
  %0 = graph.gelu erf, %x : tensor<2048x512xf32>
  return %0 : tensor<2048x512xf32>
})"},
    {"bias_residual", R"(
func.func @f(%x: tensor<2048x512xf32>, %y: tensor<2048x512xf32>, %b: tensor<512xf32>) -> tensor<2048x512xf32> {
  %0 = graph.broadcast %b dims = [1] : tensor<512xf32> to tensor<2048x512xf32>
  %1 = graph.add %x, %0 : tensor<2048x512xf32>
  %2 = graph.add %1, %y : tensor<2048x512xf32>
  return %2 : tensor<2048x512xf32>
})"},
    {"softmax_128", R"(
func.func @f(%x: tensor<8192x128xf32>) -> tensor<8192x128xf32> {
  %0 = graph.softmax %x dim = 1 : tensor<8192x128xf32>
  return %0 : tensor<8192x128xf32>
})"},
    {"softmax_1024", R"(
func.func @f(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = graph.softmax %x dim = 1 : tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
})"},
    {"layer_norm", R"(
func.func @f(%x: tensor<2048x512xf32>, %s: tensor<512xf32>, %b: tensor<512xf32>) -> tensor<2048x512xf32> {
  %0 = graph.layer_norm %x, %s, %b epsilon = 1.0e-5 : tensor<2048x512xf32>, tensor<512xf32>
  return %0 : tensor<2048x512xf32>
})"},
    {"column_sum", R"(
func.func @f(%x: tensor<2048x512xf32>) -> tensor<512xf32> {
  %0 = graph.reduce sum, %x dims = [0] : tensor<2048x512xf32> to tensor<512xf32>
  return %0 : tensor<512xf32>
})"},
    {"transpose", R"(
func.func @f(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = graph.transpose %x perm = [1, 0] : tensor<1024x1024xf32> to tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
})"},
    {"heads", R"(
func.func @f(%x: tensor<16x128x4x32xf32>) -> tensor<16x4x128x32xf32> {
  %0 = graph.transpose %x perm = [0, 2, 1, 3] : tensor<16x128x4x32xf32> to tensor<16x4x128x32xf32>
  return %0 : tensor<16x4x128x32xf32>
})"},
    {"adam", R"(
func.func @f(%p: tensor<1048576xf32>, %g: tensor<1048576xf32>, %m: tensor<1048576xf32>, %v: tensor<1048576xf32>)
    -> (tensor<1048576xf32>, tensor<1048576xf32>, tensor<1048576xf32>) {
  %b1 = graph.constant dense<0.9> : tensor<1048576xf32>
  %b2 = graph.constant dense<0.99> : tensor<1048576xf32>
  %c1 = graph.constant dense<0.1> : tensor<1048576xf32>
  %c2 = graph.constant dense<0.01> : tensor<1048576xf32>
  %lr = graph.constant dense<0.001> : tensor<1048576xf32>
  %e = graph.constant dense<1.0e-8> : tensor<1048576xf32>
  %0 = graph.mul %m, %b1 : tensor<1048576xf32>
  %1 = graph.mul %g, %c1 : tensor<1048576xf32>
  %m2 = graph.add %0, %1 : tensor<1048576xf32>
  %2 = graph.mul %v, %b2 : tensor<1048576xf32>
  %3 = graph.mul %g, %g : tensor<1048576xf32>
  %4 = graph.mul %3, %c2 : tensor<1048576xf32>
  %v2 = graph.add %2, %4 : tensor<1048576xf32>
  %5 = graph.sqrt %v2 : tensor<1048576xf32>
  %6 = graph.add %5, %e : tensor<1048576xf32>
  %7 = graph.div %m2, %6 : tensor<1048576xf32>
  %8 = graph.mul %7, %lr : tensor<1048576xf32>
  %p2 = graph.sub %p, %8 : tensor<1048576xf32>
  return %p2, %m2, %v2 : tensor<1048576xf32>, tensor<1048576xf32>, tensor<1048576xf32>
})"},
    {"softmax_bf16", R"(
func.func @f(%x: tensor<8192x128xbf16>) -> tensor<8192x128xbf16> {
  %0 = graph.softmax %x dim = 1 : tensor<8192x128xbf16>
  return %0 : tensor<8192x128xbf16>
})"},
    {"embedding_grad", R"(
func.func @f(%t: tensor<256x128xf32>, %i: tensor<2048xi32>, %u: tensor<2048x128xf32>) -> tensor<256x128xf32> {
  %0 = graph.scatter_add fill %t[%i], %u : tensor<256x128xf32>[tensor<2048xi32>], tensor<2048x128xf32> to tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
})"},
};

int main(int argc, char **argv) {
  MLIRContext context;
  registerAll(context);
  constexpr size_t kBytes = 1 << 22;
  std::vector<char> from(kBytes, 1), to(kBytes);
  double copy = measure([&] { std::memcpy(to.data(), from.data(), kBytes); });
  std::printf("%-16s %8.1f us %6.1f GB/s\n", "memcpy", copy * 1e6,
              2 * kBytes / copy * 1e-9);
  for (const Case &test : kCases) {
    if (argc > 1 && std::string(argv[1]) != test.name)
      continue;
    auto kernel = CompiledKernel::create(context, test.source);
    if (!kernel)
      return 1;
    std::vector<std::vector<float>> storage;
    std::vector<void *> buffers;
    auto add = [&](Type type, bool isIndex) {
      int64_t count = cast<RankedTensorType>(type).getNumElements();
      std::vector<float> &data = storage.emplace_back(count * 2);
      for (int64_t i = 0; i < count; ++i)
        data[i] = isIndex ? 0 : 0.001f * (i % 1000);
      buffers.push_back(data.data());
    };
    for (Type type : kernel->getFunction().getArgumentTypes())
      add(type, getElementTypeOrSelf(type).isInteger());
    for (Type type : kernel->getFunction().getResultTypes())
      add(type, false);
    double time = measure([&] { kernel->run(buffers); });
    const KernelCost &cost = kernel->getPlan().cost;
    std::printf("%-16s %8.1f us %6.1f GB/s %6.1f Gop/s %4ld workgroups\n",
                test.name, time * 1e6,
                (cost.bytesRead + cost.bytesWritten) / time * 1e-9,
                cost.flops / time * 1e-9, (long)kernel->getNumWorkgroups());
  }
  return 0;
}
