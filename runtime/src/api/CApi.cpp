//===- CApi.cpp - C interface of the runtime ------------------------------===//
//
// Translates between C and the classes; every exception ends here.
//
//===----------------------------------------------------------------------===//

#include "DlpackLayout.h"
#include "Program.h"
#include "Session.h"
#include "Tensor.h"

#include "../io/Safetensors.h"

#include "graphrt/graphrt.h"

#include <nlohmann/json.hpp>

using namespace graphrt;

struct grt_status {
  Failure failure;
};

struct grt_program {
  std::shared_ptr<const rt::Program> program;
};

struct grt_session {
  std::unique_ptr<rt::Session> session;
};

struct grt_tensor {
  rt::Tensor tensor;
};

static_assert(GRT_F64 == int(ElementType::f64) &&
              GRT_I64 == int(ElementType::i64) &&
              int(fb::ElementType::i64) == int(ElementType::i64) &&
              int(fb::ElementType::i1) == int(ElementType::i1) &&
              GRT_I1 == int(ElementType::i1));
static_assert(GRT_INVALID_ARGUMENT == int(ErrorCode::InvalidArgument) &&
              GRT_INTERNAL == int(ErrorCode::Internal));

namespace {

/// What a failure is reported with when there is no memory to describe it.
grt_status outOfMemory = {
    {ErrorCode::OutOfMemory, "the system is out of memory"}};

grt_status *makeStatus(Failure failure) noexcept {
  try {
    return new grt_status{std::move(failure)};
  } catch (...) {
    return &outOfMemory;
  }
}

Failure invalid(std::string message) {
  return {ErrorCode::InvalidArgument, std::move(message)};
}

/// Runs `body`, which returns a Status, and turns its failure or exception into
/// a status of the C interface.
template <typename Body>
grt_status *guard(const Body &body) noexcept {
  try {
    Status status = body();
    return status ? makeStatus(std::move(status.failure())) : nullptr;
  } catch (const std::bad_alloc &) {
    return &outOfMemory;
  } catch (const std::exception &error) {
    return makeStatus({ErrorCode::Internal, error.what()});
  }
}

Status checkIndex(const char *what, uint32_t index, uint32_t count) {
  if (index < count)
    return {};
  return invalid("found " + std::string(what) + " " + std::to_string(index) +
                 ", expected less than " + std::to_string(count));
}

template <typename T>
uint32_t count(const flatbuffers::Vector<T> *vector) {
  return vector ? vector->size() : 0;
}

const auto *listOf(const rt::Program &program, grt_tensor_list list,
                   uint32_t function) {
  switch (list) {
  case GRT_INPUTS:
    return program.function(function).inputs();
  case GRT_OUTPUTS:
    return program.function(function).outputs();
  case GRT_STATES:
    break;
  }
  return program.image().states();
}

std::vector<int64_t> makeShape(uint32_t rank, const int64_t *shape) {
  return {shape, shape + rank};
}

/// What there is to say of a step but its times.
grt_event describeStep(const rt::Device &device, const fb::Program &program,
                       const fb::Step &step) {
  grt_event event = {};
  event.symbol = "";
  auto symbolOf = [&](const fb::Dispatch &dispatch) {
    return program.kernels()->Get(dispatch.kernel())->symbol()->c_str();
  };
  event.location = program.locations()->Get(step.location())->c_str();
  if (const fb::Dispatch *dispatch = step.command_as_Dispatch()) {
    event.kind = GRT_KERNEL;
    event.symbol = symbolOf(*dispatch);
    for (const fb::Buffer *buffer : *dispatch->buffers())
      event.bytes += buffer->size();
  } else if (const fb::Gemm *gemm = step.command_as_Gemm()) {
    event.kind = GRT_GEMM;
    if (const fb::Dispatch *kernel = device.kernelOf(*gemm))
      event.symbol = symbolOf(*kernel);
    event.flops = 2 * gemm->m() * gemm->n() * gemm->k();
    if (gemm->batch())
      for (int64_t size : *gemm->batch())
        event.flops *= size;
    for (const fb::Matrix *matrix : {gemm->a(), gemm->b(), gemm->c()})
      event.bytes += matrix->buffer()->size();
    for (const fb::Buffer *buffer : {gemm->bias(), gemm->auxiliary()})
      event.bytes += buffer ? buffer->size() : 0;
  } else {
    event.kind = GRT_COPY;
    event.bytes = 2 * step.command_as_Copy()->source()->size();
  }
  return event;
}

} // namespace

