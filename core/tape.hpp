// The tape: one vector of nodes in topological order, and Var, a value on it.
//
//   Tape<double> tape;
//   Var<double> x = tape.leaf(Tensor<double>::from({2}, {1, 2}), "x");
//   Var<double> y = sum(mul(x, x));           // ops/reduce.hpp, ops/arithmetic.hpp
//   tape.backward(y);
//   tape.grad(x);                 // [2, 4]
//
// Backward is one reverse loop; each node's payload is destroyed right after its backward.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/kernel_table.hpp"

namespace gradproof {

/// Called with the name and the value of each saved tensor.
template <class T>
class SavedVisitor {
  public:
    virtual ~SavedVisitor() = default;
    virtual void tensor(std::string_view name, const Tensor<T>& value) = 0;
    /// A saved field that is not a tensor of T (sizes, flags, masks): its bytes.
    virtual void other(std::string_view name, std::size_t bytes) = 0;
};

/// One op at one element type, as function pointers: the same for ops compiled in and ops loaded at run time.
template <class T>
struct OpTable {
    const OpInfo* info;
    std::size_t payload_bytes, payload_alignment;
    void (*construct)(void* payload, const void* attrs);  // copies attrs, default-constructs Saved
    Tensor<T> (*forward)(void* payload, Inputs<T> x);
    void (*backward)(const void* payload, const Tensor<T>& dy, Cotangents<T> dx);
    void (*destroy)(void* payload);
    void (*each_saved)(const void* payload, SavedVisitor<T>& visit);
    std::string (*attrs_text)(const void* payload);
    Tensor<T>* (*saved_tensor)(void* payload, std::string_view name);  // null where no field of Saved has this name
    KernelList<T>* kernels;
};

namespace detail {

/// What one call keeps for its backward: a payload, and the tensors of a kernel that saves its own. Only `destroy` frees it.
template <class T>
struct Kept {
    const OpTable<T>* op = nullptr;
    const KernelTable<T>* kernel = nullptr;  ///< does the backward; null: the page does
    void* payload = nullptr;                 ///< begins with the attributes; the kernel's own tensors follow it

    static std::size_t own_tensors_at(const OpTable<T>& op) {
        return (op.payload_bytes + alignof(Tensor<T>) - 1) & ~(alignof(Tensor<T>) - 1);
    }
    static std::size_t bytes(const OpTable<T>& op, const KernelTable<T>* kernel) {
        if (kernel == nullptr || kernel->own.empty()) return op.payload_bytes;
        return own_tensors_at(op) + kernel->own.size() * sizeof(Tensor<T>);
    }
    static std::size_t alignment(const OpTable<T>& op) { return std::max(op.payload_alignment, alignof(Tensor<T>)); }

    bool has_own() const { return kernel != nullptr && !kernel->own.empty(); }
    Tensor<T>* own() const { return reinterpret_cast<Tensor<T>*>(static_cast<std::byte*>(payload) + own_tensors_at(*op)); }
    SavedTensors<T> saved() const { return has_own() ? SavedTensors<T>(*op, *kernel, own()) : SavedTensors<T>(*op, payload); }

    void construct(const void* attrs) {
        op->construct(payload, attrs);
        if (has_own()) std::uninitialized_value_construct_n(own(), kernel->own.size());
    }
    void destroy() noexcept {
        if (payload == nullptr) return;
        if (has_own()) std::destroy_n(own(), kernel->own.size());
        op->destroy(std::exchange(payload, nullptr));
    }
    Tensor<T> forward(const KernelTable<T>* by, Inputs<T> x) {
        if (by == nullptr) return op->forward(payload, x);
        SavedTensors<T> to = saved();
        return by->forward(*by, payload, x, to);
    }
    void backward(const Tensor<T>& dy, Cotangents<T> dx) const {
        if (kernel == nullptr) return op->backward(payload, dy, dx);
        kernel->backward(*kernel, payload, saved(), dy, dx);
    }
    void each_saved(SavedVisitor<T>& visit) const {
        if (!has_own()) return op->each_saved(payload, visit);
        for (std::size_t i = 0; i < kernel->own.size(); ++i) visit.tensor(kernel->own[i], own()[i]);
    }
};

template <class T>
Chosen<T> choose(const OpTable<T>& op, const void* attrs, const Inputs<T>& x) {
    if constexpr (takes_kernels<T>)
        if (op.kernels->first != nullptr) return choose_kernels(op, attrs, x);
    return {};
}

}  // namespace detail

/// A value: a tensor, and its place on a tape if it has one. Without a place it is a constant and has no gradient.
template <class T>
class Var {
  public:
    using value_type = T;
    Var() = default;
    Var(Tensor<T> constant) : value_(std::move(constant)) {}  // NOLINT
    const Tensor<T>& value() const { return value_; }
    const Shape& shape() const { return value_.shape(); }
    bool on_tape() const { return tape_ != nullptr; }
    Tape<T>* tape() const { return tape_; }
    int node() const { return node_; }

