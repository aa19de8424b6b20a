# The library: the objects of the checker (core, ops), those of nn, and the target gradproof made of them.
function(gradproof_objects target)
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(${target} PRIVATE ${GRADPROOF_INCLUDE})
  set(libraries ${GRADPROOF_LIBRARIES})
  list(REMOVE_ITEM libraries PkgConfig::openblas)  # platform.cmake names its headers to the one source that includes them
  target_link_libraries(${target} PRIVATE gradproof_options fmt::fmt xtensor ${libraries})
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)  # calls within the library are direct, not through a table
  gradproof_unite(${target} ${ARGN})
endfunction()
# What reads texts and files, with the branches counted that lead the fuzzers (elsewhere that would only slow the tests), and the rest.
set(readers ${GRADPROOF_SOURCES})
list(FILTER readers INCLUDE REGEX "core/(io/|proof/|attrs)|/embedded_")
set(others ${GRADPROOF_SOURCES})
list(REMOVE_ITEM others ${readers})
gradproof_objects(gradproof_checker ${others})
gradproof_objects(gradproof_readers ${readers})
target_compile_options(gradproof_readers PRIVATE ${GRADPROOF_COVERAGE})
set(precompiled <algorithm> <cmath> <functional> <map> <optional> <string> <vector> <fmt/format.h>
  <gradproof/core/op.hpp> <gradproof/core/tape.hpp>)
gradproof_precompile(gradproof_checker ${precompiled})
gradproof_precompile(gradproof_readers REUSE_FROM gradproof_checker)
gradproof_objects(gradproof_nn ${GRADPROOF_NN_SOURCES})
gradproof_precompile(gradproof_nn REUSE_FROM gradproof_checker)
# Random numbers must round alike on every machine.
set_source_files_properties(core/random.cpp PROPERTIES COMPILE_OPTIONS "-ffp-contract=off" SKIP_PRECOMPILE_HEADERS ON)

# The pages once more, for element types that the library has not: sources that instantiate for a list of types instantiate for
# these alone.
set(generic "")
foreach(source IN LISTS GRADPROOF_SOURCES)
  if(NOT source MATCHES "core/check/" AND EXISTS ${source})  # embedded files are not written yet
    file(STRINGS ${source} lists REGEX "^GRADPROOF_(FOR_|OP|FUNCTION_)" LIMIT_COUNT 1)
  else()
    set(lists "")
  endif()
  if(lists)
    list(APPEND generic ${source})
  endif()
endforeach()
gradproof_objects(gradproof_bounds ${generic})
target_compile_definitions(gradproof_bounds PRIVATE GRADPROOF_ONLY_BOUNDS)
gradproof_precompile(gradproof_bounds ${precompiled})

set(GRADPROOF_EXTRA_SCALAR "" CACHE STRING "An element type more, as C++ names it: Dual<Dual<double>>")
set(GRADPROOF_EXTRA_SCALAR_HEADER "" CACHE STRING "The header that defines it; none for what core/scalar.hpp defines")
if(GRADPROOF_EXTRA_SCALAR)
  gradproof_objects(gradproof_extra_scalar ${generic})
  target_compile_definitions(gradproof_extra_scalar PRIVATE GRADPROOF_EXTRA_SCALAR=${GRADPROOF_EXTRA_SCALAR}
    $<$<BOOL:${GRADPROOF_EXTRA_SCALAR_HEADER}>:GRADPROOF_EXTRA_SCALAR_HEADER="${GRADPROOF_EXTRA_SCALAR_HEADER}">)
  set(objects $<TARGET_OBJECTS:gradproof_extra_scalar>)
endif()

# A shared library, or an archive of a single object: pages and kernels register themselves and nothing refers to them, so of an
# archive of many objects a linker would leave them out.
set(GRADPROOF_CHECKER_OBJECTS $<TARGET_OBJECTS:gradproof_checker> $<TARGET_OBJECTS:gradproof_readers> $<TARGET_OBJECTS:gradproof_bounds> ${GRADPROOF_KERNEL_OBJECTS})
list(PREPEND objects ${GRADPROOF_CHECKER_OBJECTS} $<TARGET_OBJECTS:gradproof_nn>)
if(BUILD_SHARED_LIBS)
  add_library(gradproof SHARED ${objects})
  set_target_properties(gradproof PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
  if(UNIX AND NOT APPLE)
    target_link_options(gradproof PRIVATE -Wl,-Bsymbolic-functions)
  endif()
else()
  set(joined ${CMAKE_BINARY_DIR}/gradproof.o)
  set(objects "$<FILTER:${objects},EXCLUDE,[.]gch$>")  # a precompiled header counts as an object
  add_custom_command(OUTPUT ${joined} DEPENDS "${objects}"
    COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -o ${joined} "${objects}"
    COMMAND_EXPAND_LISTS VERBATIM COMMENT "Joining the objects of the library")
  add_library(gradproof STATIC ${joined})
endif()
add_library(gradproof::gradproof ALIAS gradproof)
set_target_properties(gradproof PROPERTIES LINKER_LANGUAGE CXX)
target_compile_features(gradproof PUBLIC cxx_std_20)
target_include_directories(gradproof PUBLIC $<BUILD_INTERFACE:${GRADPROOF_INCLUDE}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(gradproof PUBLIC fmt::fmt xtensor PRIVATE $<BUILD_INTERFACE:gradproof_options> ${GRADPROOF_LIBRARIES})
