/*===- graphrt.h - C interface of the runtime ---------------------*- C -*-===*\
|*
|* Loads artifacts of the graph compiler and runs their functions.
|*
|*   grt_program  an artifact in memory: immutable, may be used by any number of
|*                threads and sessions at the same time
|*   grt_session  a program on a device, with the memory and the threads to run
|*                it: its named states live here. One thread at a time may use a
|*                session
|*   grt_tensor   a dense array, in the caller's memory or in the runtime's
|*   grt_status   why a function failed
|*
|* Functions that can fail return a status: null for success, else an object
|* that the caller frees with grt_status_destroy. After a failure the out
|* parameters are unchanged. Nothing here exits the process, prints, throws,
|* installs signal handlers, or changes the caller's floating-point mode.
|*
|* Strings are UTF-8 and end with a null byte. Strings, shapes and structures
|* that the runtime returns belong to the object they were asked of and live as
|* long as it does, unless a function says otherwise. Destroying null is
|* allowed. A session keeps what it needs of its program alive.
|*
|* Structures grow at their end, and only from one minor version to the next,
|* for which programs are compiled anew. Set options to zero before filling them
|* in ("= {0}"): zero is the default of every option, of those to come too.
|*
\*===----------------------------------------------------------------------===*/

#ifndef GRAPHRT_GRAPHRT_H
#define GRAPHRT_GRAPHRT_H

#include <stddef.h>
#include <stdint.h>

#if defined(GRAPHRT_BUILDING)
#define GRT_API __attribute__((visibility("default")))
#else
#define GRT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct grt_status grt_status;
typedef struct grt_program grt_program;
typedef struct grt_session grt_session;
typedef struct grt_tensor grt_tensor;

/* The structure of DLPack 1.x, as its own header declares it. */
struct DLManagedTensorVersioned;

/*===----------------------------------------------------------------------===*\
|* Status
\*===----------------------------------------------------------------------===*/

typedef enum grt_status_code {
  GRT_OK = 0,
  /* Arguments that do not fit the program, or are wrong in themselves. */
  GRT_INVALID_ARGUMENT = 1,
  /* No function, state or file of that name. */
  GRT_NOT_FOUND = 2,
  /* A file that is not what it claims to be: truncated, damaged, malformed. */
  GRT_CORRUPT = 3,
  /* A valid request that this build or this machine cannot serve. */
  GRT_UNSUPPORTED = 4,
  /* The operating system refused to read or write. */
  GRT_IO = 5,
  /* A function reads a state that nothing has written yet. */
  GRT_UNINITIALIZED_STATE = 6,
  GRT_OUT_OF_MEMORY = 7,
  /* A defect of the runtime or of a library below it. */
  GRT_INTERNAL = 8
} grt_status_code;

/* GRT_OK for null. */
GRT_API grt_status_code grt_status_get_code(const grt_status *status);

/* One sentence: what was found and what was expected. "" for null. */
GRT_API const char *grt_status_get_message(const grt_status *status);

/* The source operation that failed, as the compiler recorded it; "" if the
   failure does not belong to one. */
GRT_API const char *grt_status_get_location(const grt_status *status);

GRT_API void grt_status_destroy(grt_status *status);

/* The version of the runtime, such as "0.1.0". */
GRT_API const char *grt_version(void);

/*===----------------------------------------------------------------------===*\
|* Programs
\*===----------------------------------------------------------------------===*/

typedef enum grt_element_type {
  GRT_F64 = 0,
  GRT_F32 = 1,
  GRT_BF16 = 2,
  GRT_F16 = 3,
  /* One byte that is 0 or 1. */
  GRT_I1 = 4,
  GRT_I8 = 5,
  GRT_I16 = 6,
  GRT_I32 = 7,
  GRT_I64 = 8
} grt_element_type;

typedef struct grt_tensor_info {
  /* Null for a tensor that is not part of a program. */
  const char *name;
  grt_element_type element_type;
  uint32_t rank;
  /* Elements per dimension; null for rank 0. */
  const int64_t *shape;
  uint64_t bytes;
} grt_tensor_info;

typedef struct grt_program_info {
  /* The compiler that wrote the artifact, for people. */
  const char *producer;
  /* "cpu" or "cuda". */
  const char *target;
  /* "x86-64", "aarch64", "sm_90" and so on. */
  const char *architecture;
  /* Names as in /proc/cpuinfo, with spaces between them. */
  const char *cpu_features;
  uint32_t functions;
  uint32_t states;
  uint32_t sections;
  uint32_t kernels;
} grt_program_info;

