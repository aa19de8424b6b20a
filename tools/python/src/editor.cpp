// What an editor shows of a text beside its verdicts: its names with their shapes, the places of its lines, and derived gradients.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/proof/checker.hpp"
#include "gradproof/core/proof/derive/numpy_proof.hpp"
#include "gradproof/core/proof/evaluate/instance.hpp"
#include "gradproof/core/proof/judge/lost.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"
#include "gradproof/core/proof/span_json.hpp"
#include "tools/python/src/texts.hpp"

namespace gradproof::python {
namespace {

using check::Json;

const char* word_of(proof::Language l) {
    switch (l) {
        case proof::Language::notation: return "notation";
        case proof::Language::latex: return "latex";
        case proof::Language::numpy: return "numpy";
    }
    throw std::logic_error("a language without a word");
}

/// A shape by the names of its sizes, and in numbers as it was drawn: "[n, 3]" and "[5, 3]".
struct DrawnShape {
    std::string named, drawn;
};

/// Draws of one proof, in each of which the sizes are others.
using Draws = std::vector<std::unique_ptr<proof::Instance>>;

/// A size that an axis has in every draw; "?" where it is none that has a name, as n + 1.
std::string axis_in(const Draws& draws, const std::string& of, int axis) {
    const auto size_in = [&](const auto& draw) { return draw->scope().values.find(of)->second.shape()[axis]; };
    const auto every = [&](const auto& agrees) { return std::ranges::all_of(draws, agrees); };
    if (const Index size = size_in(draws[0]); every([&](const auto& draw) { return size_in(draw) == size; }))
        return std::to_string(size);
    for (const auto& [name, size] : draws[0]->sizes())
        if (every([&, n = name](const auto& draw) { return draw->sizes().find(n)->second == size_in(draw); })) return name;
    return "?";
}

DrawnShape shape_in(const Draws& draws, const std::string& of) {
    const Shape& shape = draws[0]->scope().values.find(of)->second.shape();
    std::vector<std::string> axes;
    for (int axis = 0; axis < shape.rank(); ++axis) axes.push_back(axis_in(draws, of, axis));
    return {fmt::format("[{}]", fmt::join(axes, ", ")), fmt::format("{}", shape)};
}

/// Of each value. Lines of the forward that do not fit are taken out of the proof.
std::map<std::string, DrawnShape> shapes_of(proof::Proof& p) {
    std::map<std::string, DrawnShape> out;
    for (;;) try {
            const proof::Plan plan(p);
            Draws draws;
            for (const Index larger : {0, 3, 7})
                draws.push_back(std::make_unique<proof::Instance>(p, plan, proof::InstanceOptions{.larger = larger},
                                                                  static_cast<int>(draws.size())));
            for (const auto& [name, value] : draws[0]->scope().values) out[name] = shape_in(draws, name);
            return out;
        } catch (const proof::ProofError& e) {
            const std::optional<std::size_t> lost = proof::forward_at(p, e.offset());
            if (!lost) return out;
            proof::lose_forward(p, *lost, e);
        }
}

/// The names among the claims that stand for an expression.
void add_helpers(const proof::Expr& e, std::map<std::string, std::string>& out) {
    proof::for_each(e, [&](const proof::Expr& part) {
        if (part.kind == proof::Kind::helper) out.emplace(part.name, proof::text_of(*part.children[0]));
    });
}

/// Reads one derivation for an editor.
class Outline {
  public:
    explicit Outline(const proof::Proof& p) : whole_(p), p_(p), shapes_(shapes_of(p_)), spelling_(spelling_of(p)) {}

    Json json() {
        Json dims = Json::array();
        for (const proof::Dim& d : whole_.dims)
            dims.push_back({{"name", d.name}, {"text", d.value ? text(d.value) : ""}, {"span", span(d.span)}});
        return {{"title", whole_.title}, {"start", proof::span_json(whole_.start)},
                {"dims", dims},          {"functions", whole_.functions},
                {"given", given()},      {"forward", forward()},
                {"lines", lines()},      {"helpers", helpers_}};
    }

  private:
    static std::string text(const proof::ExprPtr& e) { return proof::text_of(*e); }
    Json span(proof::Span s) const { return proof::span_json(whole_.source->span(s)); }

    /// What names say of themselves, whatever they name.
    Json named(const std::string& name) const {
        const auto shape = shapes_.find(name);
        Json out{{"name", name}};
        if (shape != shapes_.end()) {
            out["shape"] = shape->second.named;
            out["drawn"] = shape->second.drawn;
        }
        if (!spelling_) return out;
        out["latex"] = proof::latex::text_of(*proof::name(name), *spelling_);
        out["latex_gradient"] = proof::latex::text_of(*proof::gradient_of(name), *spelling_);
        return out;
    }

    Json given() const {
        Json out = Json::array();
        for (const proof::Given& g : whole_.given) {
            Json one = named(g.name);
            one["span"] = span(g.span);
            one["text"] = proof::given_text(g, g.name, text);
            one["constant"] = !g.differentiable;
            one["stated"] = g.fill != proof::Fill::literal;
            out.push_back(std::move(one));
        }
        return out;
    }

