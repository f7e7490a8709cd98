//===- ArtifactWriter.cpp - The exec dialect as a file --------------------===//

#include "graph/Artifact/ArtifactWriter.h"
#include "ConstantData.h"
#include "LocationTable.h"
#include "graph/Dialect/Exec/IR/ExecOps.h"

#include "graphrt/artifact/Container.h"
#include "graphrt/artifact/Validate.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graph;
namespace fb = graphrt::fb;

static fb::ElementType getElementType(Type type) {
  return TypeSwitch<Type, fb::ElementType>(type)
      .Case([](Float64Type) { return fb::ElementType::f64; })
      .Case([](Float32Type) { return fb::ElementType::f32; })
      .Case([](BFloat16Type) { return fb::ElementType::bf16; })
      .Case([](Float16Type) { return fb::ElementType::f16; })
      .Case([](IntegerType integer) {
        switch (integer.getWidth()) {
        case 1:
          return fb::ElementType::i1;
        case 8:
          return fb::ElementType::i8;
        case 16:
          return fb::ElementType::i16;
        case 32:
          return fb::ElementType::i32;
        default:
          return fb::ElementType::i64;
        }
      });
}

static std::unique_ptr<fb::NamedTensorT> getNamedTensor(StringRef name,
                                                        RankedTensorType type) {
  auto tensor = std::make_unique<fb::NamedTensorT>();
  tensor->name = name.str();
  tensor->type = std::make_unique<fb::TensorTypeT>();
  tensor->type->element_type = getElementType(type.getElementType());
  tensor->type->shape.assign(type.getShape().begin(), type.getShape().end());
  return tensor;
}

namespace {

/// Translates one module. Symbols become indices in the order of the module.
class ProgramWriter {
public:
  explicit ProgramWriter(ModuleOp module) : module(module) {}

  LogicalResult write(const ArtifactContents &contents);

  fb::ProgramT program;
  std::string constants;

private:
  LogicalResult writeConstant(exec::ConstantOp constant);
  void writeKernels(Operation *kernels);
  LogicalResult writeFunction(exec::FuncOp function);
  LogicalResult writeCommand(exec::CommandOpInterface command,
                             fb::FunctionT &result);
  LogicalResult locate(Operation *memory);
  fb::DispatchT getDispatch(SymbolRefAttr kernel, int64_t workgroups,
                            ValueRange ins, ValueRange outs);
  fb::GemmT getGemm(exec::GemmOp gemm);
  std::unique_ptr<fb::MatrixT> getMatrix(Value buffer,
                                         ArrayRef<int64_t> strides);

  ModuleOp module;
  DenseMap<StringAttr, uint32_t> states, kernels;
  DenseMap<StringAttr, uint64_t> constantOffsets;
  /// Where the values of the current function lie.
  DenseMap<Value, fb::Buffer> buffers;
  LocationTable locations;
};

} // namespace

LogicalResult ProgramWriter::write(const ArtifactContents &contents) {
  program.producer = "graph-compile 0.1.0";
  program.target = contents.target;
  program.architecture = contents.architecture;
  program.cpu_features = contents.cpuFeatures;
  for (auto state : module.getOps<exec::StateOp>()) {
    states[state.getSymNameAttr()] = program.states.size();
    program.states.push_back(getNamedTensor(state.getName(), state.getType()));
  }
  for (auto constant : module.getOps<exec::ConstantOp>())
    if (failed(writeConstant(constant)))
      return failure();
  if (Operation *nested = exec::getKernels(module))
    writeKernels(nested);
  for (auto function : module.getOps<exec::FuncOp>())
    if (failed(writeFunction(function)))
      return failure();
  program.locations = locations.takeTexts();
  return success();
}

LogicalResult ProgramWriter::writeConstant(exec::ConstantOp constant) {
  constants.resize(llvm::alignTo(constants.size(), exec::kBufferAlignment));
  constantOffsets[constant.getSymNameAttr()] = constants.size();
  if (failed(appendElements(constant.getValue(), constants)))
    return constant.emitError("found a constant without data; was the IR "
                              "printed with elided elements?");
  return success();
}

