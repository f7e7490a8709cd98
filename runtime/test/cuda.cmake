# Tests of the CUDA device on drivers made for the purpose.

# graphrt_test_driver(<name> <source>): a library that stands in for libcuda.
function(graphrt_test_driver name source)
  add_library(${name} MODULE ${source})
  graphrt_target(${name})
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${name} SYSTEM PRIVATE ${GRAPHRT_CUDA_INCLUDE})
endfunction()

graphrt_test_driver(graphrt_fake_driver FakeDriver.cpp)
target_compile_definitions(graphrt_fake_driver PRIVATE
  GRAPHRT_TEST_KERNELS="$<TARGET_FILE:graphrt_test_kernels>")
add_dependencies(graphrt_fake_driver graphrt_test_kernels)
graphrt_test_driver(graphrt_old_driver FakeOldDriver.c)
target_compile_definitions(graphrt_old_driver PRIVATE
  GRAPHRT_TEST_DRIVER_VERSION=11080)
graphrt_test_driver(graphrt_partial_driver FakeOldDriver.c)
target_compile_definitions(graphrt_partial_driver PRIVATE
  GRAPHRT_TEST_DRIVER_VERSION=12020)

graphrt_test(CudaDeviceTest graphrt GraphRuntimeTestSupport)
target_compile_definitions(CudaDeviceTest PRIVATE
  GRAPHRT_TEST_OLD_DRIVER="$<TARGET_FILE:graphrt_old_driver>"
  GRAPHRT_TEST_PARTIAL_DRIVER="$<TARGET_FILE:graphrt_partial_driver>")
add_dependencies(CudaDeviceTest graphrt_old_driver graphrt_partial_driver)

foreach(test DeviceConformanceTest CudaDeviceTest)
  target_compile_definitions(${test} PRIVATE
    GRAPHRT_TEST_FAKE_DRIVER="$<TARGET_FILE:graphrt_fake_driver>")
  add_dependencies(${test} graphrt_fake_driver)
endforeach()
if(TARGET graphrt-cuda-emulator)
  target_compile_definitions(DeviceConformanceTest PRIVATE
    GRAPHRT_TEST_EMULATOR)
  add_dependencies(DeviceConformanceTest graphrt-cuda-emulator)
  graphrt_test(EmulatedDeviceTest graphrt GraphRuntimeTestSupport)
  add_dependencies(EmulatedDeviceTest graphrt-cuda-emulator)
endif()

if(GRAPHRT_HAS_CUBLASLT)
  graphrt_test_driver(graphrt_fake_cublaslt FakeCublasLt.cpp)
  graphrt_test(CublasLtTest graphrt GraphRuntimeTestSupport)
  target_compile_definitions(CublasLtTest PRIVATE
    GRAPHRT_TEST_FAKE_DRIVER="$<TARGET_FILE:graphrt_fake_driver>"
    GRAPHRT_TEST_FAKE_CUBLASLT="$<TARGET_FILE:graphrt_fake_cublaslt>")
  add_dependencies(CublasLtTest graphrt_fake_driver graphrt_fake_cublaslt)
endif()
