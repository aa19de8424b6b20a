// The command line by CLI11.
#include "tools/cli/command_line.hpp"

#include <charconv>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "core/errors.hpp"
#include "core/io/file.hpp"
#include "core/shape.hpp"
#include "core/version.hpp"

namespace gradproof::cli {

const Option& Option::required() const { return option_->required(), *this; }
const Option& Option::show_default() const { return option_->capture_default_str(), *this; }
const Option& Option::one_value() const { return option_->allow_extra_args(false), *this; }
const Option& Option::one_of(const std::vector<std::string>& all) const { return option_->check(CLI::IsMember(all)), *this; }
const Option& Option::hidden() const { return option_->group(""), *this; }

namespace {

/// What CLI11 asks of a check: "" or what is wrong.
std::string expect_natural(const std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const std::from_chars_result read = std::from_chars(text.data(), end, value);
    return read.ec == std::errc() && read.ptr == end ? "" : fmt::format("{}, expected a whole number from 0 to 2^64 - 1", printable(text, 60));
}

}  // namespace

Command Command::command(const std::string& name, const std::string& text) const { return {*app_->add_subcommand(name, text), *action_}; }
void Command::needs_a_command() const { app_->require_subcommand(1); }
template <class T>
Option Command::option(const std::string& name, T& field, const std::string& text) const {
    CLI::Option* option = app_->add_option(name, field, text);
    if constexpr (std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::optional<std::uint64_t>>)
        option->check(CLI::Validator(expect_natural, ""));  // a sign, or too many digits, would be taken as another number
    return Option(*option);
}
Option Command::flag(const std::string& name, bool& field, const std::string& text) const { return Option(*app_->add_flag(name, field, text)); }
void Command::runs(Action action) const {
    app_->callback([chosen = action_, action = std::move(action)] { *chosen = action; });
}
void Command::hide() const { app_->group(""); }

template Option Command::option(const std::string&, std::string&, const std::string&) const;
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&) const;
template Option Command::option(const std::string&, double&, const std::string&) const;
template Option Command::option(const std::string&, int&, const std::string&) const;
template Option Command::option(const std::string&, Index&, const std::string&) const;
template Option Command::option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<std::string>&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<double>&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<Index>&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<std::uint64_t>&, const std::string&) const;

namespace {

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
        const std::string near = nearest(unknown, known);
        return fmt::format("{}unknown {} {}{}", chosen.empty() ? "" : at.get_name() + ": ",
                           option           ? "option"
                           : chosen.empty() ? "command"
                                            : "argument",
                           printable(unknown, 60), near.empty() ? "" : "; did you mean " + near);
    }
    return fmt::format("{}{}", chosen.empty() ? "" : at.get_name() + ": ", e.what());
}

}  // namespace

int run_program(int argc, char** argv, const std::vector<void (*)(const Command& program)>& commands) {
    CLI::App app{"gradproof: proofreads gradients"};
    app.set_version_flag("--version", "gradproof " + version());
    Action action;
    const Command program(app, action);
    program.needs_a_command();
    for (const auto add : commands) add(program);
    try {
        app.parse(argc, argv);
        return action();
    } catch (const CLI::Success& e) {
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        fmt::print(stderr, "gradproof: {}\n", first_line(explain(app, e)));
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "gradproof: not enough memory\n");
    } catch (const std::exception& e) {
        fmt::print(stderr, "gradproof: {}\n", first_line(e.what()));
    }
    return kUsage;
}

}  // namespace gradproof::cli
