// `gradproof judge`: what the program runs in a child process, to load plugins and check one of their ops; not for people.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tools/cli/child.hpp"
#include "tools/cli/command_line.hpp"
#include "tools/cli/plugins.hpp"

namespace gradproof::cli {
namespace {

struct JudgeOptions {
    std::vector<std::string> paths;
    std::string op;
    check::Options options;
    int answer = -1;
};

nlohmann::json judge(const JudgeOptions& o) {
    nlohmann::json names = nlohmann::json::array();
    for (const std::string& path : o.paths) {
        answer(o.answer, {{"at", path}});
        for (const OpEntry* op : load_plugin(path).ops) names.push_back(op->info.name);
    }
    if (o.op.empty()) return {{"ops", std::move(names)}};
    answer(o.answer, {{"at", nullptr}});
    Control control;
    control.progress = [fd = o.answer](Index, Index, std::string_view contract_and_sample) {
        answer(fd, {{"at", contract_and_sample}});
    };
    return {{"report", nlohmann::json::parse(check::json(check::check_ops({&registry().find(o.op)}, o.options, control)))}};
}

[[noreturn]] void run_judge(const JudgeOptions& o) {
    become_child();
    try {
        answer(o.answer, judge(o));
    } catch (const std::exception& e) {
        answer(o.answer, {{"error", e.what()}});
    } catch (...) {
        answer(o.answer, {{"error", "something that is not an exception"}});
    }
    ::_exit(kOk);  // the plugin's destructors are not waited for
}

void set_up_judge(const Command& command) {
    command.hide();  // this program calls itself
    auto options = std::make_shared<JudgeOptions>();
    command.option("--plugin", options->paths).required();
    command.option("--op", options->op);
    command.option("--seed", options->options.seed);
    command.option("--answer", options->answer).required();
    command.runs([=]() -> int { run_judge(*options); });
}
const NewCommand kJudge("judge", "Loads plugins and checks one op, for the program itself", set_up_judge);

}  // namespace

}  // namespace gradproof::cli
