// Drawing samples, and running an op on them at any element type.
#include "gradproof/core/check/subject.hpp"

#include <algorithm>
#include <cstring>

namespace gradproof::check {
namespace {

std::uint64_t hash(std::string_view text, std::uint64_t h = 0xCBF29CE484222325ULL) {  // FNV-1a
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return h;
}

Tensor<double> draw(const Arg& arg, Random& random) {
    if (!arg.present) return {};
    if (arg.values.defined()) return arg.values.clone();
    Tensor<double> x(arg.shape);
    switch (arg.draw) {
        case Distribution::normal: return random.normal<double>(arg.shape);
        case Distribution::positive: return random.uniform<double>(arg.shape, 0.5, 2);
        case Distribution::unit: return random.uniform<double>(arg.shape, -0.9, 0.9);
        case Distribution::nonzero:
            for (double& v : x) v = random.uniform(0.5, 2) * (random.uniform() < 0.5 ? -1 : 1);
            return x;
        case Distribution::distinct: {
            // A grid in random order, each value moved by less than the slack between 0.1 and the spacing.
            constexpr double kSpacing = 0.15;
            const std::vector<Index> order = random.permutation(x.size());
            const double middle = static_cast<double>(x.size() - 1) / 2;
            for (Index i = 0; i < x.size(); ++i)
                x[i] =
                    kSpacing * (static_cast<double>(order[static_cast<std::size_t>(i)]) - middle) + random.uniform(-0.02, 0.02);
            return x;
        }
    }
    return x;
}

/// y = a + b, for using an op twice; not registered, so that the checks do not rest on an op under test.
struct Both {
    static constexpr OpInfo info{
        .name = "both", .inputs = "a b", .forward = "y = a + b", .backward = "da = dy; db = dy", .saves = "", .source = ""};
    using Attrs = NoFields;
    template <Scalar T>
    struct Saved {
        static void fields(auto&, auto&&) {}
    };
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> x, Saved<T>&) {
        Tensor<T> y(x[0].shape());
        for (Index i = 0; i < y.size(); ++i) y[i] = x[0][i] + x[1][i];
        return y;
    }
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        if (dx.needs(0)) dx.add(0, dy);
        if (dx.needs(1)) dx.add(1, dy);
    }
};

}  // namespace

Index Subject::entries() const {
    Index n = 0;
    for (const auto& t : x) n += t.defined() ? t.size() : 0;
    return n;
}

Random sample_random(std::uint64_t seed, std::string_view op, std::string_view sample) {
    return Random(seed).stream(hash(sample, hash(op)));
}

Tensors draw(const std::vector<Arg>& args, Random random) {
    Tensors out;
    for (std::size_t i = 0; i < args.size(); ++i) {
        Random own = random.stream(i);
        out.push_back(draw(args[i], own));
    }
    return out;
}

std::vector<std::string> input_names(const OpInfo& info, int count) {
    std::vector<std::string> names;
    std::string repeated;
    for (std::size_t at = 0; at < info.inputs.size();) {
        const std::size_t end = std::min(info.inputs.find(' ', at), info.inputs.size());
        std::string word(info.inputs.substr(at, end - at));
        at = end + 1;
        if (word.ends_with("..."))
            repeated = word.substr(0, word.size() - 3);
        else if (!word.empty())
            names.push_back(word.ends_with("?") ? word.substr(0, word.size() - 1) : word);
    }
    for (int i = 0; static_cast<int>(names.size()) < count; ++i)
        names.push_back((repeated.empty() ? "input" : repeated) + std::to_string(i));
    return names;
}

Subject draw_subject(const OpEntry& op, const SampleCase& sample, std::uint64_t seed) {
    const Random random = sample_random(seed, op.info.name, sample.name);
    Subject s;
    s.op = &op;
    s.sample = &sample;
    s.x = draw(sample.args, random.stream(0));
    s.names = input_names(op.info, s.inputs());
    s.y = evaluate<double>(op, sample.attrs, clones(s.x));
    Random cotangent = random.stream(1);
    s.u = cotangent.normal<double>(s.y.shape());
    return s;
}