static std::unique_ptr<fb::TensorMapT> getTensorMap(exec::TensorMapAttr map) {
  auto result = std::make_unique<fb::TensorMapT>();
  result->buffer = map.getBuffer();
  result->offset = map.getOffset();
  result->element_type = getElementType(map.getElementType());
  llvm::append_range(result->sizes, map.getSizes().asArrayRef());
  llvm::append_range(result->strides, map.getStrides().asArrayRef());
  llvm::append_range(result->box, map.getBox().asArrayRef());
  constexpr int64_t kChunkBytes = 16;
  result->swizzle = map.getSwizzle() == 0
                        ? fb::Swizzle::none
                        : static_cast<fb::Swizzle>(
                              llvm::Log2_64(map.getSwizzle() / kChunkBytes));
  return result;
}

void ProgramWriter::writeKernels(Operation *nested) {
  for (auto kernel : nested->getRegion(0).getOps<FunctionOpInterface>()) {
    kernels[kernel.getNameAttr()] = program.kernels.size();
    auto entry = std::make_unique<fb::KernelT>();
    entry->symbol = kernel.getName().str();
    entry->buffers =
        llvm::count_if(kernel.getArgumentTypes(), llvm::IsaPred<MemRefType>);
    if (auto gpuKernel = dyn_cast<gpu::GPUFuncOp>(*kernel))
      entry->threads = llvm::product_of(*gpuKernel.getKnownBlockSize());
    if (auto bytes = kernel->getAttrOfType<IntegerAttr>(exec::kSharedBytesAttr))
      entry->shared_bytes = bytes.getInt();
    for (Attribute map : exec::getTensorMaps(kernel))
      entry->tensor_maps.push_back(
          getTensorMap(cast<exec::TensorMapAttr>(map)));
    program.kernels.push_back(std::move(entry));
  }
}

LogicalResult ProgramWriter::writeFunction(exec::FuncOp function) {
  exec::PlanAttr plan = function.getPlanAttr();
  if (!plan)
    return function.emitError(
        "found a function without a memory plan; run --exec-plan-memory");
  auto result = std::make_unique<fb::FunctionT>();
  result->name = function.getSymName().str();
  auto addTensors = [](auto &tensors, ArrayAttr names, ArrayAttr types) {
    for (auto [name, type] : llvm::zip_equal(names, types))
      tensors.push_back(getNamedTensor(
          cast<StringAttr>(name).getValue(),
          cast<RankedTensorType>(cast<TypeAttr>(type).getValue())));
  };
  addTensors(result->inputs, function.getInputNames(),
             function.getInputTypes());
  addTensors(result->outputs, function.getOutputNames(),
             function.getOutputTypes());
  result->arena_size = plan.getArena();
  result->max_live = plan.getMaxLive();
  result->lower_bound = plan.getLowerBound();

  buffers.clear();
  for (Operation &op : function.getBody().front()) {
    auto command = dyn_cast<exec::CommandOpInterface>(op);
    if (failed(command ? writeCommand(command, *result) : locate(&op)))
      return failure();
  }
  program.functions.push_back(std::move(result));
  return success();
}

