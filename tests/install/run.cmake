# Installs the build into a temporary prefix, builds the outside project against it, and runs it.
# cmake -DBUILD=<build dir> -DSOURCE=<tests/install> -DOPS=<ops> -DWORK=<scratch> -P run.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed:\n${out}")
  endif()
  message("${out}")
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/outside -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX}
    "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/outside)

# Each page of ops/ is registered there, also where the library is an archive that a linker takes pieces of.
set(pages 0)
file(GLOB sources ${OPS}/*.cpp)
foreach(source IN LISTS sources)
  file(STRINGS ${source} registered REGEX "^GRADPROOF_OP\\(")
  list(LENGTH registered count)
  math(EXPR pages "${pages} + ${count}")
endforeach()
execute_process(COMMAND ${WORK}/build/count_ops OUTPUT_VARIABLE ops OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT ops EQUAL pages)
  message(FATAL_ERROR "the outside project finds ${ops} ops, ops/ has ${pages}")
endif()
run(${WORK}/prefix/bin/gradproof ops softmax)
