//===- ErrorApi.cpp - The driver's names of its errors --------------------===//

#include "cuda/CudaHeader.h"

namespace {

struct ErrorText {
  CUresult code;
  const char *name;
  const char *text;
};

#define ERROR(code, text) {code, #code, text}
/// The codes that the emulator returns.
constexpr ErrorText errors[] = {
    ERROR(CUDA_SUCCESS, "no error"),
    ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    ERROR(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    ERROR(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device"),
    ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device"),
    ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid context"),
    ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image for the device"),
    ERROR(CUDA_ERROR_INVALID_PTX, "invalid PTX"),
    ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid handle"),
    ERROR(CUDA_ERROR_ILLEGAL_STATE, "not possible in this state"),
    ERROR(CUDA_ERROR_NOT_FOUND, "symbol not found"),
    ERROR(CUDA_ERROR_NOT_READY, "not ready"),
    ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "illegal memory access"),
    ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION, "illegal instruction"),
    ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    ERROR(CUDA_ERROR_LAUNCH_TIMEOUT, "launch timed out"),
    ERROR(CUDA_ERROR_LAUNCH_FAILED, "launch failed"),
    ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    ERROR(CUDA_ERROR_NOT_SUPPORTED, "not supported"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          "not permitted while a stream is capturing"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
          "an earlier error invalidated the capture"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_MERGE, "two captures would merge"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
          "the capture began on another stream"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
          "a stream of the capture was not joined"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
          "a dependency would cross the capture's border"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
          "an implicit dependency on a capturing stream"),
    ERROR(CUDA_ERROR_CAPTURED_EVENT, "the event was recorded in a capture"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
          "the capture began in another thread"),
};
#undef ERROR

const ErrorText *find(CUresult code) {
  for (const ErrorText &error : errors)
    if (error.code == code)
      return &error;
  return nullptr;
}

CUresult getText(CUresult code, const char *ErrorText::*member,
                 const char **text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  const ErrorText *error = find(code);
  *text = error ? error->*member : nullptr;
  return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

CUresult cuGetErrorName(CUresult error, const char **name) {
  return getText(error, &ErrorText::name, name);
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  return getText(error, &ErrorText::text, text);
}
