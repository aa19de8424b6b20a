// Options of the train command by their fields: on the command line, in the help, merged into those of a run.
#include "tools/cli/train_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tools/cli/train_command.hpp"

namespace gradproof::cli {
namespace {

/// ": f32 or f64" for an enumeration.
template <class T>
std::string choices(const T& value) {
    std::string out;
    if constexpr (NamedEnum<T>) {
        const auto& all = names(value);
        for (std::size_t i = 0; i < all.size(); ++i)
            out += (i == 0 ? ": " : i + 1 == all.size() ? " or " : ", ") + std::string(all[i]);
    }
    return out;
}

std::string capitalised(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

std::string task_prefix(Task task) { return capitalised(name_of(task)) + ": "; }

[[noreturn]] void refuse_for(std::string_view name, Task needed, Task task) {
    value_error("train: {} is an option of the task {}; this is the task {}", flag(name), name_of(needed), name_of(task));
}

template <class T>
bool given(const T& value) {
    if constexpr (std::is_same_v<T, bool>)
        return value;
    else if constexpr (std::is_same_v<T, std::string>)
        return !value.empty();
    else
        return value.has_value();
}

}  // namespace

/// An option of one or more tasks, with the default of each.
struct OptionHelp {
    std::string name, text;
    std::vector<std::pair<Task, std::string>> defaults;
    std::function<void(const Command&, const std::string& help)> add;

    std::string line() const {
        if (defaults.size() == 1) return fmt::format("{}{} [{}]", task_prefix(defaults[0].first), text, defaults[0].second);
        std::string values = defaults[0].second;
        for (std::size_t i = 1; i < defaults.size(); ++i)
            if (defaults[i].second != values) values += fmt::format("; {}: {}", name_of(defaults[i].first), defaults[i].second);
        return fmt::format("{} [{}]", capitalised(text), values);
    }
};

template <class T>
auto& TypedOptions::slot(auto& typed, const T&) {
    if constexpr (std::is_same_v<T, Index>)
        return typed.whole;
    else if constexpr (std::is_same_v<T, std::uint64_t>)
        return typed.natural;
    else if constexpr (std::is_same_v<T, double>)
        return typed.number;
    else
        return typed.word;
}

template <class Options>
void TypedOptions::collect(Task task, std::vector<OptionHelp>& helps) {
    const Options defaults{};
    Options::fields(defaults, [&](const OptionField& f, const auto& value) {
        if (f.help.empty()) return;
        Typed& typed = typed_[std::string(f.name)];
        typed.tasks.push_back(task);
        // The library trains on the file it is given; what there is without one is the program's.
        const std::string_view unset = f.name == "data" ? "the licences of Debian" : f.unset;
        const std::string shown = unset.empty() ? option_text(value) : std::string(unset);
        const auto at = std::find_if(helps.begin(), helps.end(), [&](const OptionHelp& h) { return h.name == f.name; });
        if (at != helps.end()) return at->defaults.emplace_back(task, shown), void();
        const std::string names = flag(f.name) + (f.alias.empty() ? "" : "," + flag(f.alias));
        helps.push_back({std::string(f.name),
                         std::string(f.help) + choices(value),
                         {{task, shown}},
                         [&field = slot(typed, value), names](const Command& command, const std::string& help) {
                             command.option(names, field, help);
                         }});
    });
}

void TypedOptions::add_to(const Command& command) {
    std::vector<OptionHelp> helps;
    collect<ExpressionTrainOptions>(Task::expressions, helps);
    collect<TextTrainOptions>(Task::text, helps);
    std::stable_partition(helps.begin(), helps.end(), [](const OptionHelp& h) { return h.defaults.size() > 1; });
    for (const OptionHelp& h : helps) h.add(command, h.line());
}

void TypedOptions::expect_only_of(Task task) const {
    for (const auto& [name, typed] : typed_)
        if (typed.given() && std::find(typed.tasks.begin(), typed.tasks.end(), task) == typed.tasks.end())
            refuse_for(name, typed.tasks.front(), task);
}

template <class Options>
void TypedOptions::merge_into(Options& options, const std::string& resume) const {
    Options::fields(options, [&]<class T>(const OptionField& f, T& into) {
        if (f.help.empty()) return;
        const auto& typed = slot(typed_.find(f.name)->second, into);
        if (!typed) return;
        T value;
        if constexpr (NamedEnum<T>)
            value = value_typed<T>(f.name, *typed);
        else
            value = *typed;
        if (!resume.empty() && f.resume == OnResume::same && value != into)
            value_error("train: {0} differs from the checkpoint: {0} is {1}, {2} was trained with {3}; leave it out to resume",
                        flag(f.name), *typed, resume, option_text(into));
        into = value;
    });
    const bool keeps_decay = !resume.empty() || given("weight-decay");
    fit_to_kind(options.optimiser, keeps_decay, given("momentum") ? flag("momentum") : "");
}
template void TypedOptions::merge_into(ExpressionTrainOptions&, const std::string&) const;
template void TypedOptions::merge_into(TextTrainOptions&, const std::string&) const;

void add_command_options(const Command& command, TrainCommand& c) {
    TrainCommand::fields(c, [&]<class T>(const CommandField& f, T& value) {
        const std::string help = (f.task ? task_prefix(*f.task) : "") + std::string(f.help);
        if constexpr (std::is_same_v<T, bool>)
            command.flag(flag(f.name), value, help);
        else
            command.option(flag(f.name), value, help);
    });
}

void check_command_options(const TrainCommand& c, Task task) {
    TrainCommand::fields(c, [&](const CommandField& f, const auto& value) {
        if (!given(value)) return;
        if (f.task && *f.task != task) refuse_for(f.name, *f.task, task);
        if constexpr (requires { expect_in_range(f.name, *value, f.range); }) expect_in_range(flag(f.name), *value, f.range);
    });
}

std::string resume_command(const TrainCommand& c, const std::string& folder) {
    std::string out = "gradproof train --resume " + shell_word(folder);
    TrainCommand::fields(c, [&]<class T>(const CommandField& f, const T& value) {
        if (!f.repeated || !given(value)) return;
        out += " " + flag(f.name);
        if constexpr (std::is_same_v<T, std::string>)
            out += " " + shell_word(value);
        else if constexpr (!std::is_same_v<T, bool>)
            out += fmt::format(" {}", *value);
    });
    return out;
}

}  // namespace gradproof::cli
