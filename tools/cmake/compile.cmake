# How everything is compiled: gradproof_options holds the warnings and sanitizers of our own code, gradproof_precompile() a target's headers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Assertions stay on: kernels assert, public functions throw. The arithmetic that takes time is in the kernels, which are compiled with -O3.
# Of all else g++ makes with these passes what it makes with -O3 in half the time, no slower in any benchmark.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -fstrict-aliasing -finline-functions -finline-small-functions -findirect-inlining -fpartial-inlining -ftree-vectorize -fvect-cost-model=dynamic")
  # g++ collects garbage less often: 5 % of the time, for 0.2 GB a process.
  add_compile_options(--param=ggc-min-expand=200 --param=ggc-min-heapsize=500000)
endif()

add_library(gradproof_options INTERFACE)
target_compile_options(gradproof_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
target_compile_definitions(gradproof_options INTERFACE GRADPROOF_NO_BOUNDS)  # library.cmake compiles the pages for these
if(GRADPROOF_SANITIZE)
  target_compile_options(gradproof_options INTERFACE -fsanitize=${GRADPROOF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(gradproof_options INTERFACE -fsanitize=${GRADPROOF_SANITIZE})
endif()

set(GRADPROOF_COVERAGE "")  # whose branches lead the fuzzers: what -fsanitize=fuzzer-no-link stands for
if(GRADPROOF_FUZZ)
  set(GRADPROOF_COVERAGE -fsanitize-coverage=inline-8bit-counters,pc-table,indirect-calls,trace-cmp)
endif()

# Ninja would start one more than there are processors, which takes 5 % longer on two.
cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
set_property(GLOBAL PROPERTY JOB_POOLS compile=${processors})
set(CMAKE_JOB_POOL_COMPILE compile)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # With comments: a precompiled header whose text changed in a comment only is another one to g++, which then reads the header twice.
  # Paths as seen from the build folder: what is alike in the presets release and portable is compiled once.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_COMMENTS=1
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_ABSSTDERR=1 ${CCACHE})
endif()

option(GRADPROOF_UNITY "Compile eight sources of a folder at a time: for whole builds; an edit takes some seconds more" ON)
# gradproof_unite(TARGET SOURCE ...): the target is compiled so, its sources but those that have options of their own. What stands in
# unnamed namespaces must then have names that differ among the eight; let them differ within a folder, which may get another source.
function(gradproof_unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${GRADPROOF_UNITY} UNITY_BUILD_MODE GROUP)
  if(GRADPROOF_UNITY)  # g++ takes a source that is included for a header, whose types have no business in an unnamed namespace
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
  set(before "")
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    if(NOT folder STREQUAL before)
      set(count 0)
      set(before ${folder})
    endif()
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE name)
    math(EXPR group "${count} / 8")
    math(EXPR count "${count} + 1")
    string(MAKE_C_IDENTIFIER "${name}_${group}" name)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name})
  endforeach()
endfunction()

# gradproof_precompile(TARGET HEADER ...) or gradproof_precompile(TARGET REUSE_FROM OTHER), which must be compiled with the same options.
function(gradproof_precompile target)
  if(GRADPROOF_PRECOMPILE)
    if(NOT ARGV1 STREQUAL REUSE_FROM)
      list(PREPEND ARGN PRIVATE)
    elseif(TARGET TBB::tbb)  # whose definitions the precompiled header has; it is refused without them
      target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:TBB::tbb,INTERFACE_COMPILE_DEFINITIONS>)
    endif()
    target_precompile_headers(${target} ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # for ccache
  endif()
endfunction()
