// Views.
#include "gradproof/core/proof/language/numpy/aliases.hpp"

namespace gradproof::proof::numpy {

void Aliases::add(const std::string& name, const Expr& value) {
    const Expr* of = &value;
    while (of->kind == Kind::transpose || of->kind == Kind::index) of = of->children[0].get();
    if (of->kind == Kind::call && (of->name == "slice" || of->name == "reshape") && !of->children.empty())
        of = of->children[0].get();
    if (of->kind == Kind::name) roots_[name] = root_of(of->name);
}

std::vector<std::string> Aliases::others_of(const std::string& name) const {
    std::vector<std::string> out;
    const std::string root = root_of(name);
    if (root != name) out.push_back(root);
    for (const auto& [alias, of] : roots_)
        if (of == root && alias != name) out.push_back(alias);
    return out;
}

std::string Aliases::root_of(const std::string& name) const {
    const auto found = roots_.find(name);
    return found == roots_.end() ? name : found->second;
}

}  // namespace gradproof::proof::numpy
