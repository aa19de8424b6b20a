// Contracts 5 to 8: what an op's backward owes the engine, whatever its formula.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/kernel.hpp"

namespace gradproof::check {
namespace {

/// Holds a gradient to another, in units of the largest entry of all.
void expect_equal(const Case& c, const Tensors& claimed, const Tensors& expected, const std::string& reason, ContractResult& f) {
    const double scale = std::max(finite_largest(expected), std::numeric_limits<double>::min());
    for (int n = 0; n < c.subject.inputs(); ++n) {
        const auto i = static_cast<std::size_t>(n);
        if (!claimed[i].defined() || !expected[i].defined()) continue;
        const Comparison here = compare(claimed[i], expected[i], {.relative = f.bound, .scale = scale});
        if (here.error > f.error) take_worst(f, c.subject.gradient_name(n), here);
        if (!here.right()) fail(f, reason);
    }
}

Tensors gradients(const Case& c, const Tensor<double>& dy, bool twice = false) {
    return differentiate(c.subject, c.subject.x, dy, {.twice = twice}).gradients(c.subject.x);
}

template <class A, class F>
Tensor<double> combine(const Tensor<A>& a, const Tensor<A>& b, F f) {
    Tensor<double> out(a.shape());
    for (Index i = 0; i < a.size(); ++i) out[i] = f(a[i], b[i]);
    return out;
}
template <class F>
Tensors combine(const Tensors& a, const Tensors& b, F f) {
    Tensors out;
    for (std::size_t i = 0; i < a.size(); ++i) out.push_back(a[i].defined() ? combine(a[i], b[i], f) : Tensor<double>());
    return out;
}

}  // namespace

ContractResult check_linear(const Case& c) {
    ContractResult f = start(Contract::linear, c, 1e-12);
    const Tensor<double>& u = c.subject.u;
    Random random = c.random.stream(7);
    const Tensor<double> w = random.normal<double>(u.shape());
    const auto plus = [](double a, double b) { return a + b; };
    expect_equal(c, gradients(c, combine(u, w, plus)), combine(c.claimed, gradients(c, w), plus), "not additive in the cotangent",
                 f);
    const auto times = [](double a, double) { return -3 * a; };
    expect_equal(c, gradients(c, combine(u, u, times)), combine(c.claimed, c.claimed, times), "not homogeneous in the cotangent",
                 f);
    const Tensors zero = gradients(c, zeros_like(u));
    for (int n = 0; n < c.subject.inputs(); ++n) {
        if (!c.subject.has(n)) continue;
        const Tensor<double>& g = zero[static_cast<std::size_t>(n)];
        const Comparison here = compare(g, zeros_like(g), {.scale = 0});
        if (here.right()) continue;
        take_worst(f, c.subject.gradient_name(n), here);
        fail(f, "a zero cotangent gives a gradient that is not zero");
    }
    expect_equal(c, gradients(c, u, true), combine(c.claimed, c.claimed, plus),
                 "an input used twice does not get the sum of both", f);
    return f;
}

namespace {

/// Notes which inputs were handed cotangents, needed or not.
template <class T>
class Watch final : public CotangentHook<T> {
  public:
    bool on_add(int, int input, Tensor<T>&) override {
        handed.push_back(input);
        return true;
    }
    void on_unneeded(int, int input) override { unneeded.push_back(input); }
    std::vector<int> handed, unneeded;
};

/// Runs with only some inputs as leaves: the others must cost nothing, these must come out as before.
void check_needed_part(const Case& c, const std::vector<bool>& leaves, ContractResult& f) {
    Watch<double> watch;
    const Tensors g =
        differentiate<double>(c.subject, c.subject.x, c.subject.u, {.hook = &watch, .leaves = leaves}).gradients(c.subject.x);
    for (const int i : watch.unneeded)
        fail(f, fmt::format("{} is computed though nobody needs it: guard it with dx.needs({})",
                            i < c.subject.inputs() ? c.subject.gradient_name(i) : "?", i));
    expect_equal(c, g, c.claimed, "the gradient changes when other inputs need none", f);
}

template <class T>
void check_written_for(const Case& c, ContractResult& f) {
    const auto x = cast_all<T>(c.subject.x);
    const Tensor<T> u = cast<T>(c.subject.u);
    const GradientResult<T> plain = differentiate(c.subject, x, u);
    const GradientResult<T> poisoned = [&] {
        const pool::PoisonScope poison;
        return differentiate(c.subject, x, u);
    }();
    const auto look = [&](const std::string& name, const Tensor<T>& a, const Tensor<T>& b) {
        for (Index k = 0; a.defined() && k < a.size(); ++k) {
            if (!std::isnan(a[k]) || std::isnan(b[k])) continue;
            f.worst = Worst{name, unravel(k, a.shape()), a[k], b[k], kInfinity};
            return fail(f, fmt::format("an entry of {} is never written: new tensors hold NaN here, and it came out", name));
        }
    };
    look("y", poisoned.y, plain.y);
    const auto a = poisoned.gradients(x), b = plain.gradients(x);
    for (int i = 0; i < c.subject.inputs(); ++i)
        look(c.subject.gradient_name(i), a[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(i)]);
}

}  // namespace

ContractResult check_needed(const Case& c) {
    ContractResult f = start(Contract::needed, c, 1e-12);
    const Subject& s = c.subject;
    int present = 0;
    for (int i = 0; i < s.inputs(); ++i) present += s.has(i);
    Watch<double> watch;
    differentiate<double>(s, s.x, s.u, {.hook = &watch});
    for (int i = 0; i < s.inputs(); ++i) {
        if (!s.has(i)) continue;
        const bool handed = std::find(watch.handed.begin(), watch.handed.end(), i) != watch.handed.end();
        if (!handed && s.x[static_cast<std::size_t>(i)].size() > 0 && s.y.size() > 0)
            fail(f, fmt::format("no cotangent is handed back for {}", s.names[static_cast<std::size_t>(i)]));
        if (present < 2) continue;
        std::vector<bool> only(static_cast<std::size_t>(s.inputs()), false);
        only[static_cast<std::size_t>(i)] = true;
        check_needed_part(c, only, f);
        only.flip();
        check_needed_part(c, only, f);
    }
    return f;
}

ContractResult check_written(const Case& c) {
    ContractResult f = start(Contract::needed, c);
    for_types(c, [&](auto t) { check_written_for<decltype(t)>(c, f); });
    return f;
}

namespace {

template <class T>
struct SavedHandles final : SavedVisitor<T> {
    std::vector<std::string> names;  // of all fields, defined or not
    std::vector<std::string> tensor_names;
    std::vector<Tensor<T>> tensors;
    std::vector<std::size_t> other_bytes;
    void tensor(std::string_view name, const Tensor<T>& value) override {
        names.emplace_back(name);
        if (!value.defined()) return;
        tensor_names.emplace_back(name);
        tensors.push_back(value);
    }
    void other(std::string_view name, std::size_t bytes) override {
        names.emplace_back(name);
        other_bytes.push_back(bytes);
    }
};

template <class T>
class Snapshot final : public TapeObserver<T> {
  public:
    void recorded(Tape<T>& tape, int node) override {
        tape.each_saved(node, saved);
        for (const auto& t : saved.tensors) before.push_back(t.clone());
    }
    SavedHandles<T> saved;
    std::vector<Tensor<T>> before;
};

template <class T>
void check_unchanged_for(const Case& c, ContractResult& f) {
    std::vector<Tensor<T>> x = cast_all<T>(c.subject.x), kept;
    for (auto& t : x) {
        if (t.defined()) t = t.clone();
        kept.push_back(t.defined() ? t.clone() : Tensor<T>());
    }
    const Tensor<T> u = cast<T>(c.subject.u).clone(), kept_u = u.clone();
    const Tensor<T> y = evaluate(*c.subject.op, c.subject.sample->attrs, x).clone();
    Snapshot<T> snapshot;
    const GradientResult<T> run = differentiate<T>(c.subject, x, u, {.observer = &snapshot});
    const auto look = [&](const std::string& name, const Tensor<T>& now, const Tensor<T>& then) {
        expect_same_bits(name, now, then, name + " is changed", f);
    };
    for (std::size_t i = 0; i < x.size(); ++i) look("input " + c.subject.names[i], x[i], kept[i]);
    look("the cotangent", u, kept_u);
    for (std::size_t i = 0; i < snapshot.before.size(); ++i)
        look("saved " + snapshot.saved.tensor_names[i], snapshot.saved.tensors[i], snapshot.before[i]);
    look("y", run.y, y);
}

}  // namespace

ContractResult check_unchanged(const Case& c) {
    ContractResult f = start(Contract::unchanged, c);
    for_types(c, [&](auto t) { check_unchanged_for<decltype(t)>(c, f); });
    return f;
}

namespace {

/// The memory behind a tensor and, for a view, its own header.
template <class T>
std::int64_t block_bytes(const Tensor<T>& t) {
    constexpr std::size_t kHeader = detail::kHeaderBytes;
    return static_cast<std::int64_t>(pool::block_bytes(kHeader + t.bytes()) + (t.is_view() ? pool::block_bytes(kHeader) : 0));
}

/// A call on a tape: what it saves, what is declared of it, and how much memory it took beside its own tensors.
template <class T>
struct SavedByACall {
    SavedHandles<T> saved;
    std::vector<std::string_view> declared;
    std::size_t listed = 0;  // bytes, by the tape
    std::int64_t grown = 0;
    std::vector<Tensor<T>> x;
    Tensor<T> y;

