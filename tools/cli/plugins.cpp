// The parent's half of the sandbox; the child's half is the command `judge`.
#include "tools/cli/plugins.hpp"

#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "core/io/file.hpp"
#include "tools/cli/child.hpp"

namespace gradproof::cli {
namespace {

std::vector<std::string> judge_arguments(const std::vector<std::string>& paths) {
    std::vector<std::string> words{"judge"};
    for (const std::string& path : paths) words.push_back("--plugin=" + path);
    return words;
}

std::vector<std::string> without_repeats(const std::vector<std::string>& paths) {
    std::vector<std::string> out;
    std::set<std::filesystem::path> seen;
    for (const std::string& path : paths)
        if (seen.insert(std::filesystem::weakly_canonical(path)).second) out.push_back(path);
    return out;
}

/// A report that says only how the check of `op` ended, and where it was.
check::OpReport broken(const OpEntry& op, const ChildAnswer& answer) {
    check::OpReport report;
    report.op = op.info.name;
    report.file = op.file;
    report.failure = answer.failure;
    check::Finding f;
    f.verdict = check::Verdict::wrong;
    f.sample = "before the first sample";
    f.reason = answer.failure;
    if (answer.at.is_array()) {
        f.contract = static_cast<check::Contract>(answer.at.at(0).get<int>());
        f.sample = answer.at.at(1).get<std::string>();
    }
    report.findings.push_back(std::move(f));
    return report;
}

}  // namespace

void add_plugin_options(CLI::App& command, PluginOptions& options) {
    command.add_option("--plugin", options.paths, "A library of ops built with gradproof_add_op; may be repeated");
    command.add_option("--time-limit", options.time_limit, "Seconds that each op of a plugin may take")->capture_default_str();
}

std::vector<Plugin> load_plugins(const PluginOptions& options) {
    if (!(options.time_limit > 0) || !std::isfinite(options.time_limit)) value_error("--time-limit: not a time above 0: it is {} s", options.time_limit);
    std::vector<Plugin> out;
    const std::vector<std::string> paths = without_repeats(options.paths);
    if (paths.empty()) return out;
    const ChildAnswer tried = ask_child(judge_arguments(paths), options.time_limit);
    if (!tried.failure.empty())
        io_error("plugin {}: loading it {}", printable(tried.at.is_string() ? tried.at.get<std::string>() : paths.front()), tried.failure);
    // What the child could not load, this process cannot: its errors are thrown here, in the words of load_plugin.
    if (tried.value.contains("error")) io_error("{}", tried.value["error"].get<std::string>());
    for (const std::string& path : paths) out.push_back(load_plugin(path));
    return out;
}

check::OpReport check_apart(const PluginOptions& plugins, const OpEntry& op, const check::Options& options) {
    std::vector<std::string> words = judge_arguments(without_repeats(plugins.paths));
    words.push_back("--op=" + std::string(op.info.name));
    words.push_back("--seed=" + std::to_string(options.seed));
    ChildAnswer answer = ask_child(words, plugins.time_limit);
    if (answer.failure.empty() && answer.value.contains("error")) answer.failure = "threw \"" + answer.value["error"].get<std::string>() + "\"";
    if (answer.failure.empty()) {
        try {
            return check::read_json(answer.value.at("report").dump()).ops.at(0);
        } catch (const std::exception&) {
            answer.failure = "answered with something that is not a report";  // the op wrote into the pipe
        }
    }
    return broken(op, answer);
}

}  // namespace gradproof::cli
