// An expression in index form, bound once to its values: names are resolved to places in arrays before any entry is computed.
//
//   IndexForm<double> form(*e, {"i", "j"}, sizes, scope, closed);   // Σ_k A[i,k] B[k,j]
//   const double entry = form.at({1, 2});
#pragma once

#include "gradproof/core/proof/evaluate/evaluate.hpp"
#include "gradproof/core/proof/evaluate/index_sizes.hpp"

namespace gradproof::proof {

template <class T>
class IndexForm {
  public:
    /// The value of a part without indices; of ∂A[i,j]/∂S[i,k], the whole Jacobian. It outlives the form.
    using Closed = std::function<const Var<T>&(const Expr&)>;
    /// `free` are the indices that at() sets; `sizes` are the sizes of all indices, `sums` those of the indices of each sum.
    /// Errors: EvaluationError for a part that has no value entry by entry.
    IndexForm(const Expr& e, const std::vector<std::string>& free, const std::map<std::string, Index>& sizes,
              const IndexSizes::OfSums& sums, const Scope<T>& scope, const Closed& closed, const T* own = nullptr);
    /// Errors: EvaluationError for an index that is out of range or not whole.
    T at(const Shape& free);
    /// Reverse mode for dual numbers without tangents: from now on pull() adds to `into` what g times an entry gives for the
    /// entries of x, an array that stands here only with its indices, in no maximum and no product over indices.
    void follow(const Tensor<T>& x, Tensor<T>& into);
    void pull(const Shape& free, const T& g);

  private:
    using Function = T (*)(const T&, const T&);
    enum class Step { constant, index, entry, entry_computed, sum, product, negate, power, reduce, delta, call, call_op, where };
    struct Node {
        Step step = Step::constant;
        const Expr* e = nullptr;
        T value{};                   ///< of a constant
        std::size_t slot = 0;        ///< of an index; the first of those that a reduction binds
        const T* data = nullptr;     ///< of an array
        std::vector<Index> extents;  ///< of its axes, or of the indices that a reduction binds
        std::vector<std::size_t> slots;
        Function function = nullptr;
        std::vector<Node> children;
        bool follows = false;     ///< from the array that is followed
        std::vector<Node> alone;  ///< then the same with numbers for its children, one Node
    };
    Node bind(const Expr& e);
    Node bind_entry(const Expr& e, std::size_t first);
    Node bind_call(const Expr& e);
    std::optional<std::size_t> slot_of(const std::string& name) const;
    bool uses_index(const Expr& e) const;
    T scalar_of(const Expr& e);
    T run(const Node& n);
    T run_sum(const Node& n);
    T run_product(const Node& n);
    T run_reduce(const Node& n);
    T run_op(const Node& n);
    bool mark(Node& n);
    void back(Node& n, const T& g);
    void back_through(Node& n, const T& g);
    template <class F>
    Index each_step(const Node& n, F f);
    Index offset(const Node& n);
    const T& at_offset(const Node& n, Index offset) const;
    Index computed_offset(const Node& n);
    Index whole(const Node& n);

    const std::map<std::string, Index>& sizes_;
    const IndexSizes::OfSums& sums_;
    const Scope<T>& scope_;
    const Closed& closed_;
    std::vector<std::string> names_;  ///< of the slots, as they are bound
    std::vector<Index> ends_;         ///< how far they run
    std::vector<Index> values_;       ///< of the slots
    const T* own_;                    ///< the array that is computed, whose entries so far may be used
    Index computed_ = -1;             ///< of these
    const T* followed_ = nullptr;
    Tensor<T>* into_ = nullptr;
    Node root_;
};

extern template class IndexForm<double>;
extern template class IndexForm<Tracked>;
extern template class IndexForm<TrackedQuad>;
extern template class IndexForm<Modular>;

}  // namespace gradproof::proof
