// `gradproof check`: holds ops to their contracts and prints the table.
#include <cstdlib>
#include <memory>

#include <fmt/core.h>
#include <unistd.h>

#include "core/check/contracts.hpp"
#include "tools/cli/commands.hpp"

namespace gradproof::cli {
namespace {

struct CheckOptions {
    bool all = false, json = false, verbose = false;
    std::vector<std::string> ops;
    check::Options options;
};

bool wants_colour() {
    const char* no_colour = std::getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

int run_check(const CheckOptions& o) {
    if (o.all == !o.ops.empty()) value_error("check: give either --all-ops or --op NAME");
    std::vector<const OpEntry*> ops;
    for (const std::string& name : o.ops) ops.push_back(&registry().find(name));
    const check::Report report = o.all ? check::check_all(o.options) : check::check_ops(ops, o.options);
    fmt::print("{}", o.json ? check::json(report) : check::table(report, {.colour = wants_colour(), .verbose = o.verbose}));
    switch (report.verdict()) {
        case check::Verdict::right: return kOk;
        case check::Verdict::wrong: return kWrong;
        case check::Verdict::cannot_tell: return kCannotTell;
    }
    return kWrong;
}

}  // namespace

void add_check_command(CLI::App& app, Action& action) {
    auto* command = app.add_subcommand("check", "Hold ops to their contracts: exit 0 right, 1 wrong, 2 usage, 3 cannot tell");
    auto options = std::make_shared<CheckOptions>();
    command->add_flag("--all-ops", options->all, "Every registered op");
    command->add_option("--op", options->ops, "One op; may be repeated");
    command->add_option("--seed", options->options.seed, "Of the inputs, cotangents and directions that are drawn")->capture_default_str();
    command->add_flag("--json", options->json, "One JSON object instead of the table");
    command->add_flag("--verbose", options->verbose, "Every finding, not only what is broken or cannot be told");
    command->callback([=, &action] { action = [=] { return run_check(*options); }; });
}

}  // namespace gradproof::cli
