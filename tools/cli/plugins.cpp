// The parent's half of the sandbox; the child's half is the command `judge`.
#include "tools/cli/plugins.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "gradproof/core/platform/files.hpp"
#include "tools/cli/child.hpp"
#include "tools/cli/command_line.hpp"

namespace gradproof::cli {
namespace {

std::vector<std::string> judge_arguments(const std::vector<std::string>& paths) {
    std::vector<std::string> words{"judge"};
    for (const std::string& path : paths) words.push_back("--plugin=" + path);
    return words;
}

/// What a child says is wrong, "" for nothing; a plugin may have written into its pipe.
std::string error_in(const ChildAnswer& answer) {
    if (!answer.value.contains("error")) return "";
    return answer.value["error"].is_string() ? answer.value["error"].get<std::string>() : "answered with what is no answer";
}

std::vector<std::string> without_repeats(const std::vector<std::string>& paths) {
    std::vector<std::string> out;
    std::set<std::filesystem::path> seen;
    for (const std::string& path : paths) {
        std::error_code error;  // a path without a canonical form is told when it is read
        const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, error);
        if (seen.insert(error ? std::filesystem::path(path) : canonical).second) out.push_back(path);
    }
    return out;
}

void expect_time(double seconds) {
    if (!(seconds > 0) || !std::isfinite(seconds)) value_error("--time-limit is {} s, expected more than 0", seconds);
}

/// The child's half of with_plugins.
[[noreturn]] void work_and_answer(const PluginOptions& plugins, const std::function<int()>& work) {
    become_child();
    nlohmann::json out;
    try {
        for (const std::string& path : without_repeats(plugins.paths)) load_plugin(path);
        const int status = work();
        expect_output_written();
        out["status"] = status;
    } catch (const std::exception& e) {
        out["error"] = e.what();
    } catch (...) {
        out["error"] = "an op of a plugin threw something that is not an exception";
    }
    std::fflush(nullptr);
    answer(plugins.answer, out);
    ::_exit(kOk);
}

/// A report that says only how the check of `op` ended, and where it was.
check::OpReport broken(const OpEntry& op, const ChildAnswer& answer) {
    check::OpReport report;
    report.op = op.info.name;
    report.file = op.file;
    report.failure = answer.failure;
    check::ContractResult f;
    f.verdict = check::Verdict::wrong;
    f.sample = "before the first sample";
    f.reason = answer.failure;
    if (const std::string at = answer.at.is_string() ? answer.at.get<std::string>() : ""; !at.empty()) {
        for (int c = 0; c <= static_cast<int>(check::Contract::kernel_special); ++c) {
            const std::string prefix = fmt::format("{}: ", check::name(static_cast<check::Contract>(c)));
            if (!at.starts_with(prefix)) continue;
            f.contract = static_cast<check::Contract>(c);
            f.sample = at.substr(prefix.size());
        }
    }
    for (const KernelEntry& kernel : op.kernels) {  // whose contracts say "kernel: sample"
        const std::string prefix = fmt::format("{}: ", kernel.info.name);
        if (!f.sample.starts_with(prefix)) continue;
        f.sample.erase(0, prefix.size());
        report.kernels.emplace_back().kernel = kernel.info.name;
        report.kernels.back().file = kernel.file;
        report.kernels.back().findings.push_back(std::move(f));
        return report;
    }
    report.findings.push_back(std::move(f));
    return report;
}

}  // namespace

void add_plugin_options(const Command& command, PluginOptions& options) {
    command.option("--plugin", options.paths, "A library of ops and kernels built with gradproof_add_op; may be repeated")
        .one_value();
    command
        .option("--time-limit", options.time_limit,
                "Seconds that each op of a plugin, or the derivations that use them, may take")
        .show_default();
    command.option("--answer", options.answer).hidden();  // not listed: this program calls itself
}

std::vector<Plugin> load_plugins(const PluginOptions& options) {
    expect_time(options.time_limit);
    std::vector<Plugin> out;
    const std::vector<std::string> paths = without_repeats(options.paths);
    if (paths.empty()) return out;
    const ChildAnswer tried = ask_child(judge_arguments(paths), options.time_limit);
    if (!tried.failure.empty())
        io_error("plugin {}: loading it {}", printable(tried.at.is_string() ? tried.at.get<std::string>() : paths.front()),
                 tried.failure);
    // What the child could not load, this process cannot: its errors are thrown here, in the words of load_plugin.
    if (const std::string error = error_in(tried); !error.empty()) io_error("{}", error);
    for (const std::string& path : paths) out.push_back(load_plugin(path));
    return out;
}

check::OpReport check_in_child(const PluginOptions& plugins, const OpEntry& op, const check::Options& options) {
    std::vector<std::string> words = judge_arguments(without_repeats(plugins.paths));
    words.push_back("--op=" + std::string(op.info.name));
    words.push_back("--seed=" + std::to_string(options.seed));
    ChildAnswer answer = ask_child(words, plugins.time_limit);
    if (const std::string error = error_in(answer); answer.failure.empty() && !error.empty())
        answer.failure = "threw \"" + error + "\"";
    if (answer.failure.empty()) {
        try {
            return check::read_json(answer.value.at("report").dump()).ops.at(0);
        } catch (const std::exception&) {
            answer.failure = "answered with something that is not a report";  // the op wrote into the pipe
        }
    }
    return broken(op, answer);
}

int with_plugins(const PluginOptions& plugins, const std::function<int()>& work) {
    if (plugins.paths.empty()) return work();
    if (plugins.answer >= 0) work_and_answer(plugins, work);
    expect_time(plugins.time_limit);
    ChildAnswer answer = ask_child(own_arguments(), plugins.time_limit, ChildOutput::shared);
    const std::string error = error_in(answer);
    if (answer.failure.empty() && error.empty() && !answer.value["status"].is_number_integer())
        answer.failure = "answered with what is no answer";
    if (!answer.failure.empty()) {
        fmt::print(stderr, "gradproof: plugin {}: one of its ops {}\n", fmt::join(without_repeats(plugins.paths), " or "),
                   answer.failure);
        return kWrong;
    }
    if (!error.empty()) io_error("{}", error);
    return answer.value["status"].get<int>();
}

}  // namespace gradproof::cli
