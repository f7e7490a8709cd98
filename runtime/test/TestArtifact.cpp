//===- TestArtifact.cpp - A small artifact for tests ----------------------===//

#include "TestArtifact.h"

#include "graphrt/support/AtomicFile.h"

using namespace graphrt;
using namespace graphrt::test;
using fb::ElementType;

fb::Buffer graphrt::test::arena(uint64_t offset, uint64_t size) {
  return {fb::Space::arena, 0, offset, size};
}
fb::Buffer graphrt::test::state(uint32_t index, uint64_t size) {
  return {fb::Space::state, index, 0, size};
}
fb::Buffer graphrt::test::input(uint32_t index, uint64_t size) {
  return {fb::Space::input, index, 0, size};
}
fb::Buffer graphrt::test::output(uint32_t index, uint64_t size) {
  return {fb::Space::output, index, 0, size};
}
fb::Buffer graphrt::test::constant(uint64_t offset, uint64_t size) {
  return {fb::Space::constant, 0, offset, size};
}

std::unique_ptr<fb::NamedTensorT>
graphrt::test::tensor(const std::string &name, ElementType type,
                      std::vector<int64_t> shape) {
  auto result = std::make_unique<fb::NamedTensorT>();
  result->name = name;
  result->type = std::make_unique<fb::TensorTypeT>();
  result->type->element_type = type;
  result->type->shape = std::move(shape);
  return result;
}

std::unique_ptr<fb::MatrixT>
graphrt::test::matrix(fb::Buffer buffer, int64_t rowStride,
                      int64_t columnStride, std::vector<int64_t> batchStrides) {
  auto result = std::make_unique<fb::MatrixT>();
  result->buffer = std::make_unique<fb::Buffer>(buffer);
  result->row_stride = rowStride;
  result->column_stride = columnStride;
  result->batch_strides = std::move(batchStrides);
  return result;
}

template <typename Command>
static void addStep(fb::FunctionT &function, Command command) {
  auto step = std::make_unique<fb::StepT>();
  step->command.Set(std::move(command));
  function.steps.push_back(std::move(step));
}

void graphrt::test::addDispatch(fb::FunctionT &function, uint32_t kernel,
                                uint64_t workgroups,
                                std::vector<fb::Buffer> buffers,
                                const std::string &writes) {
  fb::DispatchT dispatch;
  dispatch.kernel = kernel;
  dispatch.workgroups = workgroups;
  dispatch.buffers = std::move(buffers);
  for (char c : writes)
    dispatch.writes.push_back(c == 'w');
  addStep(function, std::move(dispatch));
}

void graphrt::test::addCopy(fb::FunctionT &function, fb::Buffer from,
                            fb::Buffer to) {
  fb::CopyT copy;
  copy.source = std::make_unique<fb::Buffer>(from);
  copy.destination = std::make_unique<fb::Buffer>(to);
  addStep(function, std::move(copy));
}

void graphrt::test::addGemm(fb::FunctionT &function, fb::GemmT gemm) {
  addStep(function, std::move(gemm));
}

fb::ProgramT graphrt::test::emptyProgram() {
  fb::ProgramT program;
  program.producer = "test 1.0";
  program.target = "cpu";
#if defined(__x86_64__)
  program.architecture = "x86-64";
  program.cpu_features = {"sse2"};
#else
  program.architecture = "aarch64";
#endif
  program.locations = {"here"};
  return program;
}

static fb::FunctionT &addFunction(fb::ProgramT &program,
                                  const std::string &name) {
  program.functions.push_back(std::make_unique<fb::FunctionT>());
  program.functions.back()->name = name;
  return *program.functions.back();
}

static void addBatch(fb::FunctionT &function) {
  function.inputs.push_back(tensor("tokens", ElementType::i32, {2, 4}));
  function.inputs.push_back(tensor("targets", ElementType::i32, {2, 4}));
  function.outputs.push_back(tensor("loss", ElementType::f32, {}));
}

