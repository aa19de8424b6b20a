# Fails if a kernel object built for a wide instruction set offers a weak symbol: the linker could use it in code for every processor.
#   cmake -DNM=nm -DOBJECTS=a.o,b.o -P kernel_symbols.cmake
string(REPLACE "," ";" objects "${OBJECTS}")
foreach(object IN LISTS objects)
  execute_process(COMMAND ${NM} -C --defined-only ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]* [WVu] [^\n]*" weak "${symbols}")
  list(FILTER weak EXCLUDE REGEX "DW\\.ref\\.__gxx_personality_v0")
  if(weak)
    string(REPLACE ";" "\n  " weak "${weak}")
    message(FATAL_ERROR "${object} defines symbols that another instruction set could be given:\n  ${weak}")
  endif()
endforeach()
