// Repairs, judged strictly.
#include "gradproof/core/proof/diagnose/strict.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// What stands above and below the line of a fraction, or with plus and with minus in a sum.
struct Sorted {
    std::vector<std::string> with, against;
    void add(const Expr& e, Kind kind, bool inverse) {
        const Kind flip = kind == Kind::sum ? Kind::negate : Kind::product;
        if (e.kind == kind)
            for (std::size_t i = 0; i < e.children.size(); ++i)
                add(*e.children[i], kind, inverse != (e.joints[i] == '-' || (i > 0 && e.joints[i] == '/')));
        else if (e.kind == Kind::negate && (flip == Kind::negate || e.children[0]->kind == kind))
            add(*e.children[0], kind, inverse != (flip == Kind::negate));
        else if (e.kind != Kind::number)
            (inverse ? against : with).push_back(text_of(without_number(e, kind)));
    }
    bool cancel() const {
        return std::ranges::any_of(with, [&](const std::string& w) { return std::ranges::count(against, w) > 0; });
    }
    /// x of the term 3 x, and of the factor x^2.
    static const Expr& without_number(const Expr& e, Kind kind) {
        if (kind == Kind::product) return e.kind == Kind::power && e.children[1]->kind == Kind::number ? *e.children[0] : e;
        const bool times = e.kind == Kind::product && e.children.size() == 2 && e.children[0]->kind == Kind::number;
        return times && e.joints[1] != '/' ? *e.children[1] : e;
    }
};

/// How many numbers are terms of a sum as it is written: 2 of x + 1 - 1, where an index that counts from 1 is written without its 1.
int numbers_written(std::string_view sum) {
    int level = 0, numbers = 0;
    bool digits = true;
    std::size_t length = 0;
    for (const char c : std::string(sum) + " ") {
        level += c == '(' || c == '{' || c == '[' ? 1 : c == ')' || c == '}' || c == ']' ? -1 : 0;
        if (level > 0 || c != ' ') {
            digits = digits && level == 0 && c >= '0' && c <= '9';
            ++length;
            continue;
        }
        numbers += digits && length > 0;
        digits = true;
        length = 0;
    }
    return numbers;
}

/// 1 x and x 1, where 1 / x stands for itself; the root of a square; a minus of a minus.
bool says_nothing(const Expr& e) {
    if (e.kind == Kind::product)
        for (std::size_t i = 0; i < e.children.size(); ++i)
            if (is_number(*e.children[i], 1) && (i > 0 || e.joints[1] != '/')) return true;
    const bool root = e.kind == Kind::call && e.name == "sqrt" && e.children.size() == 1;
    if (root && e.children[0]->kind == Kind::power && e.children[0]->children[1]->kind == Kind::number)
        return std::fmod(e.children[0]->children[1]->number, 2) == 0;
    return e.kind == Kind::negate && e.children[0]->kind == Kind::negate;
}

/// Of what each comparison with 0 is made: the names in it.
std::set<std::set<std::string>> names_compared(const Expr& e) {
    std::set<std::set<std::string>> out;
    for_each(e, [&](const Expr& part) {
        if (part.kind == Kind::call && part.name == "step") out.insert(names_in(part));
    });
    return out;
}
/// What is 1 or 0: a comparison, and what is made of some.
bool is_of_conditions(const Expr& e) {
    const auto all = [&](std::size_t from) {
        return std::all_of(e.children.begin() + static_cast<std::ptrdiff_t>(from), e.children.end(),
                           [](const ExprPtr& c) { return is_of_conditions(*c); });
    };
    if (e.kind == Kind::delta || (e.kind == Kind::call && e.name == "step")) return true;
    if (e.kind == Kind::product) return e.joints.find('/') == std::string::npos && all(0);
    if (e.kind != Kind::sum) return false;
    const bool from_one = is_number(*e.children[0], 1) && e.joints[0] != '-';
    return all(from_one ? 1 : 0) && (from_one || e.joints.find('-') == std::string::npos);
}
/// The conditions of where(condition, x, y) that are none, as they are written.
std::set<std::string> odd_conditions(const Expr& e) {
    std::set<std::string> out;
    for_each(e, [&](const Expr& part) {
        if (part.kind == Kind::call && part.name == "where" && part.children.size() == 3 && !is_of_conditions(*part.children[0]))
            out.insert(text_of(*part.children[0]));
    });
    return out;
}

