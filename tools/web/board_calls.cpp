// The calls of the board: every step with its numbers, one entry taken apart, values alone.
#include "tools/web/arrays.hpp"
#include "tools/web/open_proof.hpp"

namespace gradproof::web {

OpenProof& opened(const Json& question) {
    static OpenProof open;
    const std::string text = text_in(question, "text");
    if (!open.draws.empty() && open.text == text) return open;
    open = {};
    std::vector<proof::Proof> proofs = proof::read_proofs("board.proof", text);
    open = {text, std::move(proofs), {}};
    for (const proof::Proof& p : open.proofs) try {
            open.draws.push_back(std::make_unique<Drawn>(p, proof::InstanceOptions{}));
        } catch (const proof::EvaluationError& e) {
            open.draws.clear();
            proof::fail(p, e);
        }
    return open;
}

Json explain(const Json& question) {
    OpenProof& open = opened(question);
    Json out = Json::array();
    for (const proof::Proof& p : open.proofs) out.push_back(Json::parse(to_json(proof::explain(p, {}))));
    return out;
}

Json cell(const Json& question) {
    OpenProof& open = opened(question);
    const auto [at, cell] = proof::find_cell(text_in(question, "cell"), open.proofs);
    Drawn& drawn = *open.draws[at];
    proof::Explanation out;
    out.cell = take_apart(cell, open.proofs[at], drawn.plan, drawn.instance);
    return Json::parse(to_json(out)).at("cell");
}

Json values(const Json& question) {
    OpenProof& open = opened(question);
    Json out = Json::array();
    for (std::size_t i = 0; i < open.proofs.size(); ++i) {
        proof::Explanation e;
        proof::Instance& draw = open.draws[i]->instance;
        for (const auto& [name, value] : draw.scope().values) e.forward.push_back(step(name, value.value()));
        for (const Json& name : question.value("gradients", Json::array()))
            e.backward.push_back(step(name, draw.gradient(name.get<std::string>()).value));
        const Json told = Json::parse(to_json(e));
        out.push_back({{"forward", told.at("forward")}, {"backward", told.at("backward")}});
    }
    return out;
}

}  // namespace gradproof::web
