// The program `gradproof`: parses the command line, runs one command, and turns errors into one line and an exit status.
#include <iostream>

#include <fmt/core.h>

#include "core/errors.hpp"
#include "tools/cli/commands.hpp"

namespace {

using namespace gradproof::cli;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"gradproof: proofreads gradients"};
    app.set_version_flag("--version", "gradproof " GRADPROOF_VERSION);
    app.require_subcommand(1);
    Action action;
    add_check_command(app, action);
    add_ops_command(app, action);
    add_replay_command(app, action);
    add_train_command(app, action);
    try {
        app.parse(argc, argv);
        return action();
    } catch (const CLI::Success& e) {
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        fmt::print(stderr, "gradproof: {}\n", first_line(e.what()));
        return kUsage;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "gradproof: not enough memory\n");
        return kUsage;
    } catch (const std::exception& e) {
        fmt::print(stderr, "gradproof: {}\n", first_line(e.what()));
        return kUsage;
    }
}
