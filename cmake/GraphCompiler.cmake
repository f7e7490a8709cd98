# Finds LLVM and MLIR and defines the helper functions of the compiler's CMake files.

find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "found LLVM ${LLVM_PACKAGE_VERSION}, expected 22")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# For mlir_tablegen, which reads the directory property.
include_directories(${CMAKE_SOURCE_DIR}/include)
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS})

# A library that several targets share: the precompiled MLIR headers. Every compiler target reuses them.
add_library(GraphPrecompiledHeaders OBJECT ${CMAKE_SOURCE_DIR}/cmake/Precompiled.cpp)
target_precompile_headers(GraphPrecompiledHeaders PRIVATE
  ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h)

# The include paths and flags of everything that includes MLIR. LLVM and MLIR are linked as the shared libraries
# `MLIR` and `LLVM` only: naming a static MLIR* target too would give two copies of every TypeID.
add_library(GraphCompilerBase INTERFACE)
target_include_directories(GraphCompilerBase INTERFACE
  ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)
target_include_directories(GraphCompilerBase SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_options(GraphCompilerBase INTERFACE -Wall -Wextra -Wno-unused-parameter)
target_link_libraries(GraphCompilerBase INTERFACE MLIR LLVM)
target_link_libraries(GraphPrecompiledHeaders PRIVATE GraphCompilerBase)

# graph_add_library(Name sources... [DEPENDS generated targets] [LINK libraries])
function(graph_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_precompile_headers(${name} REUSE_FROM GraphPrecompiledHeaders)
  target_link_libraries(${name} PUBLIC GraphCompilerBase ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# graph_add_executable(name sources... [LINK libraries])
function(graph_add_executable name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # -fPIC rather than -fPIE, as the precompiled headers were built.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM GraphPrecompiledHeaders)
  target_link_libraries(${name} PRIVATE GraphCompilerBase ${ARG_LINK})
endfunction()
