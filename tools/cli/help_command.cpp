// `gradproof help [COMMAND]`: the commands, or the manual page of one.
#include <algorithm>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "tools/cli/help.hpp"

namespace gradproof::cli {

std::string indented(const std::string& text, const std::string& by) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = std::min(text.find('\n', i), text.size());
        if (end > i) out += by + text.substr(i, end - i);
        out += "\n";
        i = end + 1;
    }
    return out;
}

namespace {

std::string section(const std::string& title, const std::string& text) {
    return text.empty() ? "" : title + "\n" + indented(text) + "\n";
}

/// Each option with its text below it.
std::string options_of(const CLI::App& command) {
    std::string out;
    for (const CLI::Option* o : command.get_options()) {
        if (o->get_group().empty()) continue;
        const bool flag = o->get_items_expected_max() == 0;
        out += o->get_name(o->get_positional(), true);
        if (!flag && !o->get_positional()) out += " " + o->get_type_name();
        if (!o->get_default_str().empty()) out += " (" + o->get_default_str() + ")";
        if (o->get_required()) out += " (required)";
        out += "\n    " + o->get_description() + "\n";
    }
    for (const CLI::App* sub : command.get_subcommands({}))
        out += "\n" + sub->get_name() + "\n    " + sub->get_description() + "\n" + indented(options_of(*sub));
    return out;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    std::vector<const CLI::App*> out;
    for (const CLI::App* c : app.get_subcommands({}))
        if (!c->get_group().empty()) out.push_back(c);
    std::sort(out.begin(), out.end(), [](const CLI::App* a, const CLI::App* b) { return a->get_name() < b->get_name(); });
    return out;
}

constexpr const char* kExit = "EXIT STATUS\n";

std::string usage_of(const CLI::App& command, const std::string& name) {
    std::string out = "gradproof " + name + " [OPTIONS]";
    for (const CLI::Option* o : command.get_options())
        if (o->get_positional()) {
            const std::string word = o->get_name(true) + (o->get_items_expected_max() > 1 ? "..." : "");
            out += o->get_required() ? " " + word : " [" + word + "]";
        }
    return out;
}

/// NAME, SYNOPSIS, DESCRIPTION, OPTIONS, EXIT STATUS, JSON, EXAMPLES.
std::string manual(const CLI::App& command) {
    std::string usage;
    const auto subs = command.get_subcommands({});
    for (const CLI::App* s : subs) usage += usage_of(*s, command.get_name() + " " + s->get_name()) + "\n";
    if (subs.empty()) usage = usage_of(command, command.get_name());
    const std::string described = command.get_footer();
    const std::size_t exit = std::min(described.find(kExit), described.size());
    return section("NAME", command.get_name() + " - " + command.get_description()) + section("SYNOPSIS", usage) +
           described.substr(0, exit) + section("OPTIONS", options_of(command)) + described.substr(exit);
}

/// Of "exercise show" the page of exercise, which describes its commands too.
int help(const CLI::App& app, const std::vector<std::string>& words) {
    const std::string which = words.empty() ? "" : words[0];
    const auto commands = commands_of(app);
    if (which.empty()) {
        for (const CLI::App* c : commands)
            fmt::print("{:<10} {}\n", c->get_name(), c->get_description().substr(0, c->get_description().find(": exit")));
        fmt::print("`gradproof help COMMAND` prints the page of one\n");
        return kOk;
    }
    std::vector<std::string> names;
    for (const CLI::App* c : commands) {
        if (c->get_name() == which) {
            const auto below = c->get_subcommands({});
            for (std::size_t i = 1; i < words.size(); ++i)
                if (i > 1 || std::ranges::find(below, words[i], [](const CLI::App* a) { return a->get_name(); }) == below.end())
                    value_error("help: {} has no command {}", which, printable(words[i], 60));
            fmt::print("{}", manual(*c));
            return kOk;
        }
        names.push_back(c->get_name());
    }
    value_error("help: no command named {}{}", printable(which, 60), did_you_mean(which, names, "; `gradproof help` lists them"));
}

}  // namespace

void describe(const Command& command, const HelpPage& page) {
    command.app().footer("DESCRIPTION\n" + indented(page.description) + "\n" + kExit + indented(page.exit_status) +
                         (page.contracts.empty() ? "" : "\nCONTRACTS\n" + indented(page.contracts)) +
                         (page.json.empty() ? "" : "\nJSON\n" + indented(page.json)) + "\nEXAMPLES\n" + indented(page.examples));
}

namespace {

void set_up_help(const Command& command) {
    auto which = std::make_shared<std::vector<std::string>>();
    command.option("command", *which, "A command; of `exercise show` the page of exercise").takes("COMMAND");
    describe(command, {.description = "Without COMMAND: every command, with one line each.",
                       .exit_status = "0 done, 2 no such command",
                       .examples = R"page(gradproof help
gradproof help check)page"});
    command.runs([which, &app = *command.app().get_parent()] { return help(app, *which); });
}
const NewCommand kHelp("help", "The list of commands; with COMMAND, its full help", set_up_help);

}  // namespace

}  // namespace gradproof::cli