  private:
    friend class Tape<T>;
    Var(Tensor<T> value, Tape<T>* tape, int node, std::uint32_t epoch)
        : value_(std::move(value)), tape_(tape), node_(node), epoch_(epoch) {}
    Tensor<T> value_;
    Tape<T>* tape_ = nullptr;
    std::int32_t node_ = -1;
    std::uint32_t epoch_ = 0;
};

/// How far a gradient has been computed.
enum class GradientState {
    not_computed,  ///< backward has not run
    no_path,       ///< backward ran, and no path leads from the loss to this value
    reached,       ///< the gradient is `value`, which may be zero
};
template <class T>
struct Gradient {
    GradientState state = GradientState::not_computed;
    Tensor<T> value;
};

/// Sees, and may change, each cotangent that an op hands back. Used by the checks to plant bugs.
template <class T>
class CotangentHook {
  public:
    virtual ~CotangentHook() = default;
    /// Returns false to drop g.
    virtual bool on_add(int node, int input, Tensor<T>& g) = 0;
    /// Whether g replaces what was accumulated before: the planted bug `=` for `+=`.
    virtual bool overwrites() const { return false; }
    /// Called for a cotangent that was computed although it is not needed: it is dropped. `needs` should have guarded it.
    virtual void on_unneeded(int /*node*/, int /*input*/) {}
};

/// One line of a printed tape.
struct TapeLine {
    int node = 0;
    std::string op;    ///< "leaf" for a leaf
    std::string name;  ///< of a leaf
    std::string attrs;
    std::vector<int> inputs;  ///< -1 for a constant
    Shape shape;
    std::string_view forward;
    std::size_t saved_bytes = 0;
};

template <class T>
class Tape {
  public:
    Tape();
    ~Tape();
    Tape(const Tape&) = delete;
    Tape& operator=(const Tape&) = delete;

    /// A value to differentiate by.
    Var<T> leaf(Tensor<T> value, std::string_view name = {});

    /// Runs an op and records it if any input is on the tape. Errors: TapeError for a Var of another or a reset tape.
    Var<T> record(const OpTable<T>& op, const void* attrs, std::span<const Var<T>* const> inputs);

    /// Computes the cotangents of everything that y depends on, from dy, the cotangent of y. It runs once: record again to
    /// differentiate again. Errors: ShapeError if dy does not have the shape of y; TapeError on a second call, for a constant,
    /// and for a Var of another tape or from before reset().
    void backward(const Var<T>& y, Tensor<T> dy);
    /// The same for a loss with exactly one element, whose cotangent is 1. Errors: also ShapeError for another number of
    /// elements.
    void backward(const Var<T>& loss);

    /// The state of the gradient of x, and its value if it was reached. Errors: TapeError for a constant, for a Var of another
    /// tape or from before reset(), and for a value that is not a leaf unless keep_cotangents(true) was set before backward.
    Gradient<T> gradient(const Var<T>& x) const;
    /// The gradient itself, zeros if no path reached x. Errors: TapeError before backward, and as gradient.
    Tensor<T> grad(const Var<T>& x) const;

    /// Forgets all nodes and keeps the memory. Vars made before are refused from then on.
    void reset();

    int nodes() const { return static_cast<int>(nodes_.size()); }
    bool consumed() const { return consumed_; }
    /// Keeps every value, for printing and for finding the first one that is not finite.
    void keep_values(bool keep) { keep_values_ = keep; }
    /// Keeps the cotangents of inner nodes, not only of leaves, so that `gradient` answers for any Var.
    void keep_cotangents(bool keep) { keep_cotangents_ = keep; }
    void set_hook(CotangentHook<T>* hook) { hook_ = hook; }