fb::ProgramT graphrt::test::toyProgram() {
  fb::ProgramT program = emptyProgram();
  program.states.push_back(tensor("w", ElementType::f32, {4}));
  program.states.push_back(tensor("count", ElementType::i64, {}));
  const std::pair<const char *, uint32_t> kernels[] = {{"init_w", 2},
                                                       {"accumulate", 4},
                                                       {"train", 5},
                                                       {"evaluate", 4},
                                                       {"denormal", 1}};
  for (auto [symbol, buffers] : kernels) {
    auto kernel = std::make_unique<fb::KernelT>();
    kernel->symbol = symbol;
    kernel->buffers = buffers;
    program.kernels.push_back(std::move(kernel));
  }

  fb::FunctionT &init = addFunction(program, "init");
  init.inputs.push_back(tensor("seed", ElementType::i64, {}));
  init.states_written = {0, 1};
  addDispatch(init, 0, 1, {input(0, 8), state(0, 16)}, "rw");
  addCopy(init, constant(8, 8), state(1, 8));

  fb::FunctionT &accumulate = addFunction(program, "accumulate");
  accumulate.inputs.push_back(tensor("x", ElementType::f32, {4}));
  accumulate.outputs.push_back(tensor("y", ElementType::f32, {4}));
  accumulate.states_read = {0, 1};
  accumulate.states_written = {0, 1};
  accumulate.arena_size = 32;
  accumulate.max_live = 16;
  accumulate.lower_bound = 16;
  addDispatch(accumulate, 1, 4,
              {input(0, 16), state(0, 16), arena(16, 16), state(1, 8)}, "rwww");
  addCopy(accumulate, arena(16, 16), output(0, 16));

  fb::FunctionT &matmul = addFunction(program, "matmul");
  matmul.inputs.push_back(tensor("a", ElementType::f32, {2, 3}));
  matmul.inputs.push_back(tensor("b", ElementType::f32, {3, 2}));
  matmul.outputs.push_back(tensor("c", ElementType::f32, {2, 2}));
  fb::GemmT gemm;
  gemm.element_type = ElementType::f32;
  gemm.m = 2;
  gemm.n = 2;
  gemm.k = 3;
  gemm.a = matrix(input(0, 24), 3, 1);
  gemm.b = matrix(input(1, 24), 2, 1);
  gemm.c = matrix(output(0, 16), 2, 1);
  addGemm(matmul, std::move(gemm));

  fb::FunctionT &train = addFunction(program, "train_step");
  addBatch(train);
  train.outputs.push_back(tensor("norm", ElementType::f32, {}));
  train.states_read = {0};
  train.states_written = {0};
  addDispatch(
      train, 2, 1,
      {input(0, 32), input(1, 32), state(0, 16), output(0, 4), output(1, 4)},
      "rrwww");

  fb::FunctionT &evaluate = addFunction(program, "eval_loss");
  addBatch(evaluate);
  evaluate.states_read = {0};
  addDispatch(evaluate, 3, 1,
              {input(0, 32), input(1, 32), state(0, 16), output(0, 4)}, "rrrw");

  fb::FunctionT &narrow = addFunction(program, "narrow_step");
  narrow.inputs.push_back(tensor("tokens", ElementType::i8, {2, 4}));
  narrow.inputs.push_back(tensor("targets", ElementType::i8, {2, 4}));

  fb::FunctionT &silent = addFunction(program, "silent_step");
  silent.inputs.push_back(tensor("tokens", ElementType::i32, {2, 4}));
  silent.inputs.push_back(tensor("targets", ElementType::i32, {2, 4}));

  fb::FunctionT &denormals = addFunction(program, "denormals");
  denormals.outputs.push_back(tensor("y", ElementType::f32, {1024}));
  addDispatch(denormals, 4, 1024, {output(0, 4096)}, "w");
  return program;
}

fb::ProgramT graphrt::test::cudaToyProgram() {
  fb::ProgramT program = toyProgram();
  program.target = "cuda";
  program.architecture = "sm_90";
  program.cpu_features.clear();
  auto multiply = std::make_unique<fb::KernelT>();
  multiply->symbol = "multiply";
  multiply->buffers = 3;
  multiply->threads = 4;
  program.kernels.push_back(std::move(multiply));

  // One workgroup of four threads, and eight of 128.
  program.kernels[1]->threads = 4;
  program.kernels[4]->threads = 128;
  for (auto &function : program.functions)
    for (auto &step : function->steps) {
      if (fb::DispatchT *dispatch = step->command.AsDispatch())
        dispatch->workgroups /= program.kernels[dispatch->kernel]->threads;
      fb::GemmT *gemm = step->command.AsGemm();
      if (!gemm)
        continue;
      gemm->kernel = std::make_unique<fb::DispatchT>();
      gemm->kernel->kernel = program.kernels.size() - 1;
      gemm->kernel->workgroups = 1;
      gemm->kernel->buffers = {*gemm->a->buffer, *gemm->b->buffer,
                               *gemm->c->buffer};
      gemm->kernel->writes = {false, false, true};
    }
  return program;
}

void graphrt::test::addWindow(fb::ProgramT &program) {
  auto map = std::make_unique<fb::TensorMapT>();
  map->element_type = ElementType::f32;
  map->sizes = {8, 6};
  map->strides = {32};
  map->box = {4, 4};
  auto kernel = std::make_unique<fb::KernelT>();
  kernel->symbol = "window";
  kernel->buffers = 2;
  kernel->threads = 16;
  kernel->tensor_maps.push_back(std::move(map));
  program.kernels.push_back(std::move(kernel));

  fb::FunctionT &window = addFunction(program, "window");
  window.inputs.push_back(tensor("x", ElementType::f32, {6, 8}));
  window.outputs.push_back(tensor("y", ElementType::f32, {4, 4}));
  addDispatch(window, program.kernels.size() - 1, 1,
              {input(0, 192), output(0, 64)}, "rw");
}

std::string graphrt::test::encode(const fb::ProgramT &program) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Program::Pack(builder, &program));
  return {reinterpret_cast<const char *>(builder.GetBufferPointer()),
          builder.GetSize()};
}

std::string graphrt::test::makeArtifact(const fb::ProgramT &program,
                                        const std::string &cubin) {
  using artifact::SectionKind;
  std::string image = encode(program);
  bool isForCuda = program.target == "cuda";
  std::string code =
      *readWholeFile(isForCuda ? GRAPHRT_TEST_PTX : GRAPHRT_TEST_KERNELS);
  std::vector<artifact::Section> sections = {
      {SectionKind::Program, image},
      {SectionKind::Code, code},
      {SectionKind::Constants,
       std::string_view("0123456\0\0\0\0\0\0\0\0\0", 16)},
      {SectionKind::Source, "// the source\n"}};
  if (!cubin.empty())
    sections.push_back({SectionKind::Cubin, cubin});
  return artifact::serialize(sections);
}
