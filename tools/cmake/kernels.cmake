# Kernel sources that are compiled once per instruction set and chosen at run time.
# ops/kernels/*.cpp is ordinary code; ops/kernels/simd/*.cpp is built for each architecture below.
file(GLOB GRADPROOF_KERNEL_PLAIN CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/ops/kernels/*.cpp)
file(GLOB GRADPROOF_KERNEL_SIMD CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/ops/kernels/simd/*.cpp)

option(GRADPROOF_PORTABLE "Only plain C++ in the kernels: for processors that xsimd does not know" OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" AND NOT GRADPROOF_PORTABLE)
  set(archs baseline avx2 avx512)
else()
  set(archs baseline)
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
  set(GRADPROOF_KERNEL_OPTIMISATION -O1)  # more takes g++ minutes and gigabytes there
endif()
set(GRADPROOF_KERNEL_SOURCES ${GRADPROOF_KERNEL_PLAIN})
foreach(arch IN LISTS GRADPROOF_KERNEL_ARCHS)
  if(GRADPROOF_KERNEL_SIMD)
    add_library(gradproof_kernels_${arch} OBJECT ${GRADPROOF_KERNEL_SIMD})
    target_compile_features(gradproof_kernels_${arch} PUBLIC cxx_std_20)
    target_include_directories(gradproof_kernels_${arch} PRIVATE ${GRADPROOF_INCLUDE})
    target_link_libraries(gradproof_kernels_${arch} PRIVATE gradproof_warnings gradproof_sanitizers xsimd)
    # Always optimised: unoptimised, arch-independent inline functions of one architecture could be linked into another.
    target_compile_options(gradproof_kernels_${arch} PRIVATE ${GRADPROOF_KERNEL_OPTIMISATION} -Wno-uninitialized $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> ${GRADPROOF_ARCH_FLAGS_${arch}})
    target_compile_definitions(gradproof_kernels_${arch} PRIVATE GRADPROOF_ARCH=${arch} GRADPROOF_ARCH_${arch}=1
                               $<$<BOOL:${GRADPROOF_PORTABLE}>:GRADPROOF_PORTABLE=1>)
    list(APPEND GRADPROOF_HAVE GRADPROOF_HAVE_${arch}=1)
    list(APPEND GRADPROOF_KERNEL_SOURCES $<TARGET_OBJECTS:gradproof_kernels_${arch}>)
  endif()
endforeach()
set_source_files_properties(${CMAKE_SOURCE_DIR}/ops/kernels/kernels.cpp PROPERTIES COMPILE_DEFINITIONS "${GRADPROOF_HAVE}")
