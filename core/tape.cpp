// The tape: recording, the reverse loop, accumulation and printing.
#include "gradproof/core/tape.hpp"

#include <fmt/format.h>

#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/rows.hpp"

namespace gradproof {
namespace {

constexpr std::size_t kChunkBytes = 64 * 1024;

template <class T>
void add_in_place(Tensor<T>& total, const Tensor<T>& g) {
    T* a = total.data();
    const T* b = g.data();
    parallel_for(total.size(), row_grain(1), [=](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) a[i] += b[i];
    });
}

}  // namespace

template <class T>
Tensor<T> unbroadcast(const Tensor<T>& g, const Shape& shape) {
    if (g.shape() == shape) return g;
    if (!broadcasts_to(shape, g.shape()))
        shape_error("backward: cotangent is {}, input is {}: one does not broadcast to the other", g.shape(), shape);
    AxisSet reduced{};
    const int lead = g.rank() - shape.rank();
    for (int a = 0; a < g.rank(); ++a) reduced[static_cast<std::size_t>(a)] = a < lead || shape[a - lead] != g.dim(a);
    const Rows<T> rows(g, reduced, true);
    Tensor<T> out(shape);
    sum_rows(rows, out, [x = rows.x.data()](Index i, Index) { return x[i]; });
    return out;
}

template <class T>
Tape<T>::Tape() {
    nodes_.reserve(256);
    inputs_.reserve(512);
}

template <class T>
Tape<T>::~Tape() {
    destroy_payloads();
}

template <class T>
void Tape<T>::destroy_payloads() noexcept {
    for (Node& n : nodes_) n.kept.destroy();
}

template <class T>
void Tape<T>::reset() {
    destroy_payloads();
    nodes_.clear();
    inputs_.clear();
    constant_shapes_.clear();
    names_used_ = 0;
    large_.clear();
    chunk_ = chunk_used_ = 0;
    consumed_ = false;
    ++epoch_;
}

template <class T>
void* Tape<T>::arena(std::size_t bytes, std::size_t alignment) {
    if (bytes + alignment > kChunkBytes) {
        large_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(bytes + alignment), bytes);
        void* p = large_.back().first.get();
        std::size_t space = bytes + alignment;
        return std::align(alignment, bytes, p, space);
    }
    while (true) {
        if (chunk_ == chunks_.size()) chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kChunkBytes));
        const std::size_t start = (chunk_used_ + alignment - 1) & ~(alignment - 1);  // a power of two
        if (start + bytes <= kChunkBytes) {
            chunk_used_ = start + bytes;
            return chunks_[chunk_].get() + start;
        }
        ++chunk_;
        chunk_used_ = 0;
    }
}

template <class T>
int Tape<T>::check(const Var<T>& v, std::string_view op) const {
    if (v.tape_ == nullptr) return -1;
    if (v.tape_ != this) tape_error("{}: an input belongs to another tape", op);
    if (v.epoch_ != epoch_) tape_error("{}: an input was recorded before the tape was reset", op);
    return v.node_;
}

template <class T>
Var<T> Tape<T>::leaf(Tensor<T> value, std::string_view name) {
    if (consumed_) tape_error("leaf: the tape was consumed by backward; call reset() first");
    if (!value.defined()) value_error("leaf: value is undefined");
    const int id = nodes();
    Node& node = nodes_.emplace_back(detail::Kept<T>{}, 0u, 0u, value.shape());
    if (keep_values_) node.value = value;
    if (!name.empty()) {
        if (names_used_ == names_.size()) names_.emplace_back();
        names_[names_used_].first = id;
        names_[names_used_++].second.assign(name);
    }
    return Var<T>(std::move(value), this, id, epoch_);
}

