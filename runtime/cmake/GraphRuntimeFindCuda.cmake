# Sets GRAPHRT_CUDA_INCLUDE to the folder of cuda.h, if there is one that is
# recent enough; the CUDA device is left out otherwise. GRAPHRT_HAS_CUBLASLT says
# whether cublasLt.h is there too; matrix products have their own kernels else.
set(GRAPHRT_CUDA_OLDEST 12000)

find_package(CUDAToolkit QUIET)
find_path(GRAPHRT_CUDA_HEADER_DIR cuda.h
  HINTS ${CUDAToolkit_INCLUDE_DIRS} /usr/local/cuda/include
  DOC "Folder of cuda.h, for the CUDA device")

set(GRAPHRT_CUDA_INCLUDE)
set(found "no cuda.h")
if(GRAPHRT_CUDA_HEADER_DIR)
  file(STRINGS ${GRAPHRT_CUDA_HEADER_DIR}/cuda.h found
    REGEX "^#define CUDA_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+$" version "${found}")
  if(version GREATER_EQUAL GRAPHRT_CUDA_OLDEST)
    set(GRAPHRT_CUDA_INCLUDE ${GRAPHRT_CUDA_HEADER_DIR})
  else()
    set(found "CUDA_VERSION ${version} in ${GRAPHRT_CUDA_HEADER_DIR}/cuda.h")
  endif()
endif()
set(GRAPHRT_HAS_CUBLASLT OFF)
if(EXISTS "${GRAPHRT_CUDA_INCLUDE}/cublasLt.h")
  set(GRAPHRT_HAS_CUBLASLT ON)
endif()
if(NOT GRAPHRT_CUDA_INCLUDE)
  message(STATUS "The CUDA device and its emulator are left out: found "
    "${found}, expected CUDA_VERSION ${GRAPHRT_CUDA_OLDEST} or newer")
endif()