template <class T>
Tensor<T> evaluate(const OpEntry& op, const AnyAttrs& attrs, const std::vector<Tensor<T>>& x) {
    std::vector<Var<T>> vars(x.begin(), x.end());
    std::vector<const Var<T>*> pointers;
    for (const auto& v : vars) pointers.push_back(&v);
    return call(op.table<T>(), attrs.get(), std::span<const Var<T>* const>(pointers)).value();
}

Function forward_of(const Subject& s) {
    return [&s](const Tensors& x) { return evaluate<double>(*s.op, s.sample->attrs, x); };
}
DualFunction dual_forward_of(const Subject& s) {
    return [&s](const DualTensors& x) { return evaluate<Dual<double>>(*s.op, s.sample->attrs, x); };
}

template <class T>
std::vector<Tensor<T>> GradientResult<T>::gradients(const std::vector<Tensor<T>>& x) const {
    std::vector<Tensor<T>> out(dx.size());
    for (std::size_t i = 0; i < dx.size(); ++i) {
        if (dx[i].state == GradientState::reached)
            out[i] = dx[i].value;
        else if (dx[i].state == GradientState::no_path)
            out[i] = zeros_like(x[i]);
    }
    return out;
}

template <class T>
RecordedCall<T>::RecordedCall(Tape<T>& on, const OpEntry& op, const AnyAttrs& attrs, const std::vector<Tensor<T>>& x,
                              const std::vector<bool>& leaves)
    : tape(on) {
    tape.reset();
    for (std::size_t i = 0; i < x.size(); ++i) {
        const bool leaf = x[i].defined() && (leaves.empty() || leaves[i]);
        vars.push_back(leaf ? tape.leaf(x[i]) : x[i].defined() ? Var<T>(x[i]) : Var<T>());
    }
    for (const auto& v : vars) inputs.push_back(&v);
    y = tape.record(op.table<T>(), attrs.get(), std::span<const Var<T>* const>(inputs));
}

template <class T>
GradientResult<T> RecordedCall<T>::backward(const Var<T>& last, const Tensor<T>& dy) {
    GradientResult<T> run;
    run.y = y.value();
    tape.backward(last, dy);
    for (const auto& v : vars) run.dx.push_back(v.on_tape() ? tape.gradient(v) : Gradient<T>{});
    return run;
}

template <class T>
GradientResult<T> differentiate(const OpEntry& op, const AnyAttrs& attrs, const std::vector<Tensor<T>>& x, const Tensor<T>& dy,
                                const DiffOptions<T>& options) {
    Tape<T> tape;
    RecordedCall<T> call(tape, op, attrs, x, options.leaves);
    Var<T> last = call.y;
    if (options.twice) {
        const Var<T> again = call.tape.record(op.table<T>(), attrs.get(), std::span<const Var<T>* const>(call.inputs));
        const Var<T>* both[] = {&call.y, &again};
        const NoFields none;
        last = call.tape.record(op_table<Both, T>(), &none, std::span<const Var<T>* const>(both));
    }
    if (options.observer) options.observer->recorded(call.tape, call.y.node());
    call.tape.set_hook(options.hook);
    return call.backward(last, dy);
}

template <class T>
bool same_bits(const Tensor<T>& a, const Tensor<T>& b) {
    if (!a.defined() || !b.defined()) return a.defined() == b.defined();
    return a.shape() == b.shape() && (a.size() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

#define GRADPROOF_SUBJECT(T)                                                                                                   \
    template Tensor<T> evaluate(const OpEntry&, const AnyAttrs&, const std::vector<Tensor<T>>&);                               \
    template struct GradientResult<T>;                                                                                         \
    template struct RecordedCall<T>;                                                                                           \
    template GradientResult<T> differentiate(const OpEntry&, const AnyAttrs&, const std::vector<Tensor<T>>&, const Tensor<T>&, \
                                             const DiffOptions<T>&);                                                           \
    template bool same_bits(const Tensor<T>&, const Tensor<T>&);
GRADPROOF_FOR_SCALARS(GRADPROOF_SUBJECT)
#undef GRADPROOF_SUBJECT

}  // namespace gradproof::check
