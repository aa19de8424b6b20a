// The program `gradproof`.
#include "tools/cli/command_line.hpp"

int main(int argc, char** argv) { return gradproof::cli::run_program(argc, argv); }