typedef struct grt_function_info {
  const char *name;
  uint32_t inputs;
  uint32_t outputs;
  /* Indices of the program's states, in no particular order. */
  uint32_t states_read;
  const uint32_t *states_read_indices;
  uint32_t states_written;
  const uint32_t *states_written_indices;
  uint32_t steps;
  /* Bytes of scratch memory during a call. */
  uint64_t arena_bytes;
  /* Bytes live at the worst point of the planned order, and the bound that no
     order can beat. */
  uint64_t max_live_bytes;
  uint64_t lower_bound_bytes;
} grt_function_info;

typedef struct grt_section_info {
  /* "program", "code", "constants", "source", "cubin" or "unknown". */
  const char *name;
  const void *data;
  uint64_t bytes;
} grt_section_info;

/* How a kernel is launched. */
typedef struct grt_kernel_info {
  const char *symbol;
  uint32_t buffers;
  /* Of one workgroup; 1 and 0 for the target "cpu". */
  uint32_t threads;
  uint32_t shared_bytes;
} grt_kernel_info;

/* Which list a tensor is in. */
typedef enum grt_tensor_list {
  GRT_INPUTS = 0,
  GRT_OUTPUTS = 1,
  /* The states of the whole program. */
  GRT_STATES = 2
} grt_tensor_list;

/* Reads an artifact and checks all of it. The file may change or disappear
   afterwards. The machine need not be able to run the code. */
GRT_API grt_status *grt_program_load_file(const char *path,
                                          grt_program **program);

/* The same from memory, which is copied. */
GRT_API grt_status *grt_program_load_memory(const void *data, size_t size,
                                            grt_program **program);

GRT_API void grt_program_destroy(grt_program *program);

GRT_API void grt_program_get_info(const grt_program *program,
                                  grt_program_info *info);

/* Fails for an index that is not less than the number of sections. */
GRT_API grt_status *grt_program_get_section(const grt_program *program,
                                            uint32_t index,
                                            grt_section_info *info);

/* Fails for an index that is not less than the number of kernels. */
GRT_API grt_status *grt_program_get_kernel(const grt_program *program,
                                           uint32_t index,
                                           grt_kernel_info *info);

/* The index of a function; the failure lists the functions that exist. */
GRT_API grt_status *grt_program_find_function(const grt_program *program,
                                              const char *name,
                                              uint32_t *function);

GRT_API grt_status *grt_program_get_function(const grt_program *program,
                                             uint32_t function,
                                             grt_function_info *info);

/* The tensor `index` of a list; `function` is ignored for GRT_STATES. */
GRT_API grt_status *grt_program_get_tensor(const grt_program *program,
                                           grt_tensor_list list,
                                           uint32_t function, uint32_t index,
                                           grt_tensor_info *info);

/*===----------------------------------------------------------------------===*\
|* Tensors
\*===----------------------------------------------------------------------===*/

/* A tensor of zeros in memory of the runtime, aligned to 64 bytes. */
GRT_API grt_status *grt_tensor_create(grt_element_type type, uint32_t rank,
                                      const int64_t *shape,
                                      grt_tensor **tensor);

/* A tensor in the caller's memory: row-major, without gaps, aligned to the
   element's size. `release(context)` is called when the last user of the memory
   is gone; it may be null, and then the memory must live until then. */
GRT_API grt_status *grt_tensor_borrow(void *data, grt_element_type type,
                                      uint32_t rank, const int64_t *shape,
                                      void (*release)(void *context),
                                      void *context, grt_tensor **tensor);

GRT_API void grt_tensor_destroy(grt_tensor *tensor);

GRT_API void grt_tensor_get_info(const grt_tensor *tensor,
                                 grt_tensor_info *info);

GRT_API void *grt_tensor_get_data(const grt_tensor *tensor);

/* Takes over a DLPack tensor in CPU memory; its deleter is called when the last
   user of the memory is gone. On failure the caller keeps it. Refused: another
   major version than 1, other devices, types that the runtime does not have,
   and strides other than row-major without gaps. A tensor marked read-only can
   be an input but not an output. */
GRT_API grt_status *
grt_tensor_from_dlpack(struct DLManagedTensorVersioned *managed,
                       grt_tensor **tensor);

/* A DLPack 1.0 tensor that shares the memory and keeps it alive. The consumer
   calls its deleter. */
GRT_API grt_status *
grt_tensor_to_dlpack(const grt_tensor *tensor,
                     struct DLManagedTensorVersioned **managed);

/*===----------------------------------------------------------------------===*\
|* Sessions
\*===----------------------------------------------------------------------===*/

