//===- PlanMemoryTest.cpp - Planned programs compute the same -------------===//
//
// Random programs are interpreted before and after --exec-plan-memory. Memory
// holds symbolic values: a command's results are hashes of its number and of
// what it read, so that a single wrong byte range shows in the outputs.
//
//===----------------------------------------------------------------------===//

#include "graph/Dialect/Exec/IR/ExecOps.h"
#include "graph/Dialect/Exec/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace mlir;
using namespace exec;

namespace {

/// All sizes and offsets are multiples of it.
constexpr int64_t granule = 64;

/// Some granules of some memory.
struct Place {
  std::string space;
  int64_t begin, end;

  bool overlaps(const Place &other) const {
    return space == other.space && begin < other.end && other.begin < end;
  }
  bool operator==(const Place &other) const = default;
};

using Contents = std::map<std::pair<std::string, int64_t>, size_t>;

/// Runs functions on symbolic values.
class Simulator {
public:
  /// What outputs and states hold at the end.
  Contents run(FuncOp function) {
    for (Operation &op : function.getBody().front())
      if (auto command = dyn_cast<CommandOpInterface>(op))
        execute(command);
    Contents visible;
    for (auto &[key, value] : contents)
      if (key.first[0] == 'o' || key.first[0] == 's')
        visible[key] = value;
    return visible;
  }

private:
  Place getPlace(Value value) {
    int64_t size = cast<BufferType>(value.getType()).getSize() / granule;
    Operation *op = value.getDefiningOp();
    if (auto input = dyn_cast<InputOp>(op))
      return {"i" + input.getName().str(), 0, size};
    if (auto output = dyn_cast<OutputOp>(op))
      return {"o" + output.getName().str(), 0, size};
    if (auto state = dyn_cast<StateRefOp>(op))
      return {"s" + state.getState().str(), 0, size};
    if (auto arena = dyn_cast<ArenaOp>(op)) {
      int64_t begin = static_cast<int64_t>(arena.getOffset()) / granule;
      return {"arena", begin, begin + size};
    }
    return {"alloc" + std::to_string(reinterpret_cast<uintptr_t>(op)), 0, size};
  }

  size_t read(const Place &place) {
    size_t hash = 0;
    for (int64_t i = place.begin; i < place.end; ++i) {
      std::pair<std::string, int64_t> key(place.space, i);
      // What nobody has written holds a value of its own.
      auto found = contents.try_emplace(
          key, llvm::hash_combine(place.space, i, "initial"));
      hash = llvm::hash_combine(hash, found.first->second);
    }
    return hash;
  }

  void execute(CommandOpInterface command) {
    if (isa<CopyOp>(command)) {
      Place source = getPlace(command->getOperand(0));
      Place destination = getPlace(command->getOperand(1));
      EXPECT_FALSE(source.overlaps(destination));
      for (int64_t i = 0; i < source.end - source.begin; ++i) {
        Place part{source.space, source.begin + i, source.begin + i + 1};
        read(part);
        contents[{destination.space, destination.begin + i}] =
            contents.at({source.space, source.begin + i});
      }
      return;
    }
    size_t hash = cast<DispatchOp>(command).getWorkgroups();
    for (auto [r, operand] : llvm::enumerate(command.getReads())) {
      Place place = getPlace(operand);
      size_t value = read(place);
      // What is overwritten while it is still needed is lost.
      for (auto [w, result] : llvm::enumerate(command.getWrites())) {
        Place written = getPlace(result);
        if (place.overlaps(written) &&
            !(place == written && command.canWriteInPlace(w, r)))
          value = 666;
      }
      hash = llvm::hash_combine(hash, value);
    }
    for (auto [w, result] : llvm::enumerate(command.getWrites())) {
      Place place = getPlace(result);
      for (int64_t i = place.begin; i < place.end; ++i)
        contents[{place.space, i}] =
            llvm::hash_combine(hash, w, i - place.begin);
    }
  }

  Contents contents;
};

/// Writes a random program of the form that --convert-graph-to-exec makes.
class ProgramGenerator {
public:
  ProgramGenerator(MLIRContext &context, unsigned seed)
      : builder(&context), random(seed),
        module(ModuleOp::create(builder.getUnknownLoc())) {}

  OwningOpRef<ModuleOp> generate() {
    createFunction();
    unsigned count = 3 + random() % 25;
    for (unsigned i = 0; i < count; ++i)
      createDispatch(i + 1);
    createResults();
    return std::move(module);
  }

private:
  static constexpr unsigned numInputs = 3, numOutputs = 4, numStates = 4;

  RankedTensorType getTensor(unsigned index) {
    return RankedTensorType::get({(1 + index % 3) * granule},
                                 builder.getI8Type());
  }
  BufferType getBuffer(ShapedType type) {
    return BufferType::get(builder.getContext(), getByteSize(type));
  }

