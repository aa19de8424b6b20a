// Contracts 10 to 12: wrong calls, the memory inputs come from, and the same bits every time.
#include <fmt/format.h>

#include "gradproof/core/check/contract_result.hpp"
#include "gradproof/core/platform/threads.hpp"

namespace gradproof::check {
namespace {

template <class T>
void check_error(const OpEntry& op, const ErrorCase& error, const Tensors& x, std::string_view type, ContractResult& f) {
    Tape<T> tape;
    std::vector<Var<T>> vars;
    for (const auto& t : cast_all<T>(x)) vars.push_back(t.defined() ? tape.leaf(t) : Var<T>());
    std::vector<const Var<T>*> pointers;
    for (const auto& v : vars) pointers.push_back(&v);
    const int nodes = tape.nodes();
    const std::int64_t allocations = pool::use().allocations;
    std::string text;
    try {
        tape.record(op.table<T>(), error.attrs.get(), std::span<const Var<T>* const>(pointers));
        return fail(f, fmt::format("over {} nothing is thrown", type));
    } catch (const ShapeError& e) {
        text = e.what();
    } catch (const ValueError& e) {
        text = e.what();
    } catch (const Stopped&) {
        throw;
    } catch (const std::exception& e) {
        return fail(f, fmt::format("over {} neither ShapeError nor ValueError is thrown, but \"{}\"", type, e.what()));
    }
    if (pool::use().allocations != allocations)
        fail(f, fmt::format("over {} the error comes after work: tensors were made before it", type));
    if (tape.nodes() != nodes) fail(f, fmt::format("over {} a node was recorded", type));
    if (!text.starts_with(std::string(op.info.name) + ":"))
        fail(f, fmt::format("the text does not start with the op's name: \"{}\"", text));
    if (error.message.empty()) fail(f, "the sample names no message to look for");
    if (text.find(error.message) == std::string::npos)
        fail(f, fmt::format("the text is \"{}\", expected \"{}\" in it", text, error.message));
    if (text.find('\n') != std::string::npos) fail(f, fmt::format("the text has more than one line: \"{}\"", text));
}

}  // namespace

ContractResult check_errors(const OpEntry& op, const ErrorCase& error, std::uint64_t seed) {
    ContractResult f;
    f.contract = Contract::errors;
    f.sample = error.name;
    const Tensors x = draw(error.args, sample_random(seed, op.info.name, error.name));
    if (op.has_table<double>()) check_error<double>(op, error, x, "double", f);
    if (op.has_table<float>()) check_error<float>(op, error, x, "float", f);
    if (op.has_table<Dual<double>>()) check_error<Dual<double>>(op, error, x, "dual", f);
    return f;
}

namespace {

/// The same numbers read through strides out of a buffer that is stored back to front with gaps.
template <class T>
Tensor<T> from_gapped(const Tensor<T>& x) {
    constexpr Index kGap = 2;
    Tensor<T> buffer({std::max<Index>(1, x.size() * kGap)}, T(77));
    for (Index i = 0; i < x.size(); ++i) buffer[(x.size() - 1 - i) * kGap] = x[i];
    Shape strides = strides_of(x.shape());
    for (Index& s : strides) s *= -kGap;
    return Tensor<T>::from_strided(buffer.data() + std::max<Index>(0, x.size() - 1) * kGap, x.shape(), strides);
}

/// The same numbers as a reshaped handle on a buffer of another shape.
template <class T>
Tensor<T> as_view(const Tensor<T>& x) {
    return Tensor<T>::from({x.size()}, x.values()).reshape(x.shape());
}

template <class T>
std::vector<Tensor<T>> map(const std::vector<Tensor<T>>& x, Tensor<T> (*f)(const Tensor<T>&)) {
    std::vector<Tensor<T>> out;
    for (const auto& t : x) out.push_back(t.defined() ? f(t) : t);
    return out;
}

template <class T>
void expect_same(const Case& c, const std::vector<Tensor<T>>& x, const Tensor<T>& u, const std::vector<Tensor<T>>& other_x,
                 const Tensor<T>& other_u, const std::string& when, ContractResult& f) {
    expect_same_bits(c, differentiate(c.subject, other_x, other_u), differentiate(c.subject, x, u), when, f);
}

template <class T>
void check_layout_for(const Case& c, ContractResult& f) {
    const auto x = cast_all<T>(c.subject.x);
    const Tensor<T> u = cast<T>(c.subject.u);
    expect_same(c, x, u, map(x, from_gapped<T>), from_gapped(u), "when inputs and cotangent come from strided memory", f);
    expect_same(c, x, u, map(x, as_view<T>), u, "when inputs are views", f);
    expect_same(c, x, u, x, as_view(u), "when the cotangent is a view", f);
    const T one(1.25);
    Shape still = u.shape();  // strides of 0: one number read everywhere
    for (Index& stride : still) stride = 0;
    expect_same(c, x, Tensor<T>(u.shape(), one), x, Tensor<T>::from_strided(&one, u.shape(), still),
                "when the cotangent is broadcast", f);
    const auto n = static_cast<std::size_t>(c.subject.inputs());
    for (std::size_t i = 0; i < n; ++i) {
        if (!x[i].defined()) continue;
        if (x[i].shape() == u.shape()) expect_same(c, x, x[i].clone(), x, x[i], "when the cotangent is one of the inputs", f);
        for (std::size_t k = i + 1; k < n; ++k) {
            if (!x[k].defined() || !(x[i].shape() == x[k].shape())) continue;
            auto shared = x, apart = x;
            shared[i] = shared[k];
            apart[i] = shared[k].clone();
            expect_same(c, apart, u, shared, u,
                        fmt::format("when {} and {} are one tensor", c.subject.names[i], c.subject.names[k]), f);
        }
    }
}

}  // namespace

ContractResult check_layout(const Case& c) {
    ContractResult f = start(Contract::layout, c);
    for_types(c, [&](auto t) { check_layout_for<decltype(t)>(c, f); });
    return f;
}

namespace {

template <class T>
void check_same_again(const Case& c, const std::string& when, GradientResult<T>& first, ContractResult& f) {
    const auto x = cast_all<T>(c.subject.x);
    const GradientResult<T> run = differentiate(c.subject, x, cast<T>(c.subject.u));
    if (!first.y.defined()) {
        first = run;
        return;
    }
    expect_same_bits(c, run, first, when, f);
}

}  // namespace

std::vector<ContractResult> check_deterministic(const std::vector<Case>& cases) {
    std::vector<ContractResult> out;
    std::vector<GradientResult<double>> wide(cases.size());
    std::vector<GradientResult<float>> narrow(cases.size());
    for (const Case& c : cases) out.push_back(start(Contract::deterministic, c));
    const int before = threads();
    for (const int n : {before, before, 1, 2, 4, 8}) {
        const ThreadScope scope(n);
        const std::string when = n == before ? std::string("the second time") : fmt::format("with {} threads", n);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            check_same_again(cases[i], when, wide[i], out[i]);
            check_same_again(cases[i], when, narrow[i], out[i]);
        }
    }
    return out;
}

}  // namespace gradproof::check