typedef struct grt_session_options {
  /* Threads, the caller's included. 0: the environment variable
     GRAPHRT_NUM_THREADS, and without it the number of available cores. */
  uint32_t threads;
  /* Where to run; read during grt_session_create only.
       "cpu"            the processor, for programs of the target "cpu"
       "cuda"           a GPU, for programs of the target "cuda": of several the
                        one that LOCAL_RANK, OMPI_COMM_WORLD_LOCAL_RANK or
                        SLURM_LOCALID says, modulo their number, else the first
       "cuda:1"         the GPU of that index
       "cuda-emulated"  an emulated GPU, which needs neither a GPU nor a driver
     Null or "": what the program was compiled for. */
  const char *device;
} grt_session_options;

/* Loads the program's code, allocates its states and starts its threads.
   `options` may be null for the defaults. Fails if there is no such device, or
   if the code does not fit it. A session on a GPU uses the device's primary
   context, which it makes current in every thread that calls it. */
GRT_API grt_status *grt_session_create(const grt_program *program,
                                       const grt_session_options *options,
                                       grt_session **session);

GRT_API void grt_session_destroy(grt_session *session);

/* The device for people, such as "cpu" or "cuda:0 (NVIDIA H200)". */
GRT_API const char *grt_session_get_device(const grt_session *session);

/* Runs a function. `inputs` and `outputs` are in the order of the program's
   lists. A null output is replaced by a new tensor that the caller destroys; a
   given one is filled, and must not overlap an input or another output. All
   arguments are checked before anything runs. If the call fails later, the
   states that the function writes are uninitialized. A GPU may still be at work
   when a call without outputs returns; what fails then is reported by the next
   call that waits for it. After a fault of a kernel (an illegal address, for
   example) a session on a GPU can only be destroyed. */
GRT_API grt_status *grt_session_call(grt_session *session, uint32_t function,
                                     const grt_tensor *const *inputs,
                                     uint32_t num_inputs, grt_tensor **outputs,
                                     uint32_t num_outputs);

typedef enum grt_command_kind {
  GRT_KERNEL = 0,
  GRT_GEMM = 1,
  GRT_COPY = 2
} grt_command_kind;

/* A command that ran. The strings belong to the program. */
typedef struct grt_event {
  uint32_t function;
  /* Its position among the steps of the function. */
  uint32_t step;
  grt_command_kind kind;
  /* Of the kernel that ran, "" where none of the program did: for copies, and
     for products that a library computed. */
  const char *symbol;
  /* The source operation, as the compiler recorded it. */
  const char *location;
  /* Floating-point operations of a matrix product, else 0. */
  uint64_t flops;
  /* Sizes of all buffers that the command reads or writes. */
  uint64_t bytes;
  /* Of a clock that never goes back. */
  uint64_t begin_ns;
  uint64_t end_ns;
} grt_event;

/* Makes every later call report its commands, in order, from the thread that
   called. `observe` must not use the session; null ends the reports. */
GRT_API void grt_session_set_observer(grt_session *session,
                                      void (*observe)(void *context,
                                                      const grt_event *event),
                                      void *context);

/* A copy of a state, that the caller destroys. Fails for an uninitialized
   state. */
GRT_API grt_status *grt_session_get_state(grt_session *session,
                                          const char *name,
                                          grt_tensor **tensor);

/* Copies a tensor of the same type and shape into a state. */
GRT_API grt_status *grt_session_set_state(grt_session *session,
                                          const char *name,
                                          const grt_tensor *tensor);

/* 1 if the state `index` has been written, loaded or set, else 0; 0 also for an
   index that does not exist. */
GRT_API int grt_session_has_state(const grt_session *session, uint32_t index);

/* Attaches a string to the session that checkpoints carry along; null removes
   it. Keys that begin with "graphrt." are reserved. */
GRT_API grt_status *grt_session_set_metadata(grt_session *session,
                                             const char *key,
                                             const char *value);

/* Null if there is none. Valid until the metadata changes. */
GRT_API const char *grt_session_get_metadata(const grt_session *session,
                                             const char *key);

/* Writes the initialized states and the metadata as a safetensors file. A crash
   or a full disk leaves the previous file at `path` as it was. */
GRT_API grt_status *grt_session_save(grt_session *session, const char *path);

/* Reads a safetensors file. Every tensor in it must be a state of the program,
   of the same type and shape; states that are not in the file keep what they
   have, the metadata is replaced. A file that grt_session_save wrote is checked
   bit by bit. On failure nothing changes, unless the device itself fails. */
GRT_API grt_status *grt_session_load(grt_session *session, const char *path);

#ifdef __cplusplus
}
#endif

#endif /* GRAPHRT_GRAPHRT_H */