    explicit SavedByACall(const Subject& s) {
        std::vector<Var<T>> vars;
        std::vector<const Var<T>*> pointers;
        for (const auto& t : cast_all<T>(s.x)) x.push_back(t.defined() ? t.clone() : t);
        Tape<T> tape;
        for (const auto& t : x) vars.push_back(t.defined() ? tape.leaf(t) : Var<T>());
        for (const auto& v : vars) pointers.push_back(&v);
        const std::int64_t before = pool::use().live_bytes;
        Var<T> result = tape.record(s.op->table<T>(), s.sample->attrs.get(), std::span<const Var<T>* const>(pointers));
        grown = pool::use().live_bytes - before;
        const int node = result.node();
        y = result.value();
        result = {};
        vars.clear();
        const KernelTable<T>* kernel = tape.kernel(node);
        declared = kernel != nullptr && !kernel->own.empty() ? kernel->own : detail::split_names(s.op->info.saves);
        listed = tape.line(node).saved_bytes;
        tape.each_saved(node, saved);
        look_for_more(s);
    }

    /// Memory the call keeps beyond its declared fields, and inputs it holds on to; the tape lives still.
    void look_for_more(const Subject& s) {
        std::vector<Tensor<T>> seen(x.begin(), x.end());
        std::erase_if(seen, [](const auto& t) { return !t.defined(); });
        const auto account = [&](const Tensor<T>& t) {
            const bool known = std::any_of(seen.begin(), seen.end(), [&](const auto& o) { return o.shares_buffer_with(t); });
            if (!known)
                grown -= block_bytes(t);
            else if (t.is_view())
                grown -= static_cast<std::int64_t>(pool::block_bytes(detail::kHeaderBytes));
            seen.push_back(t);
        };
        account(y);
        for (const auto& t : saved.tensors) account(t);
        for (const std::size_t bytes : saved.other_bytes)
            grown -= static_cast<std::int64_t>(pool::block_bytes(detail::kHeaderBytes + bytes));
        seen.clear();
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (!x[i].defined() || x[i].unique()) continue;
            const bool known =
                y.shares_buffer_with(x[i]) || std::any_of(saved.tensors.begin(), saved.tensors.end(),
                                                          [&](const auto& t) { return t.shares_buffer_with(x[i]); });
            if (!known) held.push_back(s.names[i]);
        }
    }
    std::vector<std::string> held;
};

template <class T>
void check_saved_for(const Case& c, ContractResult& f) {
    const SavedByACall<T> call(c.subject);
    const auto contains = [](const auto& list, std::string_view word) {
        return std::find(list.begin(), list.end(), word) != list.end();
    };
    for (const std::string& name : call.saved.names)
        if (!contains(call.declared, name))
            fail(f, fmt::format("{} is saved but not declared: it is said to save \"{}\"", name, fmt::join(call.declared, " ")));
    for (const std::string_view name : call.declared)
        if (!contains(call.saved.names, name))
            fail(f, fmt::format("{} is declared as saved, and Saved::fields has no such field", name));
    std::size_t bytes = 0;
    for (const auto& t : call.saved.tensors) bytes += t.bytes();
    for (const std::size_t n : call.saved.other_bytes) bytes += n;
    if (bytes != call.listed) fail(f, fmt::format("the tape lists {} bytes, the saved fields hold {}", call.listed, bytes));
    if (call.grown > 0) fail(f, fmt::format("the op keeps {} bytes that it does not declare as saved", call.grown));
    for (const std::string& name : call.held)
        fail(f, fmt::format("the op holds on to {} and does not declare it as saved", name));
}

}  // namespace

ContractResult check_saved(const Case& c) {
    ContractResult f = start(Contract::saved, c);
    for_types(c, [&](auto t) { check_saved_for<decltype(t)>(c, f); });
    return f;
}

}  // namespace gradproof::check