    Json forward() const {
        Json out = Json::array();
        for (const proof::Assignment& a : whole_.forward) {
            if (a.inner) continue;
            Json one = named(a.name);
            one["span"] = span(a.statement.span);
            one["text"] = fmt::format("{} = {}", a.left(), text(a.value));
            one["loss"] = a.is_loss;
            out.push_back(std::move(one));
        }
        return out;
    }

    Json lines() {
        Json out = Json::array();
        for (const proof::JudgedLine& l : whole_.lines) {
            Json one{{"span", span(l.statement.span)}, {"link", l.link}, {"language", word_of(l.language)}};
            if (l.is_judged()) {
                add_helpers(*l.left, helpers_);
                add_helpers(*l.right, helpers_);
                const proof::Expr& left = proof::without_indices(*l.left);
                if (left.kind == proof::Kind::gradient) one["of"] = left.name;
                const proof::Span inside = l.statement.span, right = l.right->span;
                const bool stands_there = right.begin < right.end && right.begin >= inside.begin && right.end <= inside.end;
                if (stands_there && (l.link > 0 || right.begin > inside.begin)) one["right"] = span(right);
            }
            out.push_back(std::move(one));
        }
        return out;
    }

    const proof::Proof& whole_;
    proof::Proof p_;  ///< without what does not fit
    std::map<std::string, DrawnShape> shapes_;
    std::map<std::string, std::string> helpers_;
    std::shared_ptr<const proof::LatexSpelling> spelling_;
};

std::vector<proof::Proof> read(const std::string& name, const std::string& text, const ReadBeside& beside) {
    return proof::read_proofs(name, whole(name, text, beside), proof::Unreadable::loses_line);
}

/// {"proofs": [...]}, one for each derivation of the text. Errors: ProofError for a text that is refused; Stopped.
std::string outline(const std::string& name, const std::string& text, const ReadBeside& beside, const Stop& stop) {
    const nb::gil_scoped_release free;
    const ControlScope scope(stop.control(), "outline");
    Json proofs = Json::array();
    for (const proof::Proof& p : read(name, text, beside)) proofs.push_back(Outline(p).json());
    return check::json_line({{"proofs", proofs}});
}

/// The line in NumPy; "" where it has no words.
std::string in_numpy(std::optional<proof::NumpyLines>& numpy, const proof::DerivedLine& line) {
    return numpy ? numpy->line(*line.left, line.right) : "";
}

/// The gradients of one derivation of the text by the name of the value: {"S": {"notation", "latex", "numpy", "rule"}}.
std::string derived(const std::string& name, const std::string& text, const ReadBeside& beside, std::size_t number,
                    const Stop& stop) {
    const nb::gil_scoped_release free;
    const std::vector<proof::Proof> proofs = read(name, text, beside);
    if (number >= proofs.size()) return "{}";
    const proof::Derivation d = proof::derive(proofs[number], {}, stop.control());
    std::optional<proof::NumpyLines> numpy;
    try {
        numpy.emplace(proofs[number]);
    } catch (const std::invalid_argument&) {  // a forward that NumPy has no words for
    }
    Json out = Json::object();
    for (const proof::DerivedLine& l : d.lines) {
        Json one{{"notation", l.text}, {"numpy", in_numpy(numpy, l)}, {"rule", l.sentence.empty() ? l.rule : l.sentence}};
        // Where LaTeX counts entries from 1, an index that stands as a number would mean another one.
        if (d.spelling && (l.left->kind != proof::Kind::index || d.spelling->first == 0))
            one["latex"] =
                fmt::format("{} = {}", proof::latex::text_of(*l.left, *d.spelling), proof::latex::text_of(*l.right, *d.spelling));
        out[l.name] = std::move(one);
    }
    return check::json_line(out);
}

}  // namespace

void bind_editor(nb::module_& m) {
    m.def(
        "outline",
        [](const std::string& name, const std::string& text, const std::optional<ReadBeside>& beside, const Stop& stop) {
            return outline(name, text, beside.value_or(ReadBeside()), stop);
        },
        nb::arg("name"), nb::arg("text"), nb::arg("beside").none(), nb::arg("stop"));
    m.def(
        "derived",
        [](const std::string& name, const std::string& text, const std::optional<ReadBeside>& beside, std::size_t number,
           const Stop& stop) { return derived(name, text, beside.value_or(ReadBeside()), number, stop); },
        nb::arg("name"), nb::arg("text"), nb::arg("beside").none(), nb::arg("number"), nb::arg("stop"));
    m.def("function_names", proof::builtin_names);
    m.def(
        "language_of_fence",
        [](const std::string& info) {
            const std::optional<proof::Language> language = proof::language_of_fence(info);
            return language ? std::optional<std::string>(word_of(*language)) : std::nullopt;
        },
        nb::arg("info"));
}

}  // namespace gradproof::python