/// Records where the result of an operation on memory lies.
LogicalResult ProgramWriter::locate(Operation *memory) {
  auto function = cast<exec::FuncOp>(memory->getParentOp());
  auto indexOf = [](ArrayAttr names, StringAttr name) -> uint32_t {
    return llvm::find(names, name) - names.begin();
  };
  Value value = memory->getResult(0);
  uint64_t size = cast<exec::BufferType>(value.getType()).getSize();
  using Found = FailureOr<fb::Buffer>;
  Found buffer =
      TypeSwitch<Operation *, Found>(memory)
          .Case([&](exec::InputOp op) {
            return fb::Buffer(
                fb::Space::input,
                indexOf(function.getInputNames(), op.getNameAttr()), 0, size);
          })
          .Case([&](exec::OutputOp op) {
            return fb::Buffer(
                fb::Space::output,
                indexOf(function.getOutputNames(), op.getNameAttr()), 0, size);
          })
          .Case([&](exec::StateRefOp op) {
            return fb::Buffer(fb::Space::state,
                              states.lookup(op.getStateAttr().getAttr()), 0,
                              size);
          })
          .Case([&](exec::ConstantRefOp op) {
            return fb::Buffer(
                fb::Space::constant, 0,
                constantOffsets.lookup(op.getConstantAttr().getAttr()), size);
          })
          .Case([&](exec::ArenaOp op) {
            return fb::Buffer(fb::Space::arena, 0, op.getOffset(), size);
          })
          .Case([&](exec::ViewOp op) {
            fb::Buffer source = buffers.at(op.getSource());
            return fb::Buffer(source.space(), source.index(),
                              source.offset() + op.getOffset(), size);
          })
          .Default([](Operation *op) {
            return op->emitError("found memory without a place");
          });
  if (failed(buffer))
    return failure();
  buffers[value] = *buffer;
  return success();
}

LogicalResult ProgramWriter::writeCommand(exec::CommandOpInterface command,
                                          fb::FunctionT &result) {
  auto step = std::make_unique<fb::StepT>();
  step->location = locations.getIndex(command->getLoc());
  TypeSwitch<Operation *>(command)
      .Case([&](exec::DispatchOp op) {
        step->command.Set(getDispatch(op.getKernelAttr(), op.getWorkgroups(),
                                      op.getIns(), op.getOuts()));
      })
      .Case([&](exec::GemmOp op) { step->command.Set(getGemm(op)); })
      .Case([&](exec::CopyOp op) {
        fb::CopyT copy;
        copy.source = std::make_unique<fb::Buffer>(buffers.at(op.getSource()));
        copy.destination =
            std::make_unique<fb::Buffer>(buffers.at(op.getDestination()));
        step->command.Set(std::move(copy));
      });
  result.steps.push_back(std::move(step));

  // A state must hold a value before the call if this function reads it before
  // it writes it.
  auto stateOf = [&](Value value) -> std::optional<uint32_t> {
    fb::Buffer buffer = buffers.at(value);
    if (buffer.space() == fb::Space::state)
      return buffer.index();
    return std::nullopt;
  };
  for (Value read : command.getReads())
    if (auto state = stateOf(read);
        state && !llvm::is_contained(result.states_written, *state) &&
        !llvm::is_contained(result.states_read, *state))
      result.states_read.push_back(*state);
  for (Value written : command.getWrites())
    if (auto state = stateOf(written);
        state && !llvm::is_contained(result.states_written, *state))
      result.states_written.push_back(*state);
  return success();
}

fb::DispatchT ProgramWriter::getDispatch(SymbolRefAttr kernel,
                                         int64_t workgroups, ValueRange ins,
                                         ValueRange outs) {
  fb::DispatchT result;
  result.kernel = kernels.lookup(kernel.getLeafReference());
  result.workgroups = workgroups;
  for (Value operand : llvm::concat<Value>(ins, outs))
    result.buffers.push_back(buffers.at(operand));
  result.writes.assign(ins.size(), false);
  result.writes.resize(ins.size() + outs.size(), true);
  return result;
}

std::unique_ptr<fb::MatrixT>
ProgramWriter::getMatrix(Value buffer, ArrayRef<int64_t> strides) {
  auto matrix = std::make_unique<fb::MatrixT>();
  matrix->buffer = std::make_unique<fb::Buffer>(buffers.at(buffer));
  matrix->column_stride = strides.back();
  matrix->row_stride = strides.drop_back().back();
  ArrayRef<int64_t> batch = strides.drop_back(2);
  matrix->batch_strides.assign(batch.begin(), batch.end());
  return matrix;
}