grt_status_code grt_status_get_code(const grt_status *status) {
  return status ? static_cast<grt_status_code>(status->failure.code) : GRT_OK;
}

const char *grt_status_get_message(const grt_status *status) {
  return status ? status->failure.message.c_str() : "";
}

const char *grt_status_get_location(const grt_status *status) {
  return status ? status->failure.location.c_str() : "";
}

void grt_status_destroy(grt_status *status) {
  if (status != &outOfMemory)
    delete status;
}

const char *grt_version() { return GRAPHRT_VERSION; }

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

grt_status *grt_program_load_file(const char *path, grt_program **program) {
  return guard([&]() -> Status {
    auto loaded = rt::Program::loadFile(path);
    if (!loaded)
      return loaded.failure();
    *program = new grt_program{std::move(*loaded)};
    return {};
  });
}

grt_status *grt_program_load_memory(const void *data, size_t size,
                                    grt_program **program) {
  return guard([&]() -> Status {
    auto loaded = rt::Program::load({static_cast<const char *>(data), size});
    if (!loaded)
      return loaded.failure();
    *program = new grt_program{std::move(*loaded)};
    return {};
  });
}

void grt_program_destroy(grt_program *program) { delete program; }

void grt_program_get_info(const grt_program *program, grt_program_info *info) {
  const rt::Program &loaded = *program->program;
  const fb::Program &image = loaded.image();
  *info = {image.producer()->c_str(),
           image.target()->c_str(),
           image.architecture()->c_str(),
           loaded.cpuFeatures().c_str(),
           loaded.numFunctions(),
           loaded.numStates(),
           static_cast<uint32_t>(loaded.sections().size()),
           count(image.kernels())};
}

grt_status *grt_program_get_section(const grt_program *program, uint32_t index,
                                    grt_section_info *info) {
  return guard([&]() -> Status {
    const auto &sections = program->program->sections();
    if (Status status = checkIndex("section", index, sections.size()))
      return status;
    const artifact::Section &section = sections[index];
    *info = {artifact::name(section.kind), section.bytes.data(),
             section.bytes.size()};
    return {};
  });
}

grt_status *grt_program_get_kernel(const grt_program *program, uint32_t index,
                                   grt_kernel_info *info) {
  return guard([&]() -> Status {
    const auto *kernels = program->program->image().kernels();
    if (Status status = checkIndex("kernel", index, count(kernels)))
      return status;
    const fb::Kernel &kernel = *kernels->Get(index);
    *info = {kernel.symbol()->c_str(), kernel.buffers(), kernel.threads(),
             kernel.shared_bytes()};
    return {};
  });
}

grt_status *grt_program_find_function(const grt_program *program,
                                      const char *name, uint32_t *function) {
  return guard([&]() -> Status {
    Expected<uint32_t> index = program->program->findFunction(name);
    if (!index)
      return index.failure();
    *function = *index;
    return {};
  });
}

grt_status *grt_program_get_function(const grt_program *program,
                                     uint32_t function,
                                     grt_function_info *info) {
  return guard([&]() -> Status {
    const rt::Program &loaded = *program->program;
    if (Status status = checkIndex("function", function, loaded.numFunctions()))
      return status;
    const fb::Function &image = loaded.function(function);
    auto indices = [](const flatbuffers::Vector<uint32_t> *list) {
      return list ? list->data() : nullptr;
    };
    *info = {image.name()->c_str(),
             count(image.inputs()),
             count(image.outputs()),
             count(image.states_read()),
             indices(image.states_read()),
             count(image.states_written()),
             indices(image.states_written()),
             count(image.steps()),
             image.arena_size(),
             image.max_live(),
             image.lower_bound()};
    return {};
  });
}