  void createFunction() {
    Location loc = builder.getUnknownLoc();
    builder.setInsertionPointToEnd(module->getBody());
    SmallVector<Attribute> inputNames, inputTypes, outputNames, outputTypes;
    for (unsigned i = 0; i < numInputs; ++i) {
      inputNames.push_back(builder.getStringAttr("x" + Twine(i)));
      inputTypes.push_back(TypeAttr::get(getTensor(i)));
    }
    for (unsigned i = 0; i < numOutputs; ++i) {
      outputNames.push_back(builder.getStringAttr("y" + Twine(i)));
      outputTypes.push_back(TypeAttr::get(getTensor(i)));
    }
    for (unsigned i = 0; i < numStates; ++i) {
      StringAttr name = builder.getStringAttr("w" + Twine(i));
      StateOp::create(builder, loc, name, name, TypeAttr::get(getTensor(i)));
    }
    function = FuncOp::create(builder, loc, builder.getStringAttr("f"),
                              builder.getArrayAttr(inputNames),
                              builder.getArrayAttr(inputTypes),
                              builder.getArrayAttr(outputNames),
                              builder.getArrayAttr(outputTypes), PlanAttr());
    kernels = ModuleOp::create(builder, loc, "kernels");
    builder.setInsertionPointToStart(&function.getBody().emplaceBlock());
    for (unsigned i = 0; i < numInputs; ++i)
      values.push_back(InputOp::create(builder, loc, getBuffer(getTensor(i)),
                                       ("x" + Twine(i)).str()));
    for (unsigned i = 0; i < numStates; ++i) {
      states.push_back(StateRefOp::create(builder, loc, getBuffer(getTensor(i)),
                                          ("w" + Twine(i)).str()));
      values.push_back(states.back());
    }
    for (unsigned i = 0; i < numOutputs; ++i)
      outputs.push_back(OutputOp::create(builder, loc, getBuffer(getTensor(i)),
                                         ("y" + Twine(i)).str()));
  }

  /// A kernel with parameters of the operands' sizes.
  SymbolRefAttr getKernel(ValueRange operands) {
    std::string name = "k";
    SmallVector<Type> types;
    for (Value operand : operands) {
      int64_t size = cast<BufferType>(operand.getType()).getSize();
      name += "_" + std::to_string(size);
      types.push_back(MemRefType::get({size}, builder.getI8Type()));
    }
    types.push_back(builder.getIndexType());
    if (kernelNames.insert(name).second) {
      OpBuilder inner(kernels.getBodyRegion());
      auto kernel = func::FuncOp::create(inner, builder.getUnknownLoc(), name,
                                         builder.getFunctionType(types, {}));
      kernel.setPrivate();
    }
    return SymbolRefAttr::get(
        builder.getContext(), "kernels",
        {FlatSymbolRefAttr::get(builder.getContext(), name)});
  }

  void createDispatch(unsigned number) {
    Location loc = builder.getUnknownLoc();
    SmallVector<Value> ins, outs;
    for (unsigned i = 0, e = 1 + random() % 3; i < e; ++i)
      ins.push_back(values[random() % values.size()]);
    for (unsigned i = 0, e = 1 + random() % 2; i < e; ++i)
      outs.push_back(
          AllocOp::create(builder, loc, getBuffer(getTensor(random() % 3))));
    SmallVector<Attribute> inPlace;
    for (Value out : outs) {
      SmallVector<int64_t> reads;
      for (auto [r, in] : llvm::enumerate(ins))
        if (in.getType() == out.getType() && random() % 3)
          reads.push_back(r);
      inPlace.push_back(builder.getI64ArrayAttr(reads));
    }
    SmallVector<Value> operands(ins);
    operands.append(outs);
    DispatchOp::create(builder, loc, getKernel(operands), number, ins, outs,
                       builder.getArrayAttr(inPlace));
    values.append(outs);
  }

  void createResults() {
    Location loc = builder.getUnknownLoc();
    auto pick = [&](Type type, bool mayBeState) -> Value {
      SmallVector<Value> candidates;
      for (Value value : values)
        if (value.getType() == type &&
            (mayBeState || !value.getDefiningOp<StateRefOp>()))
          candidates.push_back(value);
      return candidates[random() % candidates.size()];
    };
    for (Value output : outputs)
      CopyOp::create(builder, loc, pick(output.getType(), true), output);
    for (Value state : states)
      if (random() % 4)
        CopyOp::create(builder, loc, pick(state.getType(), false), state);
  }

  OpBuilder builder;
  std::mt19937 random;
  OwningOpRef<ModuleOp> module;
  ModuleOp kernels;
  FuncOp function;
  SmallVector<Value> values, states, outputs;
  llvm::StringSet<> kernelNames;
};

TEST(PlanMemory, RandomProgramsComputeTheSame) {
  MLIRContext context;
  context.loadDialect<ExecDialect, func::FuncDialect>();
  int64_t arena = 0, maxLive = 0;
  unsigned numCopies = 0, numCopiesLeft = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    OwningOpRef<ModuleOp> module = ProgramGenerator(context, seed).generate();
    auto function = *module->getOps<FuncOp>().begin();
    auto countCopies = [&] {
      return llvm::count_if(function.getBody().getOps<CopyOp>(),
                            [](CopyOp) { return true; });
    };
    numCopies += countCopies();
    Contents expected = Simulator().run(function);

    PassManager pm(&context);
    pm.addNestedPass<FuncOp>(createExecPlanMemory());
    ASSERT_TRUE(succeeded(pm.run(*module))) << "seed " << seed;
    ASSERT_EQ(Simulator().run(function), expected) << "seed " << seed;

    PlanAttr plan = function.getPlanAttr();
    ASSERT_LE(plan.getLowerBound(), plan.getMaxLive());
    ASSERT_LE(plan.getMaxLive(), plan.getArena());
    arena += plan.getArena();
    maxLive += plan.getMaxLive();
    numCopiesLeft += countCopies();
  }
  EXPECT_LE(arena, maxLive * 1.04);
  EXPECT_LT(numCopiesLeft, numCopies / 2);
}

} // namespace