static fb::Epilogue getEpilogue(exec::Epilogue epilogue) {
  switch (epilogue) {
  case exec::Epilogue::bias:
    return fb::Epilogue::bias;
  case exec::Epilogue::relu:
    return fb::Epilogue::relu;
  case exec::Epilogue::relu_bias:
    return fb::Epilogue::relu_bias;
  case exec::Epilogue::gelu:
    return fb::Epilogue::gelu;
  case exec::Epilogue::gelu_bias:
    return fb::Epilogue::gelu_bias;
  case exec::Epilogue::dgelu:
    return fb::Epilogue::dgelu;
  case exec::Epilogue::bgrad_a:
    return fb::Epilogue::bgrad_a;
  case exec::Epilogue::bgrad_b:
    return fb::Epilogue::bgrad_b;
  }
}

fb::GemmT ProgramWriter::getGemm(exec::GemmOp gemm) {
  fb::GemmT result;
  result.element_type = getElementType(gemm.getElementType());
  result.batch.assign(gemm.getBatch().begin(), gemm.getBatch().end());
  result.m = gemm.getM();
  result.n = gemm.getN();
  result.k = gemm.getK();
  result.a = getMatrix(gemm.getA(), gemm.getAStrides());
  result.b = getMatrix(gemm.getB(), gemm.getBStrides());
  result.c = getMatrix(gemm.getC(), gemm.getCStrides());
  if (gemm.getKernelAttr())
    result.kernel = std::make_unique<fb::DispatchT>(
        getDispatch(gemm.getKernelAttr(), *gemm.getWorkgroups(),
                    gemm.getKernelIns(), gemm.getWrites()));
  if (!gemm.getEpilogue())
    return result;
  result.epilogue = getEpilogue(*gemm.getEpilogue());
  auto getBuffer = [&](Value value) {
    return std::make_unique<fb::Buffer>(buffers.at(value));
  };
  bool readsMatrix = gemm.getEpilogue() == exec::Epilogue::dgelu;
  if (!gemm.getExtraIns().empty() && !readsMatrix)
    result.bias = getBuffer(gemm.getExtraIns()[0]);
  if (readsMatrix)
    result.auxiliary = getBuffer(gemm.getExtraIns()[0]);
  bool writesSums = gemm.getEpilogue() == exec::Epilogue::bgrad_a ||
                    gemm.getEpilogue() == exec::Epilogue::bgrad_b;
  if (!gemm.getExtraOuts().empty())
    (writesSums ? result.bias : result.auxiliary) =
        getBuffer(gemm.getExtraOuts()[0]);
  if (result.auxiliary)
    result.auxiliary_stride = gemm.getN();
  return result;
}

FailureOr<std::string> graph::writeArtifact(ModuleOp module,
                                            const ArtifactContents &contents) {
  ProgramWriter writer(module);
  if (failed(writer.write(contents)))
    return failure();
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::CreateProgram(builder, &writer.program));
  std::string_view program(
      reinterpret_cast<const char *>(builder.GetBufferPointer()),
      builder.GetSize());

  // The loader's own check: what fails here is a defect of the compiler.
  auto validated =
      graphrt::artifact::validateProgram(program, writer.constants.size());
  if (!validated)
    return module.emitError("the compiler made an invalid program: ")
           << validated.failure().message;

  using graphrt::artifact::SectionKind;
  SmallVector<graphrt::artifact::Section> sections = {
      {SectionKind::Program, program},
      {SectionKind::Code, contents.code},
      {SectionKind::Cubin, contents.cubin},
      {SectionKind::Constants, writer.constants},
      {SectionKind::Source, contents.source},
  };
  llvm::erase_if(sections, [](const graphrt::artifact::Section &section) {
    return section.bytes.empty();
  });
  return graphrt::artifact::serialize({sections.data(), sections.size()});
}
