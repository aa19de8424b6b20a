// Contracts 14 and 15, and that a forward gives numbers: what is judged before anything that an op computes.
#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/platform/guards.hpp"

namespace gradproof::check {

ContractResult check_finite(const Case& c) {
    ContractResult f = start(Contract::dual_value, c);
    const auto finite = [](const Tensor<double>& x) {
        return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
    };
    if (c.excuse().finite_differences || c.empty()) return f;
    for (const auto& x : c.subject.x)
        if (x.defined() && !finite(x)) return f;
    const Tensor<double>& y = c.subject.y;
    for (Index k = 0; k < y.size() && f.verdict == Verdict::right; ++k)
        if (!std::isfinite(y[k]))
            fail(f, fmt::format("the forward gives {} at y{}, though every input is finite", y[k], unravel(k, y.shape())));
    return f;
}

namespace {

template <class T>
struct Run {
    Tensor<T> y;
    std::vector<Tensor<T>> dx;
};

/// One call, as often as it is asked for, and its result when nothing comes between.
template <class T>
struct Alone {
    const Subject& of;
    std::vector<Tensor<T>> x;
    Tensor<T> u;
    Run<T> result;

    Alone(const Subject& s, const Tensors& at, const Tensor<double>& cotangent, Tape<T>& tape)
        : of(s), x(cast_all<T>(at)), u(cast<T>(cotangent)) {
        RecordedCall<T> call = record(tape);
        result = backward(call);
        result.y = result.y.clone();
        result.dx = clones(result.dx);
    }
    RecordedCall<T> record(Tape<T>& tape) const { return {tape, *of.op, of.sample->attrs, clones(x)}; }
    Run<T> backward(RecordedCall<T>& call) const {
        const GradientResult<T> run = call.backward(u.clone());
        return {run.y, run.gradients(x)};
    }
    void expect_alone(const Run<T>& now, const std::string& when, ContractResult& f) const {
        expect_same_bits("y", now.y, result.y, "y has other bits " + when, f);
        for (std::size_t i = 0; i < now.dx.size(); ++i) {
            const std::string name = of.gradient_name(static_cast<int>(i));
            expect_same_bits(name, now.dx[i], result.dx[i], name + " has other bits " + when, f);
        }
    }
};

template <class T>
void check_independent_for(const Case& c, const Case& other, ContractResult& f) {
    const Subject& s = c.subject;
    Tape<T> tapes[2];
    const Alone<T> first(s, s.x, s.u, tapes[0]);
    // Records both calls, then runs their backwards in either order.
    const auto expect_independent = [&](const Alone<T>& second, const std::string& with) {
        for (const bool first_goes_first : {true, false}) {
            RecordedCall<T> one = first.record(tapes[0]), two = second.record(tapes[1]);
            Run<T> of_one, of_two;
            if (first_goes_first) of_one = first.backward(one);
            of_two = second.backward(two);
            if (!first_goes_first) of_one = first.backward(one);
            const std::string when =
                fmt::format("when {} is recorded before the first backward: the op keeps what it should save", with);
            first.expect_alone(of_one, when, f);
            second.expect_alone(of_two, when, f);
        }
    };
    Random random = c.random.stream(15);
    expect_independent({s, draw(s.sample->args, c.random.stream(14)), random.normal<double>(s.u.shape()), tapes[1]},
                       "a call with other inputs");
    // What was kept may have another size there: not asked of an op that failed.
    if (f.verdict == Verdict::right && &c != &other)
        expect_independent({other.subject, other.subject.x, other.subject.u, tapes[1]},
                           fmt::format("a call of sample \"{}\"", other.sample()));
}

}  // namespace

ContractResult check_independent(const Case& c, const Case& other) {
    ContractResult f = start(Contract::independent, c);
    for_types(c, [&](auto t) { check_independent_for<decltype(t)>(c, other, f); });
    return f;
}

namespace {

/// A call whose tensors have guard bytes, with names for the buffers that have one.
template <class T>
class GuardedCall final : SavedVisitor<T>, CotangentHook<T> {
  public:
    GuardedCall(const OpEntry& op, const AnyAttrs& attrs, const Tensors& x, const Tensor<double>& dy, unsigned char guard_value,
                ContractResult& f)
        : names_(input_names(op.info, static_cast<int>(x.size()))), guards_(guard_value), f_(f) {
        const std::vector<Tensor<T>> at = cast_all<T>(x);
        const Tensor<T> u = cast<T>(dy);
        for (std::size_t i = 0; i < at.size(); ++i)
            if (at[i].defined()) note("input " + names_[i], at[i]);
        note("the cotangent", u);
        Tape<T> tape;
        RecordedCall<T> call(tape, op, attrs, at);
        note("y", call.y.value());
        call.tape.each_saved(call.y.node(), *this);
        look("forward");
        call.tape.set_hook(this);
        const GradientResult<T> run = call.backward(u);
        look("backward");
        result = {run.y, run.gradients(at)};
    }
    Run<T> result;