template <class T>
Var<T> Tape<T>::record(const OpTable<T>& op, const void* attrs, std::span<const Var<T>* const> xs) {
    if (consumed_) tape_error("{}: the tape was consumed by backward; call reset() first", op.info->name);
    constexpr std::size_t kInline = 8;
    const Tensor<T>* in_place[kInline];
    std::vector<const Tensor<T>*> on_heap;
    const Tensor<T>** tensors = in_place;
    if (xs.size() > kInline) {
        on_heap.resize(xs.size());
        tensors = on_heap.data();
    }
    for (std::size_t i = 0; i < xs.size(); ++i) {
        check(*xs[i], op.info->name);
        tensors[i] = &xs[i]->value();
    }
    const Inputs<T> x(tensors, static_cast<int>(xs.size()));
    const detail::Chosen<T> by = detail::choose(op, attrs, x);
    struct Guard {
        detail::Kept<T> kept;
        ~Guard() { kept.destroy(); }
    } guard{{&op, by.backward, arena(detail::Kept<T>::bytes(op, by.backward), detail::Kept<T>::alignment(op))}};
    guard.kept.construct(attrs);
    Tensor<T> y = guard.kept.forward(by.forward, x);
    if (!y.defined()) shape_error("{}: forward returned an undefined tensor", op.info->name);

    const auto first = static_cast<std::uint32_t>(inputs_.size());
    for (std::size_t i = 0; i < xs.size(); ++i) {
        inputs_.push_back({xs[i]->node_, static_cast<std::uint32_t>(constant_shapes_.size())});
        if (xs[i]->node_ < 0) constant_shapes_.push_back(tensors[i]->defined() ? tensors[i]->shape() : Shape{});
    }
    const int id = nodes();
    Node& node = nodes_.emplace_back(guard.kept, first, static_cast<std::uint32_t>(xs.size()), y.shape());
    guard.kept.payload = nullptr;
    if (keep_values_) node.value = y;
    return Var<T>(std::move(y), this, id, epoch_);
}

template <class T>
void Tape<T>::expect_input(int node, int input_index) const {
    const Node& of = nodes_[static_cast<std::size_t>(node)];
    if (input_index < 0 || input_index >= static_cast<int>(of.inputs))
        tape_error("{}: backward uses input {}, the call has {} inputs ({})", of.kept.op->info->name, input_index, of.inputs,
                   of.kept.op->info->inputs);
}

template <class T>
void Tape<T>::accumulate(int node, int input_index, Tensor<T> g) {
    const Node& of = nodes_[static_cast<std::size_t>(node)];
    expect_input(node, input_index);
    if (!g.defined())
        shape_error("{}: backward adds an undefined tensor as the cotangent of input {} ({})", of.kept.op->info->name,
                    input_index, of.kept.op->info->inputs);
    const InputRef& to = input(node, input_index);
    if (to.node < 0) {
        if (hook_) hook_->on_unneeded(node, input_index);
        return;
    }
    if (hook_ && !hook_->on_add(node, input_index, g)) return;
    Node& from = nodes_[static_cast<std::size_t>(to.node)];
    if (!(g.shape() == from.shape)) g = unbroadcast(g, from.shape);
    Tensor<T>& total = from.dy;
    if (!total.defined() || (hook_ && hook_->overwrites())) {
        total = std::move(g);
    } else if (total.unique()) {
        add_in_place(total, g);
    } else if (g.unique()) {
        add_in_place(g, total);
        total = std::move(g);
    } else {
        total = total.clone();
        add_in_place(total, g);
    }
}

template <class T>
void Tape<T>::backward(const Var<T>& y, Tensor<T> dy) {
    if (consumed_) tape_error("backward: the tape was already consumed; record again to differentiate again");
    const int start = check(y, "backward");
    if (start < 0) tape_error("backward: the value is a constant, nothing on the tape leads to it");
    if (!dy.defined() || !(dy.shape() == y.shape()))
        shape_error("backward: cotangent is {}, value is {}", dy.defined() ? dy.shape().str() : "undefined", y.shape());
    consumed_ = true;
    nodes_[static_cast<std::size_t>(start)].dy = std::move(dy);
    for (int id = nodes() - 1; id >= 0; --id) {
        Node& node = nodes_[static_cast<std::size_t>(id)];
        if (node.kept.op == nullptr) continue;
        if (node.dy.defined()) {
            const Tensor<T> cotangent = keep_cotangents_ ? node.dy : std::move(node.dy);
            node.kept.backward(cotangent, Cotangents<T>(*this, id));
        }
        node.kept.destroy();
    }
}

template <class T>
void Tape<T>::backward(const Var<T>& loss) {
    if (!loss.value().defined() || loss.value().size() != 1)
        shape_error("backward: a loss has exactly one element: loss is {}; pass a cotangent for anything else",
                    loss.value().defined() ? loss.shape().str() : "undefined");
    backward(loss, Tensor<T>(loss.shape(), T(1)));
}

