// Slips of names: another value of the same shape, another index, an axis that is not kept.
#include <algorithm>

#include "gradproof/core/proof/diagnose/slips.hpp"

namespace gradproof::proof {

void same_shape(Undos& u, const Place& p) {
    const Expr& n = *p.node;
    const bool gradient = n.kind == Kind::gradient;
    if (n.kind != Kind::name && !gradient) return;
    const Shape* shape = u.pool.shape_of(n.name);
    if (!shape) return;
    for (const std::string& other : gradient ? u.pool.search.differentiable_names() : u.pool.search.value_names()) {
        if (other == n.name || (gradient && other == u.pool.search.of) || !(*u.pool.shape_of(other) == *shape)) continue;
        const ExprPtr belongs = gradient ? u.pool.search.gradient(other) : u.pool.search.value(other);
        u.add(Mistake::wrong_name, "{} where {} belongs", p.node, belongs, p.with(belongs));
    }
    if (n.name == u.pool.search.of || u.pool.search.claim.proof().is_constant(n.name)) return;
    const ExprPtr belongs = gradient ? u.pool.search.value(n.name) : u.pool.search.gradient(n.name);
    u.add(Mistake::wrong_name, "{} where {} belongs", p.node, belongs, p.with(belongs));
}

void other_index(Undos& u, const Place& p) {
    const Expr& n = *p.node;
    if (n.kind != Kind::index && n.kind != Kind::delta) return;
    const std::map<std::string, Index>& sizes = u.pool.index_sizes;
    const auto put = [&](std::size_t i, Mistake mistake, const ExprPtr& index) {
        const ExprPtr belongs = with_child(n, i, index);
        u.add(mistake, "{} where {} belongs", p.node, belongs, p.with(belongs));
    };
    for (std::size_t i = n.kind == Kind::index ? 1 : 0; i < n.children.size(); ++i) {
        const ExprPtr& c = n.children[i];
        const auto own = c->kind == Kind::name ? sizes.find(c->name) : sizes.end();
        for (const auto& [other, size] : sizes)  // a size of 0 is not known
            if (c->kind == Kind::number || (c->kind == Kind::name && other != c->name &&
                                            (own == sizes.end() || size == own->second || size * own->second == 0)))
                put(i, Mistake::wrong_name, name(other));
        if (c->kind == Kind::number)
            for (const double v : {c->number - 1, c->number + 1}) put(i, Mistake::shifted, number(v));
        for (std::size_t t = 0; c->kind == Kind::sum && t < c->children.size(); ++t) {
            put(i, Mistake::shifted, without(*c, t));
            if (t > 0) put(i, Mistake::shifted, with_joint(*c, t, c->joints[t] == '-' ? '+' : '-'));
        }
        if (n.kind == Kind::delta && c->kind != Kind::name) continue;
        for (const char joint : {'-', '+'}) {
            if (c->kind != Kind::number) put(i, Mistake::shifted, sum(c, joint, number(1)));
            for (const std::string& other : u.pool.offsets)
                if (c->kind != Kind::number && !(c->kind == Kind::name && c->name == other))
                    put(i, Mistake::shifted, sum(c, joint, name(other)));
        }
    }
}

namespace {

std::vector<Option> kept(const Expr& call, int axis) {
    std::vector<Option> out;
    for (const Option& o : call.options)
        if (o.name == "axis") out.push_back(o);
    if (out.empty()) out.push_back({"axis", number(axis), {}});
    out.push_back(keep_option());
    return out;
}

}  // namespace

void kept_axis(Undos& u, const Place& p) {
    const Expr& n = *p.node;
    constexpr std::string_view kReductions[] = {"sum", "mean", "max", "var", "norm", "logsumexp"};
    if (n.kind != Kind::call || n.children.size() != 1 || std::ranges::find(kReductions, n.name) == std::end(kReductions)) return;
    const auto put = [&](Mistake mistake, fmt::string_view text, const ExprPtr& belongs) {
        u.add(mistake, text, p.node, belongs, p.with(belongs));
    };
    if (n.options.empty()) {  // over everything, where one axis was meant
        const Mistake mistake = p.is_term || p.is_factor ? Mistake::wrong_row_term : Mistake::missing_sum;
        for (const char* axis : {"row", "col"})
            if (n.name != "logsumexp")
                put(mistake, "{} runs over all axes, {} only over one", call(axis + n.name, {n.children[0]}));
        for (const int axis : {0, 1, 2})
            put(mistake, "{} runs over all axes, {} only over one", over_axis(n.name, n.children[0], axis));
    } else {
        put(Mistake::lost_axis, "{} loses its axis: it has to be kept, as in {}", call(n.name, n.children[0], kept(n, 0)));
    }
}

}  // namespace gradproof::proof
