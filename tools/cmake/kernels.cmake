# ops/kernels/simd/*.cpp is compiled once per instruction set, and the set chosen at run time: GRADPROOF_KERNEL_OBJECTS.
file(GLOB GRADPROOF_KERNEL_SIMD CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/ops/kernels/simd/*.cpp)
list(REMOVE_ITEM GRADPROOF_SOURCES ${GRADPROOF_KERNEL_SIMD})

option(GRADPROOF_PORTABLE "Plain C++ in the kernels: for processors that xsimd does not know" OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" AND NOT GRADPROOF_PORTABLE)
  set(archs baseline avx2 avx512)
else()
  set(archs baseline)
endif()
if(GRADPROOF_SANITIZE)
  list(REMOVE_ITEM archs avx512)  # of the same sources as avx2, and clang takes minutes for two of them
endif()
set(GRADPROOF_KERNEL_ARCHS "${archs}" CACHE STRING "Instruction sets the kernels are built for; baseline is always among them")
if(GRADPROOF_PORTABLE)
  set(GRADPROOF_KERNEL_ARCHS baseline)
endif()
set(GRADPROOF_ARCH_FLAGS_baseline "")
set(GRADPROOF_ARCH_FLAGS_avx2 -mavx2 -mfma)
set(GRADPROOF_ARCH_FLAGS_avx512 -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512)

set(GRADPROOF_KERNEL_OPTIMISATION -O3)
if(GRADPROOF_SANITIZE)
  # More takes g++ minutes and gigabytes there, and the last takes half of clang's time.
  set(GRADPROOF_KERNEL_OPTIMISATION -O1 -fno-sanitize=pointer-overflow)
endif()
set(GRADPROOF_KERNEL_OBJECTS "")
set(have "")
foreach(arch IN LISTS GRADPROOF_KERNEL_ARCHS)
  set(kernels gradproof_kernels_${arch})
  add_library(${kernels} OBJECT ${GRADPROOF_KERNEL_SIMD})
  target_include_directories(${kernels} PRIVATE ${GRADPROOF_INCLUDE})
  target_link_libraries(${kernels} PRIVATE gradproof_options xsimd)
  # Always optimised: unoptimised, arch-independent inline functions of one architecture could be linked into another.
  # g++ 12 takes variables inside the headers of the intrinsics for uninitialised.
  target_compile_options(${kernels} PRIVATE ${GRADPROOF_KERNEL_OPTIMISATION} ${GRADPROOF_ARCH_FLAGS_${arch}} -Wno-uninitialized $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_compile_definitions(${kernels} PRIVATE GRADPROOF_ARCH=${arch} GRADPROOF_ARCH_${arch}=1
    $<$<BOOL:${GRADPROOF_PORTABLE}>:GRADPROOF_PORTABLE=1> $<$<BOOL:${GRADPROOF_OPENBLAS}>:GRADPROOF_OPENBLAS=1>)
  if(GRADPROOF_SANITIZE MATCHES undefined AND NOT arch STREQUAL baseline)
    target_compile_options(${kernels} PRIVATE -fno-sanitize=undefined)  # of the same sources, at twice the time to compile
  endif()
  list(APPEND GRADPROOF_KERNEL_OBJECTS $<TARGET_OBJECTS:${kernels}>)
  list(APPEND have GRADPROOF_HAVE_${arch}=1)
endforeach()
set_source_files_properties(${CMAKE_SOURCE_DIR}/ops/kernels/kernels.cpp PROPERTIES COMPILE_DEFINITIONS "${have}")