template <class T>
Gradient<T> Tape<T>::gradient(const Var<T>& x) const {
    const int id = check(x, "gradient");
    if (id < 0) tape_error("gradient: the value is a constant and takes no gradient");
    if (!consumed_) return {};
    const Node& node = nodes_[static_cast<std::size_t>(id)];
    if (node.kept.op && !keep_cotangents_)
        tape_error("gradient: cotangents of inner values were not kept; call keep_cotangents(true) before backward");
    if (!node.dy.defined()) return {GradientState::no_path, {}};
    return {GradientState::reached, node.dy};
}

template <class T>
Tensor<T> Tape<T>::grad(const Var<T>& x) const {
    Gradient<T> g = gradient(x);
    if (g.state == GradientState::not_computed) tape_error("grad: not computed yet; call backward first");
    return g.state == GradientState::reached ? std::move(g.value) : zeros<T>(x.shape());
}

template <class T>
void Tape<T>::each_saved(int id, SavedVisitor<T>& visit) const {
    const Node& node = nodes_[static_cast<std::size_t>(id)];
    if (node.kept.payload) node.kept.each_saved(visit);
}

namespace {

template <class T>
struct ByteCount final : SavedVisitor<T> {
    std::size_t bytes = 0;
    void tensor(std::string_view, const Tensor<T>& value) override {
        if (value.defined()) bytes += value.bytes();
    }
    void other(std::string_view, std::size_t n) override { bytes += n; }
};

}  // namespace

template <class T>
std::size_t Tape<T>::saved_bytes() const {
    ByteCount<T> count;
    for (int id = 0; id < nodes(); ++id) each_saved(id, count);
    return count.bytes;
}

template <class T>
TapeLine Tape<T>::line(int id) const {
    const Node& node = nodes_[static_cast<std::size_t>(id)];
    TapeLine out;
    out.node = id;
    out.shape = node.shape;
    for (std::size_t i = 0; i < names_used_; ++i)
        if (names_[i].first == id) out.name = names_[i].second;
    const OpTable<T>* op_of_node = node.kept.op;
    if (op_of_node == nullptr) {
        out.op = "leaf";
        return out;
    }
    out.op = std::string(op_of_node->info->name);
    out.forward = op_of_node->info->forward;
    for (std::uint32_t i = 0; i < node.inputs; ++i) out.inputs.push_back(inputs_[node.first_input + i].node);
    if (node.kept.payload) {
        out.attrs = op_of_node->attrs_text(node.kept.payload);
        ByteCount<T> count;
        each_saved(id, count);
        out.saved_bytes = count.bytes;
    }
    return out;
}

template <class T>
std::string describe(const Tape<T>& tape) {
    std::string out =
        fmt::format("{:>5}  {:<16} {:<16} {:<14} {:>10}  {}\n", "node", "op", "inputs", "shape", "saved B", "formula");
    for (int id = 0; id < tape.nodes(); ++id) {
        const TapeLine l = tape.line(id);
        std::string inputs;
        for (const int i : l.inputs)
            inputs += (inputs.empty() ? "" : " ") + (i < 0 ? std::string("const") : fmt::format("%{}", i));
        const std::string about = l.name.empty() ? std::string(l.forward) : l.name;
        out += fmt::format("{:>5}  {:<16} {:<16} {:<14} {:>10}  {}{}\n", fmt::format("%{}", id), l.op, inputs, l.shape.str(),
                           l.saved_bytes, about, l.attrs.empty() ? "" : "  {" + l.attrs + "}");
        if (tape.value(id).defined()) out += "       value     " + to_string(tape.value(id).reshape({-1}), 4) + "\n";
        if (tape.cotangent(id).defined()) out += "       cotangent " + to_string(tape.cotangent(id).reshape({-1}), 4) + "\n";
    }
    return out;
}

#define GRADPROOF_TAPE(T)                          \
    template class Tape<T>;                        \
    template std::string describe(const Tape<T>&); \
    template Tensor<T> unbroadcast(const Tensor<T>&, const Shape&);
GRADPROOF_FOR_SCALARS(GRADPROOF_TAPE)
#undef GRADPROOF_TAPE

}  // namespace gradproof