  private:
    struct Named {
        const void* data;
        std::string name;
        Shape shape;
    };
    void note(const std::string& name, const Tensor<T>& x) { known_.push_back({x.data(), name, x.shape()}); }
    void tensor(std::string_view name, const Tensor<T>& x) override {
        if (x.defined()) note("saved " + std::string(name), x);
    }
    void other(std::string_view, std::size_t) override {}
    bool on_add(int, int input, Tensor<T>& g) override {
        if (input < static_cast<int>(names_.size())) note("d(" + names_[static_cast<std::size_t>(input)] + ")", g);
        return true;
    }

    void look(std::string_view direction) {
        for (const pool::Breach& b : guards_.breaches()) {
            const auto known = std::find_if(known_.begin(), known_.end(), [&](const Named& n) { return n.data == b.data; });
            const auto size = static_cast<std::ptrdiff_t>(sizeof(T));
            const bool before = b.at < 0;
            fail(f_, fmt::format("the {} writes {} {}: element {} of {}", direction,
                                 before ? "before the start of" : "past the end of",
                                 known != known_.end() ? known->name : "a tensor of its own",
                                 before ? -((-b.at + size - 1) / size) : b.at / size,
                                 known != known_.end() ? known->shape : Shape{static_cast<Index>(b.bytes / sizeof(T))}));
        }
    }

    std::vector<std::string> names_;
    pool::GuardScope guards_;
    ContractResult& f_;
    std::vector<Named> known_;
};

}  // namespace

template <class T>
void expect_in_bounds(const OpEntry& op, const AnyAttrs& attrs, const Tensors& x, const Tensor<double>& u, ContractResult& f) {
    constexpr Index kMostTwice = 10'000;  // entries; a longer call is looked at once, for what it writes
    const auto run = [&](unsigned char guard_value) { return GuardedCall<T>(op, attrs, x, u, guard_value, f).result; };
    const auto same = [](const Run<T>& a, const Run<T>& b) { return same_bits(a.y, b.y) && same_bits(a.dx, b.dx); };
    Index entries = u.size();
    for (const auto& t : x) entries += t.defined() ? t.size() : 0;
    if (entries > kMostTwice) return void(run(0x3F));
    // What is read beside a tensor shows if the guard bytes there differ. Entries that nobody wrote are NaN in both runs, so they
    // do not differ.
    const pool::PoisonScope poison;
    const Run<T> one = run(0x3F);
    if (f.verdict != Verdict::right) return;
    const Run<T> two = run(0xBF);
    if (same(one, two) || !same(one, run(0x3F))) return;  // other bits every time are for another contract
    const bool forward = !same_bits(one.y, two.y);
    fail(f, fmt::format("{} changes with what stands beside the tensors: the {} reads out of bounds",
                        forward ? "y" : "a gradient", forward ? "forward" : "backward"));
}
template void expect_in_bounds<double>(const OpEntry&, const AnyAttrs&, const Tensors&, const Tensor<double>&, ContractResult&);
template void expect_in_bounds<float>(const OpEntry&, const AnyAttrs&, const Tensors&, const Tensor<double>&, ContractResult&);

ContractResult check_in_bounds(const Case& c) {
    ContractResult f = start(Contract::in_bounds, c);
    const Subject& s = c.subject;
    expect_in_bounds<double>(*s.op, s.sample->attrs, s.x, s.u, f);
    expect_in_bounds<float>(*s.op, s.sample->attrs, s.x, s.u, f);
    return f;
}

}  // namespace gradproof::check