    TapeLine line(int node) const;
    /// The value of a node, undefined unless values are kept.
    const Tensor<T>& value(int node) const { return nodes_[static_cast<std::size_t>(node)].value; }
    const Tensor<T>& cotangent(int node) const { return nodes_[static_cast<std::size_t>(node)].dy; }
    void each_saved(int node, SavedVisitor<T>& visit) const;
    /// The op of a node, nullptr for a leaf.
    const OpTable<T>* op(int node) const { return nodes_[static_cast<std::size_t>(node)].kept.op; }
    /// The kernel that does the backward of a node, nullptr if its page does, or for a leaf.
    const KernelTable<T>* kernel(int node) const { return nodes_[static_cast<std::size_t>(node)].kept.kernel; }
    /// Bytes of the saved tensors now alive, each buffer counted once per node.
    std::size_t saved_bytes() const;

  private:
    friend class Cotangents<T>;
    struct Node {
        // Every field is given: a node that is first cleared and then filled costs twice.
        Node(const detail::Kept<T>& keeps, std::uint32_t first, std::uint32_t count, const Shape& s)
            : kept(keeps), first_input(first), inputs(count), shape(s) {}
        detail::Kept<T> kept;
        std::uint32_t first_input, inputs;
        Tensor<T> dy;
        Tensor<T> value;
        Shape shape;
    };
    struct InputRef {
        std::int32_t node;       ///< -1 for a constant
        std::uint32_t constant;  ///< where constant_shapes_ has its shape
    };

    const InputRef& input(int node, int i) const {
        return inputs_[nodes_[static_cast<std::size_t>(node)].first_input + static_cast<std::uint32_t>(i)];
    }
    const Shape& shape_of(const InputRef& ref) const {
        return ref.node >= 0 ? nodes_[static_cast<std::size_t>(ref.node)].shape : constant_shapes_[ref.constant];
    }
    void expect_input(int node, int input_index) const;
    void accumulate(int node, int input_index, Tensor<T> g);
    int check(const Var<T>& v, std::string_view op) const;
    void* arena(std::size_t bytes, std::size_t alignment);
    void destroy_payloads() noexcept;

    std::vector<Node> nodes_;
    std::vector<InputRef> inputs_;
    std::vector<Shape> constant_shapes_;
    std::vector<std::pair<int, std::string>> names_;
    std::size_t names_used_ = 0;
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::size_t chunk_ = 0, chunk_used_ = 0;
    std::vector<std::pair<std::unique_ptr<std::byte[]>, std::size_t>> large_;
    CotangentHook<T>* hook_ = nullptr;
    std::uint32_t epoch_ = 1;
    bool consumed_ = false;
    bool keep_values_ = false;
    bool keep_cotangents_ = false;
};

template <class T>
inline int Cotangents<T>::inputs() const {
    return static_cast<int>(tape_->nodes_[static_cast<std::size_t>(node_)].inputs);
}
template <class T>
inline bool Cotangents<T>::needs(int i) const {
    return i >= 0 && i < inputs() && tape_->input(node_, i).node >= 0;
}
template <class T>
inline const Shape& Cotangents<T>::shape(int i) const {
    tape_->expect_input(node_, i);
    return tape_->shape_of(tape_->input(node_, i));
}
template <class T>
inline void Cotangents<T>::add(int i, Tensor<T> g) {
    tape_->accumulate(node_, i, std::move(g));
}

template <class T>
Tensor<T>* SavedTensors<T>::find(std::string_view name) const {
    if (kernel_ == nullptr) {
        if (Tensor<T>* tensor = op_->saved_tensor(payload_, name)) return tensor;
    } else {
        for (std::size_t i = 0; i < kernel_->own.size(); ++i)
            if (kernel_->own[i] == name) return own_ + i;
    }
    value_error("{}: {} saves no tensor named {}", op_->info->name, kernel_ ? kernel_->name : "the page", name);
}

/// Sums g over the axes along which `shape` was broadcast to g's shape. Errors: ShapeError if it was not.
template <class T>
Tensor<T> unbroadcast(const Tensor<T>& g, const Shape& shape);

/// The tape as a table: node, op, formula, inputs, shape, bytes saved, and values and cotangents where kept.
template <class T>
std::string describe(const Tape<T>& tape);

#define GRADPROOF_TAPE(T) extern template class Tape<T>;
GRADPROOF_FOR_SCALARS(GRADPROOF_TAPE)
#undef GRADPROOF_TAPE

}  // namespace gradproof
