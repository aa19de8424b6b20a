# Writes a C++ source that holds text files as string literals: gradproof::NAMESPACE::embedded_files() of tools/embedded.hpp.
#   cmake -DOUTPUT=x.cpp -DNAMESPACE=replay -DINPUTS=a.json|b.json -P embed.cmake
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
#include \"tools/embedded.hpp\"

namespace gradproof::${NAMESPACE} {
namespace {
${tables}}  // namespace

std::vector<EmbeddedFile> embedded_files() {
    return {
${rows}    };
}

}  // namespace gradproof::${NAMESPACE}
")
