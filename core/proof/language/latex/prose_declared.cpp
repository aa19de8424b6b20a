// What sentences state, declared.
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"
#include "gradproof/core/proof/language/latex/prose.hpp"

namespace gradproof::proof::latex {

/// dO, where O is a value.
bool Prose::is_gradient_of_another(const NameParts& p) const {
    return p.base.size() > 1 && p.base[0] == 'd' && bases_.contains(p.base.substr(1));
}

/// Whether all sizes are declared by now; letters that no comment will declare are, here.
bool Prose::sizes_are_known(const Stated& s, Reading& reading, Statements& to) const {
    for (const Tokens& size : s.sizes)
        for (std::size_t i = 0; i < size.size(); ++i) {
            const NameParts p = parts_of(source_, size, i);
            const std::string key = p.base.empty() ? "" : p.full_key();
            if (key.empty()) continue;
            if (reading.names.values.contains(reading.id_of(key))) {
                reading.of_two.insert(reading.id_of(key));
                fail(source_, size[i], "a size and a value of one name");
            }
            if (!reading.is_defined(key)) {
                if (noted_.contains(key)) return false;
                Declaration dim;
                dim.span = {size[i].span.begin, size[p.end - 1].span.end};
                dim.name = reading.define(key, size, i, p.end);
                to.dims({dim});
            }
            i = p.end - 1;
        }
    return true;
}

bool Prose::declare(const Stated& s, Reading& reading, Statements& to) {
    const NameParts p = parts_of(source_, s.name, 0);
    Declaration d;
    d.has_shape = true;
    d.span = {s.name.front().span.begin, s.name.back().span.end};
    for (const Tokens& size : s.sizes) d.shape.push_back(Parser(reading, size).whole());
    if (s.positive) d.distribution = "positive";
    if (s.sums_to_one && !s.sizes.empty()) d.distribution = "distribution";
    if (!s.between.empty()) d.distribution = "uniform";
    if (!s.fill.empty()) d.distribution = s.fill;
    for (const Tokens& end : s.between) d.parameters.push_back(Parser(reading, end).whole());
    d.name = reading.define(p.full_key(), s.name, 0, s.name.size());
    to.declare(std::move(d), !s.is_label());
    return true;
}

/// S of S = Q K^\top \in \mathbb{R}^{n \times m}: n and m are sizes, and those of what it is computed from.
void Prose::state_of_computed(const Stated& s, Reading& reading, Statements& to) const {
    if (s.sizes.empty() || !sizes_are_known(s, reading, to)) return;
    std::vector<ExprPtr> sizes;
    for (const Tokens& size : s.sizes) sizes.push_back(Parser(reading, size).whole());
    to.state_shape(parts_of(source_, s.name, 0).full_key(), std::move(sizes));
}

bool Prose::declare(Reading& reading, Statements& to) {
    bool any = false;
    std::vector<Stated> later;
    for (Stated& s : stated_) {
        const NameParts p = parts_of(source_, s.name, 0);
        const std::string key = p.full_key();
        const bool of_two = reading.names.dims.contains(reading.id_of(key)) && !s.sizes.empty() && !noted_.contains(key);
        if (of_two && used_.contains(p.base)) reading.of_two.insert(reading.id_of(key));
        if (noted_.contains(key) || reading.is_defined(key) || !used_.contains(p.base)) continue;
        if (s.compared && indices_.contains(p.base)) continue;
        if (is_gradient_of_another(p)) continue;
        try {
            if (is_defined(reading, p, s.sizes.size())) {
                state_of_computed(s, reading, to);
                continue;
            }
            if (sizes_are_known(s, reading, to))
                any = declare(s, reading, to) || any;
            else
                later.push_back(std::move(s));
        } catch (const ProofError&) {  // a name with a meaning of its own, a size that is not understood: it states nothing
        }
    }
    stated_ = std::move(later);
    return any;
}

}  // namespace gradproof::proof::latex
