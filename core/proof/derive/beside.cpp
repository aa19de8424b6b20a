// Deriving what a wrong claim should have been.
#include "gradproof/core/proof/derive/beside.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/derive/numpy_proof.hpp"
#include "gradproof/core/proof/language/budget.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof {
namespace {

/// The value whose gradient the claim is about; "" where it is about something else.
std::string claimed_gradient(const JudgedLine& line) {
    if (!line.is_judged() || line.type != JudgedLine::Type::claim) return "";
    const Expr& left = without_indices(*line.left);
    return left.kind == Kind::gradient ? left.name : "";
}

bool is_unexplained(const LineReport& r) {
    return !r.skipped && !r.unread && r.verdict == Verdict::wrong && (!r.diagnosis || r.diagnosis->repair.empty());
}

bool can_be_derived(const Proof& proof, const ProofReport& report) {
    std::size_t parts = 0;
    for (const Assignment& a : proof.forward) parts += parts_of(*a.value);
    const auto of_forward = [](const JudgedLine& l) { return l.type == JudgedLine::Type::forward; };
    return parts > 0 && parts <= kPartsToDeriveBeside && std::ranges::none_of(proof.lines, of_forward) &&
           report.lines.size() == proof.lines.size();
}

/// Whether an index stands in it as a number, as in (-1)^i.
bool counts(const Expr& e, std::vector<std::string> letters) {
    letters.insert(letters.end(), e.bound.begin(), e.bound.end());
    if (e.kind == Kind::name) return std::ranges::count(letters, e.name) > 0;
    if (e.kind == Kind::delta) return false;
    const std::size_t parts = e.kind == Kind::index ? 1 : e.children.size();
    for (std::size_t i = 0; i < parts; ++i)
        if (counts(*e.children[i], letters)) return true;
    return false;
}

/// In the notation, or in LaTeX where the proof is; "" where that would have to count from 1.
std::string line_of(const Derivation& d, const DerivedLine& l) {
    if (!d.spelling) return l.text;
    std::vector<std::string> letters;
    for (std::size_t i = 1; l.left->kind == Kind::index && i < l.left->children.size(); ++i)
        letters.push_back(l.left->children[i]->name);
    if (d.spelling->first == 1 && counts(*l.right, letters)) return "";
    return latex::text_of(*l.left, *d.spelling) + " = " + latex::text_of(*l.right, *d.spelling);
}

/// The line about the gradient of a value; "" where there is none that is right.
std::string derived_line(const Proof& proof, const std::string& of, const InstanceOptions& draw, NumpyLines* numpy) {
    try {
        const Derivation d = derive(proof, {.wrt = {of}, .draw = draw});
        const auto found = std::ranges::find(d.lines, of, &DerivedLine::name);
        if (found == d.lines.end()) return "";
        const std::string in_numpy = numpy ? numpy->line(*found->left, found->right) : "";
        return in_numpy.empty() ? line_of(d, *found) : in_numpy;
    } catch (const std::invalid_argument&) {  // it has no gradient, or the forward cannot be derived through
    }
    return "";
}

constexpr std::chrono::seconds kTimeToDerive{10};  // all lines of a derivation

/// "" where the time is up. A call around it that is to end, ends.
std::string derived_in_time(const Control& in_time, const std::function<std::string()>& derived) {
    try {
        const ControlScope scope(in_time, "derive");
        return derived();
    } catch (const Stopped&) {
        checkpoint();
        return "";
    }
}

/// Nothing for lines that are not in NumPy, or where the forward has no words there.
class IfNumpy {
  public:
    explicit IfNumpy(const Proof& proof) : proof_(proof) {}
    NumpyLines* of(const JudgedLine& line) {
        if (line.language != Language::numpy) return nullptr;
        if (!tried_) try {
                tried_ = true;
                lines_.emplace(proof_);
            } catch (const std::invalid_argument&) {  // sizes that are not known
            }
        return lines_ ? &*lines_ : nullptr;
    }

  private:
    const Proof& proof_;
    bool tried_ = false;
    std::optional<NumpyLines> lines_;
};

}  // namespace

void add_derived(const Proof& proof, const CheckOptions& options, ProofReport& report) {
    if (options.chain || !can_be_derived(proof, report)) return;
    std::map<std::string, std::string> found;
    IfNumpy numpy(proof);
    const Control in_time{.deadline = std::chrono::steady_clock::now() + kTimeToDerive};
    for (std::size_t i = 0; i < report.lines.size(); ++i) {
        const std::string of = claimed_gradient(proof.lines[i]);
        if (of.empty() || !is_unexplained(report.lines[i])) continue;
        const auto [at, fresh] = found.emplace(of, "");
        if (fresh)
            at->second =
                derived_in_time(in_time, [&] { return derived_line(proof, of, options.draw, numpy.of(proof.lines[i])); });
        report.lines[i].derived = at->second;
    }
}

void write_repairs(const Proof& proof, ProofReport& report) {
    if (report.lines.size() != proof.lines.size()) return;
    IfNumpy numpy(proof);
    for (std::size_t i = 0; i < report.lines.size(); ++i) {
        LineReport& r = report.lines[i];
        if (!r.repair || !r.diagnosis || proof.lines[i].language != Language::numpy) continue;
        NumpyLines* const lines = numpy.of(proof.lines[i]);
        r.diagnosis->repair = lines ? lines->right(*proof.lines[i].left, r.repair) : "";  // none rather than one in the notation
    }
}

}  // namespace gradproof::proof
