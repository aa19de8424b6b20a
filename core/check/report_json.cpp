// A report as JSON.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/check/report.hpp"

namespace gradproof::check {
namespace {

using Json = nlohmann::json;

Json real(double v) { return std::isfinite(v) ? Json(v) : Json(fmt::format("{}", v)); }

Json to_json(const ContractResult& f) {
    Json entry{{"sample", f.sample},   {"verdict", name(f.verdict)}, {"excused", f.excused},
               {"entries", f.entries}, {"error", real(f.error)},     {"bound", real(f.bound)}};
    if (f.added) entry["added"] = true;
    if (!f.reason.empty()) entry["reason"] = f.reason;
    if (const Worst* worst = f.blamed())
        entry["worst"] = {
            {"tensor", worst->tensor},         {"index", std::vector<Index>(worst->index.begin(), worst->index.end())},
            {"claimed", real(worst->claimed)}, {"true", real(worst->truth)},
            {"ratio", real(worst->ratio())},   {"error", real(worst->error)}};
    for (const Census& n : f.census)
        entry["census"].push_back({{"tensor", n.tensor},
                                   {"compared", n.compared},
                                   {"off", n.off},
                                   {"skipped", n.skipped},
                                   {"lowest_ratio", real(n.lowest_ratio)},
                                   {"highest_ratio", real(n.highest_ratio)}});
    for (const Diagnosis& d : f.diagnoses) {
        Json why{{"tensor", d.tensor}, {"kind", key(d.mistake)}, {"text", d.text}};
        if (!d.repair.empty()) why["repair"] = d.repair;
        entry["diagnoses"].push_back(std::move(why));
    }
    return entry;
}

Json samples_json(const std::vector<ContractResult>& findings, Contract c) {
    Json out = Json::array();
    for (const ContractResult& f : findings)
        if (f.contract == c) out.push_back(to_json(f));
    return out;
}

Json to_json(const KernelReport& k) {
    Json contracts = Json::array();
    for (const Contract c : kKernelContracts)
        contracts.push_back({{"name", name(c)}, {"mark", std::string(1, k.mark(c))}, {"samples", samples_json(k.findings, c)}});
    Json out{{"kernel", k.kernel},
             {"file", k.file},
             {"types", k.types},
             {"directions", k.directions},
             {"verdict", name(k.verdict())},
             {"samples", k.samples},
             {"contracts", std::move(contracts)}};
    if (!k.against.empty()) out["against"] = k.against;
    return out;
}

}  // namespace

std::string json(const Report& report) {
    using nlohmann::json;
    json ops = json::array();
    for (const OpReport& op : report.ops) {
        json contracts = json::array();
        for (int c = 0; c < kContracts; ++c) {
            const auto contract = static_cast<Contract>(c);
            contracts.push_back({{"number", c + 1},
                                 {"name", name(contract)},
                                 {"mark", std::string(1, op.mark(contract))},
                                 {"samples", samples_json(op.findings, contract)}});
        }
        json survivors = json::array();
        for (const MutantResult& m : op.mutants)
            if (!m.caught) survivors.push_back({{"mutant", m.name}, {"sample", m.sample}});
        json entry{{"op", op.op},
                   {"page", op.file},
                   {"verdict", name(op.verdict())},
                   {"samples", op.samples},
                   {"entries", op.entries},
                   {"adjoint_error", real(op.adjoint_error)},
                   {"difference_error", real(op.difference_error)},
                   {"gradient_norm", real(op.gradient_norm)},
                   {"mutants", {{"planted", op.planted()}, {"caught", op.caught()}, {"survivors", std::move(survivors)}}},
                   {"ms", op.ms},
                   {"contracts", std::move(contracts)}};
        for (const KernelReport& k : op.kernels) entry["kernels"].push_back(to_json(k));
        if (!op.failure.empty()) entry["failure"] = op.failure;
        ops.push_back(std::move(entry));
    }
    return json{{"schema", 2},
                {"seed", report.seed},
                {"seconds", report.seconds},
                {"verdict", name(report.verdict())},
                {"ops", std::move(ops)}}
               .dump(2, ' ', false, json::error_handler_t::replace) +
           "\n";
}

}  // namespace gradproof::check
