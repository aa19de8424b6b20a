// The program `gradproof`: parses the command line, runs one command, and turns errors into one line and an exit status.
#include <iostream>

#include <fmt/core.h>

#include "core/errors.hpp"
#include "core/io/file.hpp"
#include "tools/cli/commands.hpp"

namespace {

using namespace gradproof::cli;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// What is wrong with the command line, with the nearest known word where a command or an option is unknown.
std::string explain(CLI::App& app, const CLI::ParseError& e) {
    const auto chosen = app.get_subcommands();
    const CLI::App& at = chosen.empty() ? app : *chosen.front();
    for (const std::string& word : app.remaining(true)) {
        std::vector<std::string> known;
        const bool option = word.size() > 1 && word[0] == '-';
        const std::string unknown = word.substr(0, option ? word.find('=') : std::string::npos);
        if (option)
            for (const CLI::Option* o : at.get_options())
                for (const std::string& name : o->get_lnames()) known.push_back("--" + name);
        else if (chosen.empty())
            for (const CLI::App* command : app.get_subcommands({}))
                if (!command->get_group().empty()) known.push_back(command->get_name());
        const std::string near = gradproof::nearest(unknown, known);
        return fmt::format("{}unknown {} {}{}", chosen.empty() ? "" : at.get_name() + ": ",
                           option           ? "option"
                           : chosen.empty() ? "command"
                                            : "argument",
                           gradproof::printable(unknown, 60), near.empty() ? "" : "; did you mean " + near);
    }
    return fmt::format("{}{}", chosen.empty() ? "" : at.get_name() + ": ", e.what());
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"gradproof: proofreads gradients"};
    app.set_version_flag("--version", "gradproof " GRADPROOF_VERSION);
    app.require_subcommand(1);
    Action action;
    add_attention_command(app, action);
    add_check_command(app, action);
    add_compare_command(app, action);
    add_exercise_command(app, action);
    add_explain_command(app, action);
    add_help_command(app, action);
    add_judge_command(app, action);
    add_new_op_command(app, action);
    add_ops_command(app, action);
    add_proofs_command(app, action);
    add_replay_command(app, action);
    add_train_command(app, action);
    try {
        app.parse(argc, argv);
        return action();
    } catch (const CLI::Success& e) {
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        fmt::print(stderr, "gradproof: {}\n", first_line(explain(app, e)));
        return kUsage;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "gradproof: not enough memory\n");
        return kUsage;
    } catch (const std::exception& e) {
        fmt::print(stderr, "gradproof: {}\n", first_line(e.what()));
        return kUsage;
    }
}