grt_status *grt_program_get_tensor(const grt_program *program,
                                   grt_tensor_list list, uint32_t function,
                                   uint32_t index, grt_tensor_info *info) {
  return guard([&]() -> Status {
    const rt::Program &loaded = *program->program;
    if (list != GRT_STATES)
      if (Status status =
              checkIndex("function", function, loaded.numFunctions()))
        return status;
    const auto *tensors = listOf(loaded, list, function);
    if (Status status = checkIndex("tensor", index, count(tensors)))
      return status;
    const fb::NamedTensor &tensor = *tensors->Get(index);
    const fb::TensorType &type = *tensor.type();
    Expected<rt::Tensor> described = rt::Tensor::describe(
        static_cast<ElementType>(type.element_type()), rt::shapeOf(type));
    *info = {tensor.name()->c_str(),
             static_cast<grt_element_type>(type.element_type()),
             count(type.shape()), type.shape() ? type.shape()->data() : nullptr,
             described->bytes};
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

grt_status *grt_tensor_create(grt_element_type type, uint32_t rank,
                              const int64_t *shape, grt_tensor **tensor) {
  return guard([&]() -> Status {
    Expected<rt::Tensor> created = rt::Tensor::create(
        static_cast<ElementType>(type), makeShape(rank, shape));
    if (!created)
      return created.failure();
    *tensor = new grt_tensor{std::move(*created)};
    return {};
  });
}

grt_status *grt_tensor_borrow(void *data, grt_element_type type, uint32_t rank,
                              const int64_t *shape,
                              void (*release)(void *context), void *context,
                              grt_tensor **tensor) {
  return guard([&]() -> Status {
    Expected<rt::Tensor> borrowed =
        rt::Tensor::borrow(data, static_cast<ElementType>(type),
                           makeShape(rank, shape), release, context);
    if (!borrowed)
      return borrowed.failure();
    *tensor = new grt_tensor{std::move(*borrowed)};
    return {};
  });
}

void grt_tensor_destroy(grt_tensor *tensor) { delete tensor; }

void grt_tensor_get_info(const grt_tensor *tensor, grt_tensor_info *info) {
  const rt::Tensor &t = tensor->tensor;
  *info = {nullptr, static_cast<grt_element_type>(t.type),
           static_cast<uint32_t>(t.shape.size()),
           t.shape.empty() ? nullptr : t.shape.data(), t.bytes};
}

void *grt_tensor_get_data(const grt_tensor *tensor) {
  return tensor->tensor.data;
}

grt_status *grt_tensor_from_dlpack(DLManagedTensorVersioned *managed,
                                   grt_tensor **tensor) {
  return guard([&]() -> Status {
    Expected<rt::Tensor> imported = rt::Tensor::fromDlpack(managed);
    if (!imported)
      return imported.failure();
    *tensor = new grt_tensor{std::move(*imported)};
    return {};
  });
}

grt_status *grt_tensor_to_dlpack(const grt_tensor *tensor,
                                 DLManagedTensorVersioned **managed) {
  return guard([&]() -> Status {
    *managed = tensor->tensor.toDlpack();
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

grt_status *grt_session_create(const grt_program *program,
                               const grt_session_options *options,
                               grt_session **session) {
  return guard([&]() -> Status {
    rt::DeviceOptions deviceOptions;
    if (options) {
      deviceOptions.threads = options->threads;
      deviceOptions.device = options->device ? options->device : "";
    }
    auto created = rt::Session::create(program->program, deviceOptions);
    if (!created)
      return created.failure();
    *session = new grt_session{std::move(*created)};
    return {};
  });
}

void grt_session_destroy(grt_session *session) { delete session; }

const char *grt_session_get_device(const grt_session *session) {
  return session->session->getDevice().name().c_str();
}

grt_status *grt_session_call(grt_session *session, uint32_t function,
                             const grt_tensor *const *inputs,
                             uint32_t num_inputs, grt_tensor **outputs,
                             uint32_t num_outputs) {
  return guard([&]() -> Status {
    std::vector<const rt::Tensor *> in;
    for (uint32_t i = 0; i < num_inputs; ++i)
      in.push_back(inputs[i] ? &inputs[i]->tensor : nullptr);
    std::vector<rt::Tensor> out(num_outputs);
    std::vector<std::unique_ptr<grt_tensor>> created(num_outputs);
    for (uint32_t i = 0; i < num_outputs; ++i) {
      if (outputs[i])
        out[i] = outputs[i]->tensor;
      else
        created[i] = std::make_unique<grt_tensor>();
    }
    if (Status status = session->session->call(function, in, out))
      return status;
    for (uint32_t i = 0; i < num_outputs; ++i)
      if (created[i]) {
        created[i]->tensor = std::move(out[i]);
        outputs[i] = created[i].release();
      }
    return {};
  });
}

void grt_session_set_observer(grt_session *session,
                              void (*observe)(void *, const grt_event *),
                              void *context) {
  if (!observe)
    return session->session->setObserver({});
  const rt::Program *program = &session->session->getProgram();
  const rt::Device *device = &session->session->getDevice();
  session->session->setObserver(
      [=](uint32_t function, uint32_t index, uint64_t begin, uint64_t end) {
        const fb::Step &step = *program->function(function).steps()->Get(index);
        grt_event event = describeStep(*device, program->image(), step);
        event.function = function;
        event.step = index;
        event.begin_ns = begin;
        event.end_ns = end;
        observe(context, &event);
      });
}

grt_status *grt_session_get_state(grt_session *session, const char *name,
                                  grt_tensor **tensor) {
  return guard([&]() -> Status {
    Expected<rt::Tensor> state = session->session->getState(name);
    if (!state)
      return state.failure();
    *tensor = new grt_tensor{std::move(*state)};
    return {};
  });
}

grt_status *grt_session_set_state(grt_session *session, const char *name,
                                  const grt_tensor *tensor) {
  return guard(
      [&] { return session->session->setState(name, tensor->tensor); });
}

int grt_session_has_state(const grt_session *session, uint32_t index) {
  return index < session->session->getProgram().numStates() &&
         session->session->isInitialized(index);
}

grt_status *grt_session_set_metadata(grt_session *session, const char *key,
                                     const char *value) {
  return guard([&]() -> Status {
    std::string_view keyView = key;
    if (keyView.empty() ||
        keyView.substr(0, safetensors::reservedPrefix.size()) ==
            safetensors::reservedPrefix)
      return invalid("found metadata key '" + std::string(key) +
                     "', expected one that is not empty and does not begin "
                     "with 'graphrt.'");
    if (!value) {
      session->session->metadata.erase(key);
      return {};
    }
    try {
      // Encoding fails for strings that are not UTF-8.
      (void)nlohmann::json({key, value}).dump();
    } catch (const nlohmann::json::exception &) {
      return invalid("found metadata that is not valid UTF-8");
    }
    session->session->metadata[key] = value;
    return {};
  });
}

const char *grt_session_get_metadata(const grt_session *session,
                                     const char *key) {
  auto found = session->session->metadata.find(key);
  return found == session->session->metadata.end() ? nullptr
                                                   : found->second.c_str();
}

grt_status *grt_session_save(grt_session *session, const char *path) {
  return guard([&] { return session->session->save(path); });
}

grt_status *grt_session_load(grt_session *session, const char *path) {
  return guard([&] { return session->session->load(path); });
}
