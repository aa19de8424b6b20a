# Installs the build into a temporary prefix and builds, against it, the plugins that the tests of the sandbox load.
# cmake -DBUILD=<build dir> -DSOURCE=<source tree> -DWORK=<scratch> -DCXX=<compiler> [-DCXX_FLAGS=...] [-DCCACHE=...] -P run.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed:\n${out}")
  endif()
  message("${out}")
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
set(configure ${CMAKE_COMMAND} -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
if(CCACHE)
  list(APPEND configure -DCMAKE_CXX_COMPILER_LAUNCHER=${CCACHE})
endif()

# A block of code of ops/README.md, as it stands there, found by how it begins.
function(take_from_readme first_line file)
  file(READ ${SOURCE}/ops/README.md readme)
  string(FIND "${readme}" "```cpp\n${first_line}" begin)
  math(EXPR begin "${begin} + 7")
  string(SUBSTRING "${readme}" ${begin} -1 readme)
  string(FIND "${readme}" "```" end)
  string(SUBSTRING "${readme}" 0 ${end} readme)
  file(WRITE ${file} "${readme}")
endfunction()
take_from_readme("#include \"gradproof/core/algebra.hpp\"" ${WORK}/readme/readme.cpp)
take_from_readme("#include \"gradproof/core/kernel.hpp\"" ${WORK}/readme/readme_kernel.cpp)
take_from_readme("#include \"gradproof/core/registry.hpp\"" ${WORK}/readme/readme_square.cpp)

# The headers of a later version, as far as they differ.
file(READ ${SOURCE}/core/version.hpp version)
string(REGEX REPLACE "kVersionMinor = [0-9]+" "kVersionMinor = 97" version "${version}")
file(WRITE ${WORK}/other_version/gradproof/core/version.hpp "${version}")

run(${configure} -S ${SOURCE}/tests/sandbox -B ${WORK}/plugins -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
    -DREADME_OP=${WORK}/readme/readme.cpp -DREADME_KERNEL=${WORK}/readme/readme_kernel.cpp
    -DREADME_SQUARE=${WORK}/readme/readme_square.cpp
    -DOTHER_VERSION=${WORK}/other_version)
run(${CMAKE_COMMAND} --build ${WORK}/plugins)

# What `gradproof new-op` writes, built as it says. An op may have any name, also one that CMake keeps for itself.
run(${WORK}/prefix/bin/gradproof new-op test --dir ${WORK}/new_op)
run(${configure} -S ${WORK}/new_op -B ${WORK}/new_op/build)
run(${CMAKE_COMMAND} --build ${WORK}/new_op/build)

# Pages that `gradproof derive` writes, built alike: matrices, index form, a loss, places in an array, sizes that no input shows, a
# gradient that cancels to rounding where all inputs are 0, deviations from a mean that meet large weights, steps row by row.
set(derived "")
foreach(name attention layer_norm lstm_step softmax_rows cross_entropy embedding relative_positions back_in_time readme/recurrent distillation transformer_block)
  if(EXISTS ${SOURCE}/tests/proofs/${name}.proof)
    set(of ${SOURCE}/tests/proofs/${name}.proof)
    get_filename_component(name ${name} NAME)
  else()
    set(of --proof ${name})
  endif()
  execute_process(COMMAND ${WORK}/prefix/bin/gradproof derive ${of} --as cpp OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${WORK}/derived/${name}.cpp "${page}")
  list(APPEND derived ${name}.cpp)
endforeach()
list(JOIN derived " " derived)
file(WRITE ${WORK}/derived/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(derived LANGUAGES CXX)
find_package(gradproof REQUIRED)
gradproof_add_op(derived ${derived})
")
run(${configure} -S ${WORK}/derived -B ${WORK}/derived/build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0)
run(${CMAKE_COMMAND} --build ${WORK}/derived/build)