/// The parts that cancel or say nothing, as they are written.
std::set<std::string> cancelling(const Expr& e) {
    std::set<std::string> out;
    for_each(e, [&](const Expr& part) {
        Sorted sorted;
        if (part.kind == Kind::sum || part.kind == Kind::product) sorted.add(part, part.kind, false);
        const bool numbers = part.kind == Kind::sum && numbers_written(text_of(part)) > 1;
        if (numbers || says_nothing(part) || sorted.cancel()) out.insert(text_of(part));
    });
    return out;
}

/// As it is read: an entry is one thing, however many indices it has.
std::size_t length_of(const Expr& e) {
    if (e.kind == Kind::index || e.kind == Kind::delta) return 1;
    std::size_t out = 1;
    for (const ExprPtr& c : e.children) out += length_of(*c);
    return out;
}

}  // namespace

bool Strict::is_circular(const Expr& repair) const {
    const Expr& left = *claim_.line().left;
    const Expr& claimed = without_indices(left);
    const std::string itself = text_of(left);
    const bool claims_itself = any_part(repair, [&](const Expr& e) {
        if (e.kind == Kind::gradient && claimed.kind == Kind::gradient) return e.name == claimed.name;
        if (e.kind == Kind::gradient && claimed.kind == Kind::jacobian) return e.name == claimed.other;
        return e.kind == left.kind && text_of(e) == itself;
    });
    if (claims_itself) return true;
    const std::set<std::string> before = cancelling(*claim_.line().right);
    return std::ranges::any_of(cancelling(repair), [&](const std::string& part) { return !before.contains(part); });
}

bool Strict::compares_oddly(const Expr& repair) const {
    const Proof& proof = claim_.proof();
    const auto known = [&](const auto& all_in, const auto& one) {
        return all_in(*claim_.line().right).contains(one) ||
               std::ranges::any_of(proof.forward, [&](const Assignment& a) { return all_in(*a.value).contains(one); });
    };
    const auto is_value = [&](const std::string& n) {
        return proof.find(n) || std::ranges::find(proof.given, n, &Given::name) != proof.given.end();
    };
    // What a relu, max or the like of the forward decides by.
    const auto decides = [&](const std::set<std::string>& names) {
        return std::ranges::any_of(proof.forward, [&](const Assignment& a) {
            return any_part(*a.value, [&](const Expr& part) { return part.kind == Kind::call && names_in(part) == names; });
        });
    };
    // A gradient decides nothing unless the author lets it.
    const auto compares_gradient = [](const Expr& part) {
        return part.kind == Kind::call && part.name == "step" && contains(part, Kind::gradient);
    };
    if (any_part(repair, compares_gradient) && !any_part(*claim_.line().right, compares_gradient)) return true;
    return std::ranges::any_of(odd_conditions(repair), [&](const std::string& c) { return !known(odd_conditions, c); }) ||
           std::ranges::any_of(names_compared(repair), [&](const std::set<std::string>& c) {
               return c.size() > 1 && std::ranges::any_of(c, is_value) && !known(names_compared, c) && !decides(c);
           });
}

bool Strict::is_long(const Expr& repair) const {
    constexpr std::size_t kTerm = 10;  // parts of - Y ⊙ rowsum(dY ⊙ Y), which a softmax lacks
    const std::size_t claimed = length_of(*claim_.line().right);
    return length_of(repair) > std::max(claimed + claimed / 2, claimed + kTerm);
}

bool Strict::accepts(const ExprPtr& repair) {
    constexpr int kDraws = 3, kFirst = 5000, kMostJudged = 40;
    constexpr Index kLarger = 6;
    constexpr double kMostWork = 1e5;
    if (claim_.chained) return true;
    if (++judged_ > kMostJudged) return false;
    const ByResidues by = further_.prover ? further_.prover->prove(claim_, repair) : ByResidues{};
    // Of functions that are opaque, and of those that choose a side, two equal formulas may differ; of all others they may not.
    if (by.outcome == ByResidues::Outcome::differs && by.proved.opaque.empty() && !further_.branches) return false;
    if (draws_.empty() && further_.branches) {  // a cap that is not reached may be in larger sizes
        InstanceOptions options = further_.draw;
        options.larger = kLarger;
        auto large = std::make_unique<Instance>(claim_.proof(), plan_, options, kFirst);
        if (large->derivatives().work() < kMostWork) draws_.push_back(std::move(large));
    }
    for (int i = static_cast<int>(draws_.size()); i < kDraws; ++i)
        draws_.push_back(std::make_unique<Instance>(claim_.proof(), plan_, further_.draw, kFirst + i));
    if (!Claim(claim_.line(), claim_.proof(), draws_).holds(repair, by.is_proof())) return false;
    return !further_.stands || further_.stands(repair, by);
}

}  // namespace gradproof::proof
