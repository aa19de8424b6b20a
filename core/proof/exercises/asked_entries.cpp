// Entries of what is asked.
#include "gradproof/core/proof/exercises/asked_entries.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/proof/evaluate/instance.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {

AskedEntries::AskedEntries(const Proof& solved) {
    const ExprPtr& asked = solved.lines.front().left;
    base_ = asked->kind == Kind::index ? asked->children[0] : asked;
    if (base_->kind == Kind::jacobian)
        for (const ExprPtr& c : base_->children)
            if (std::ranges::count(own_, text_of(*c)) == 0) own_.push_back(text_of(*c));
    const Plan plan(solved, {});
    const Instance draw(solved, plan, {}, 0);
    const auto rank = [&](const std::string& name) {
        const auto found = draw.scope().values.find(name);
        return found == draw.scope().values.end() ? std::size_t{0} : static_cast<std::size_t>(found->second.value().rank());
    };
    rank_ = rank(base_->name);
    rank_of_other_ = base_->kind == Kind::jacobian ? rank(base_->other) : 0;
}

std::string AskedEntries::at(const std::vector<std::string>& letters) const {
    if (!own_.empty()) {
        std::vector<ExprPtr> at;
        for (const ExprPtr& c : base_->children)
            at.push_back(name(letters[static_cast<std::size_t>(std::ranges::find(own_, text_of(*c)) - own_.begin())]));
        return text_of(*with_children(*base_, std::move(at)));
    }
    const auto some = [&](std::size_t from, std::size_t count) {
        const auto begin = letters.begin() + static_cast<std::ptrdiff_t>(from);
        const std::vector<std::string> of(begin, begin + static_cast<std::ptrdiff_t>(count));
        return count == 0 ? "" : fmt::format("[{}]", fmt::join(of, ","));
    };
    if (base_->kind == Kind::jacobian)
        return fmt::format("∂{}{}/∂{}{}", base_->name, some(0, rank_), base_->other, some(rank_, rank_of_other_));
    return text_of(*base_) + some(0, rank_);
}

}  // namespace gradproof::proof
