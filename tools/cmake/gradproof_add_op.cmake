# gradproof_add_op(name source...) builds lib<name>.so, whose ops `gradproof check --plugin` and `gradproof ops --plugin` know.
# The target is <name>_op, so that no name of an op can be one that CMake keeps for itself.
function(gradproof_add_op name)
  if(NOT ARGN)
    message(FATAL_ERROR "gradproof_add_op(${name}): give its source: gradproof_add_op(${name} ${name}.cpp)")
  endif()
  get_target_property(type gradproof::gradproof TYPE)
  if(NOT type STREQUAL SHARED_LIBRARY)
    message(FATAL_ERROR "gradproof_add_op(${name}): this gradproof is a static library, which loads no plugins: link your sources with it instead")
  endif()
  add_library(${name}_op SHARED ${ARGN})
  set_target_properties(${name}_op PROPERTIES OUTPUT_NAME ${name} PREFIX lib SUFFIX .so CXX_EXTENSIONS OFF)
  target_link_libraries(${name}_op PRIVATE gradproof::gradproof)
  target_compile_options(${name}_op PRIVATE -Wall -Wextra $<$<CONFIG:>:-O2>)  # without a build type nothing would be optimised
  # Two plugins may name their structs alike: each keeps its own.
  target_compile_options(${name}_op PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
endfunction()
