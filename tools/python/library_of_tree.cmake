# The target gradproof::gradproof, and its file as `library`: that of build/release of this tree, brought up to date. What was built
# there is kept.
set(build ${root}/build/release)
if(NOT EXISTS ${build}/CMakeCache.txt)
  execute_process(COMMAND ${CMAKE_COMMAND} --preset release WORKING_DIRECTORY ${root} COMMAND_ERROR_IS_FATAL ANY)
endif()
message(STATUS "gradproof: building the library in ${build}: minutes, where nothing is built yet")
execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --target gradproof COMMAND_ERROR_IS_FATAL ANY)
set(library ${build}/libgradproof.so)
foreach(package fmt xtl xtensor)
  find_package(${package} REQUIRED)
endforeach()
add_library(gradproof::gradproof SHARED IMPORTED)
set_target_properties(gradproof::gradproof PROPERTIES IMPORTED_LOCATION ${library} INTERFACE_INCLUDE_DIRECTORIES ${build}/include
  INTERFACE_LINK_LIBRARIES "fmt::fmt;xtensor")
