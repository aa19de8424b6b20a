# Included, it defines gradproof_embed(); run as a script, it writes a C++ source that holds text files as string literals:
# gradproof::NAMESPACE::embedded_files() of core/proof/library/embedded.hpp.
#   cmake -DOUTPUT=x.cpp -DNAMESPACE=proof -DINPUTS=a.proof|b.proof -P embed.cmake
if(NOT CMAKE_SCRIPT_MODE_FILE)
  # Text files inside a library: the source that holds those that match is appended to the list `sources`.
  function(gradproof_embed sources namespace pattern)
    file(GLOB files CONFIGURE_DEPENDS ${pattern})
    string(REPLACE ";" "|" list "${files}")
    set(source ${CMAKE_BINARY_DIR}/embedded_${namespace}.cpp)
    set(script ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
    add_custom_command(OUTPUT ${source} COMMAND ${CMAKE_COMMAND} -DOUTPUT=${source} -DNAMESPACE=${namespace} "-DINPUTS=${list}" -P ${script}
      DEPENDS ${files} ${script} COMMENT "Embedding ${pattern}" VERBATIM)
    set(${sources} ${${sources}} ${source} PARENT_SCOPE)
  endfunction()
  return()
endif()

# Literals are kept below 60 kB each, and a file is the concatenation of its pieces.
string(REPLACE "|" ";" INPUTS "${INPUTS}")
set(piece 50000)
set(tables "")
set(rows "")
foreach(input IN LISTS INPUTS)
  get_filename_component(name "${input}" NAME_WE)
  file(READ "${input}" text)
  string(LENGTH "${text}" length)
  set(pieces "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} ${piece} part)
    string(APPEND pieces "    R\"embedded(${part})embedded\",\n")
    math(EXPR at "${at} + ${piece}")
  endwhile()
  string(APPEND tables "constexpr std::string_view k_${name}[] = {\n${pieces}};\n")
  string(APPEND rows "        {\"${name}\", k_${name}},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Written by tools/cmake/embed.cmake at build time.
#include \"gradproof/core/proof/library/embedded.hpp\"

namespace gradproof::${NAMESPACE} {
namespace {
${tables}}  // namespace

std::vector<EmbeddedFile> embedded_files() {
    return {
${rows}    };
}

}  // namespace gradproof::${NAMESPACE}
")
