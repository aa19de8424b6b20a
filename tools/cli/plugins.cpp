// Plugins on the command line: loaded into a process of their own, judged in this one.
#include "tools/cli/plugins.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/platform/files.hpp"
#include "tools/cli/remote_ops.hpp"

namespace gradproof::cli {
namespace {

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

/// The process of the plugins, once they are loaded; it ends with the program.
std::unique_ptr<PluginProcess> process;

/// A report that says only how the check of `op` ended, and where it was.
check::OpReport broken(const OpEntry& op, const std::string& failure, const std::string& at) {
    check::OpReport report;
    report.op = op.info.name;
    report.file = op.file;
    report.failure = failure;
    check::ContractResult f;
    f.verdict = check::Verdict::wrong;
    f.sample = "before the first sample";
    f.reason = failure;
    for (int c = 0; c <= static_cast<int>(check::Contract::kernel_special); ++c) {
        const std::string prefix = fmt::format("{}: ", check::name(static_cast<check::Contract>(c)));
        if (!at.starts_with(prefix)) continue;
        f.contract = static_cast<check::Contract>(c);
        f.sample = at.substr(prefix.size());
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

void expect_time(double seconds) {
    if (!(seconds > 0) || !std::isfinite(seconds)) value_error("--time-limit is {} s, expected more than 0", seconds);
}

void add_plugin_options(const Command& command, PluginOptions& options) {
    command.option("--plugin", options.paths, "A library of ops and kernels built with gradproof_add_op; may be repeated")
        .one_value();
    command
        .option("--time-limit", options.time_limit,
                "Seconds that each op of a plugin, the derivations that use them, or a run of a program may take")
        .show_default();
}

std::vector<Plugin> load_plugins(const PluginOptions& options) {
    expect_time(options.time_limit);
    std::vector<std::string> paths = without_repeats(options.paths);
    if (paths.empty()) return {};
    process = std::make_unique<PluginProcess>(std::move(paths), options.time_limit);
    return register_remote_ops(*process);
}

check::OpReport judge_plugin_op(const OpEntry& op, const std::function<check::OpReport()>& judge) {
    static bool used = false;
    std::string at;
    Control control;
    control.progress = [&](Index, Index, std::string_view part) { at = part; };
    try {
        if (std::exchange(used, true)) process->start();  // an op is not judged where another one may have spoilt something
        const ControlScope scope(control, "check");
        return judge();
    } catch (const PluginEnded& e) {
        return broken(op, e.what(), at);
    } catch (const std::exception& e) {
        return broken(op, fmt::format("threw \"{}\"", e.what()), at);
    } catch (const NoException&) {
        return broken(op, "threw something that is not an exception", at);
    }
}

int with_plugins(const PluginOptions& plugins, const std::function<int()>& work) {
    load_plugins(plugins);
    try {
        return work();
    } catch (const PluginEnded& e) {
        std::fflush(stdout);
        fmt::print(stderr, "gradproof: plugin {}: one of its ops {}\n", fmt::join(process->paths(), " or "), e.what());
        return kWrong;
    } catch (const NoException&) {
        io_error("an op of a plugin threw something that is not an exception");
    }
}

}  // namespace gradproof::cli
