// The parameter tree and the step.
#include "gradproof/nn/module.hpp"

#include "gradproof/core/did_you_mean.hpp"

#include <algorithm>

namespace gradproof {

template <Scalar T>
void ParameterTree<T>::add(const std::string& name, Parameter<T>& parameter) {
    parameter.name = name;
    parameter.slot = size();
    list_.push_back(&parameter);
}

template <Scalar T>
void ParameterTree<T>::expect_different_names() const {
    std::vector<std::string_view> names;
    for (const Parameter<T>* p : list_) names.push_back(p->name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) value_error("parameters: the name {} is used twice", *twice);
}

template <Scalar T>
Parameter<T>& ParameterTree<T>::find(const std::string& name) {
    std::vector<std::string> known;
    for (Parameter<T>* p : list_) {
        if (p->name == name) return *p;
        known.push_back(p->name);
    }
    value_error("parameters: none is named {}{}", name, did_you_mean(name, known));
}

template <Scalar T>
Index ParameterTree<T>::count() const {
    Index n = 0;
    for (const Parameter<T>* p : list_) n += p->shape.size();
    return n;
}

template <Scalar T>
void ParameterTree<T>::initialise(std::uint64_t seed) {
    for (Parameter<T>* p : list_) p->value = p->initialiser.template make<T>(p->shape, parameter_stream(seed, p->name));
}

template <Scalar T>
void Step<T>::begin() {
    tape_.reset();
    for (int i = 0; i < tree_->size(); ++i) {
        const Parameter<T>& p = (*tree_)[i];
        leaves_[static_cast<std::size_t>(i)] = tape_.leaf(p.value, p.name);
    }
}

template <Scalar T>
void Step<T>::begin_evaluation() {
    tape_.reset();
    for (int i = 0; i < tree_->size(); ++i) leaves_[static_cast<std::size_t>(i)] = Var<T>((*tree_)[i].value);
}

template class ParameterTree<float>;
template class ParameterTree<double>;
template class Step<float>;
template class Step<double>;

}  // namespace gradproof
