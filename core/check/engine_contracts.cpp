// Contracts 5 to 8: what an op's backward owes the engine, whatever its formula.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "gradproof/core/check/contract_result.hpp"

namespace gradproof::check {
namespace {

/// The gap between two gradients where `expected` is finite, in units of the largest entry; the worst entry goes to f.
void compare(const Case& c, const Tensors& claimed, const Tensors& expected, const std::string& reason, ContractResult& f) {
    const double scale = std::max(finite_largest(expected), std::numeric_limits<double>::min());
    for (int i = 0; i < c.subject.inputs(); ++i) {
        const auto& a = claimed[static_cast<std::size_t>(i)];
        const auto& b = expected[static_cast<std::size_t>(i)];
        if (!a.defined() || !b.defined()) continue;
        for (Index k = 0; k < a.size(); ++k) {
            if (!std::isfinite(b[k])) continue;
            const double error = a[k] == b[k] ? 0 : std::isfinite(a[k]) ? std::abs(a[k] - b[k]) / scale : kInfinity;
            if (error <= f.error) continue;
            f.error = error;
            f.worst = Worst{c.subject.gradient_name(i), unravel(k, a.shape()), a[k], b[k], error};
            if (error > f.bound) fail(f, reason);
        }
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
    compare(c, gradients(c, combine(u, w, plus)), combine(c.claimed, gradients(c, w), plus), "not additive in the cotangent", f);
    const auto times = [](double a, double) { return -3 * a; };
    compare(c, gradients(c, combine(u, u, times)), combine(c.claimed, c.claimed, times), "not homogeneous in the cotangent", f);
    const Tensors zero = gradients(c, zeros_like(u));
    for (int i = 0; i < c.subject.inputs(); ++i)
        for (Index k = 0; c.subject.has(i) && k < zero[static_cast<std::size_t>(i)].size(); ++k) {
            const double g = zero[static_cast<std::size_t>(i)][k];
            if (g == 0) continue;
            f.worst =
                Worst{c.subject.gradient_name(i), unravel(k, c.subject.x[static_cast<std::size_t>(i)].shape()), g, 0, kInfinity};
            f.error = kInfinity;
            fail(f, "a zero cotangent gives a gradient that is not zero");
        }
    compare(c, gradients(c, u, true), combine(c.claimed, c.claimed, plus), "an input used twice does not get the sum of both", f);
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
    compare(c, g, c.claimed, "the gradient changes when other inputs need none", f);
}

template <class T>
void check_written(const Case& c, ContractResult& f) {
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
    check_written<double>(c, f);
    check_written<float>(c, f);
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
        for (Index k = 0; then.defined() && k < then.size(); ++k) {
            const Tensor<T> a({1}, now[k]), b({1}, then[k]);
            if (same_bits(a, b)) continue;
            f.worst = Worst{name, unravel(k, then.shape()), primal(now[k]), primal(then[k]), kInfinity};
            return fail(f, name + " is changed");
        }
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
    check_unchanged_for<double>(c, f);
    check_unchanged_for<float>(c, f);
    return f;
}

namespace {

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) out.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// A payload outside any tape, to see what it keeps.
class Payload {
  public:
    Payload(const OpTable<double>& op, const void* attrs)
        : op_(op), memory_(new std::byte[op.payload_bytes + op.payload_alignment]) {
        void* at = memory_.get();
        std::size_t space = op.payload_bytes + op.payload_alignment;
        at_ = std::align(op.payload_alignment, op.payload_bytes, at, space);
        op_.construct(at_, attrs);
    }
    ~Payload() { op_.destroy(at_); }
    Payload(const Payload&) = delete;
    Payload& operator=(const Payload&) = delete;
    void* get() const { return at_; }

  private:
    const OpTable<double>& op_;
    std::unique_ptr<std::byte[]> memory_;
    void* at_;
};

/// The memory behind a tensor and, for a view, its own header.
std::int64_t block_bytes(const Tensor<double>& t) {
    constexpr std::size_t kHeader = detail::kHeaderBytes;
    return static_cast<std::int64_t>(pool::block_bytes(kHeader + t.bytes()) + (t.is_view() ? pool::block_bytes(kHeader) : 0));
}

/// Memory the payload keeps beyond its declared fields, and inputs it holds on to.
void check_memory(const Case& c, ContractResult& f) {
    const Subject& s = c.subject;
    Tensors x;
    for (const auto& t : s.x) x.push_back(t.defined() ? t.clone() : Tensor<double>());
    std::vector<const Tensor<double>*> pointers;
    for (const auto& t : x) pointers.push_back(&t);
    const Payload payload(s.op->f64, s.sample->attrs.get());
    const std::int64_t before = pool::use().live_bytes;
    const Tensor<double> y = s.op->f64.forward(payload.get(), Inputs<double>(pointers.data(), s.inputs()));
    std::int64_t grown = pool::use().live_bytes - before;

    SavedHandles<double> saved;
    s.op->f64.each_saved(payload.get(), saved);
    std::vector<Tensor<double>> seen(x.begin(), x.end());
    std::erase_if(seen, [](const auto& t) { return !t.defined(); });
    const auto account = [&](const Tensor<double>& t) {
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
    if (grown > 0) fail(f, fmt::format("the op keeps {} bytes that it does not declare as saved", grown));
    seen.clear();
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!x[i].defined() || x[i].unique()) continue;
        const bool declared =
            y.shares_buffer_with(x[i]) ||
            std::any_of(saved.tensors.begin(), saved.tensors.end(), [&](const auto& t) { return t.shares_buffer_with(x[i]); });
        if (!declared) fail(f, fmt::format("the op holds on to {} and does not declare it as saved", s.names[i]));
    }
}

class CountSaved final : public TapeObserver<double> {
  public:
    void recorded(Tape<double>& tape, int node) override {
        tape.each_saved(node, saved);
        listed = tape.line(node).saved_bytes;
    }
    SavedHandles<double> saved;
    std::size_t listed = 0;
};

}  // namespace

ContractResult check_saved(const Case& c) {
    ContractResult f = start(Contract::saved, c);
    CountSaved count;
    differentiate<double>(c.subject, c.subject.x, c.subject.u, {.observer = &count});
    const std::vector<std::string> declared = words(c.subject.op->info.saves);
    for (const std::string& name : count.saved.names)
        if (!contains(declared, name))
            fail(f, fmt::format("{} is saved but not declared: the page says it saves \"{}\"", name, c.subject.op->info.saves));
    for (const std::string& name : declared)
        if (!contains(count.saved.names, name))
            fail(f, fmt::format("{} is declared as saved, and Saved::fields has no such field", name));
    std::size_t bytes = 0;
    for (const auto& t : count.saved.tensors) bytes += t.bytes();
    for (const std::size_t n : count.saved.other_bytes) bytes += n;
    if (bytes != count.listed) fail(f, fmt::format("the tape lists {} bytes, the saved fields hold {}", count.listed, bytes));
    check_memory(c, f);
    return f;
}

}  // namespace gradproof::check
