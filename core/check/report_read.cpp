// A report from its JSON: how the check of a plugin's op, which runs in a process of its own, comes back.
#include <limits>

#include <nlohmann/json.hpp>

#include "gradproof/core/check/report.hpp"

namespace gradproof::check {
namespace {

using Json = nlohmann::json;

/// JSON has no inf or nan: they are written as words.
double real(const Json& j) {
    if (j.is_number()) return j.get<double>();
    const std::string& word = j.get_ref<const std::string&>();
    const double inf = std::numeric_limits<double>::infinity();
    return word == "inf" ? inf : word == "-inf" ? -inf : std::numeric_limits<double>::quiet_NaN();
}

Verdict verdict(const std::string& word) {
    for (const Verdict v : {Verdict::right, Verdict::cannot_tell, Verdict::wrong})
        if (name(v) == word) return v;
    value_error("report: no verdict named {}", word);
}

Worst read_worst(const Json& j) {
    Worst w;
    w.tensor = j.at("tensor");
    for (const Json& i : j.at("index")) w.index.push_back(i.get<Index>());
    w.claimed = real(j.at("claimed"));
    w.truth = real(j.at("true"));
    w.error = real(j.at("error"));
    return w;
}

Census read_census(const Json& j) {
    return {j.at("tensor"),  j.at("compared"),           j.at("off"),
            j.at("skipped"), real(j.at("lowest_ratio")), real(j.at("highest_ratio"))};
}

ContractResult read_finding(Contract contract, const Json& j) {
    ContractResult f;
    f.contract = contract;
    f.sample = j.at("sample");
    f.verdict = verdict(j.at("verdict"));
    f.excused = j.at("excused");
    f.added = j.value("added", false);
    f.entries = j.at("entries");
    f.error = real(j.at("error"));
    f.bound = real(j.at("bound"));
    f.reason = j.value("reason", "");
    if (j.contains("worst")) f.worst = read_worst(j["worst"]);
    if (j.contains("census"))
        for (const Json& c : j["census"]) f.census.push_back(read_census(c));
    if (j.contains("diagnoses"))
        for (const Json& d : j["diagnoses"])
            f.diagnoses.push_back({.mistake = mistake_of(d.at("kind").get<std::string>()),
                                   .text = d.at("text"),
                                   .repair = d.value("repair", ""),
                                   .tensor = d.at("tensor")});
    return f;
}

KernelReport read_kernel(const Json& j) {
    KernelReport k;
    k.kernel = j.at("kernel");
    k.file = j.at("file");
    k.types = j.at("types").get<std::vector<std::string>>();
    k.directions = j.at("directions").get<std::vector<std::string>>();
    k.samples = j.at("samples");
    for (const Json& contract : j.at("contracts"))
        for (const Contract c : kKernelContracts)
            if (name(c) == contract.at("name"))
                for (const Json& f : contract.at("samples")) k.findings.push_back(read_finding(c, f));
    return k;
}

OpReport read_op(const Json& j) {
    OpReport op;
    op.op = j.at("op");
    op.file = j.at("page");
    op.samples = j.at("samples");
    op.entries = j.at("entries");
    op.adjoint_error = real(j.at("adjoint_error"));
    op.difference_error = real(j.at("difference_error"));
    op.gradient_norm = real(j.at("gradient_norm"));
    op.ms = j.at("ms");
    op.failure = j.value("failure", "");
    for (const Json& contract : j.at("contracts")) {
        const int number = contract.at("number");
        if (number < 1 || number > kContracts) value_error("report: no contract {}", number);
        for (const Json& f : contract.at("samples")) op.findings.push_back(read_finding(static_cast<Contract>(number - 1), f));
    }
    if (j.contains("kernels"))
        for (const Json& k : j["kernels"]) op.kernels.push_back(read_kernel(k));
    const Json& mutants = j.at("mutants");
    for (const Json& m : mutants.at("survivors")) op.mutants.push_back({m.at("mutant"), m.at("sample"), false});
    op.mutants.resize(op.mutants.size() + mutants.at("caught").get<std::size_t>(), {"", "", true});
    return op;
}

}  // namespace

Report read_json(const std::string& text) try {
    const Json j = Json::parse(text);
    Report report;
    report.seed = j.at("seed");
    report.seconds = j.at("seconds");
    for (const Json& op : j.at("ops")) report.ops.push_back(read_op(op));
    return report;
} catch (const Json::exception& e) {
    value_error("report: not the JSON of a report: {}", e.what());
}

}  // namespace gradproof::check
