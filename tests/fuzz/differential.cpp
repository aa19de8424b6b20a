// What is computed in two ways is the same: a bound of rounding errors holds the difference to quadruple precision, a kernel
// gives what its page gives, and a formula of matrices what it gives by indices, forward and backward.
#include <fmt/format.h>

#include "gradproof/core/check/kernel_contracts.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/kernel_choice.hpp"
#include "gradproof/core/platform/guards.hpp"
#include "gradproof/core/proof/explain/explain.hpp"
#include "gradproof/core/quad.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace gradproof::fuzz {
namespace {

/// One operation on the last numbers of a stack.
template <class T>
void step(std::vector<T>& stack, std::size_t op, double p) {
    const T a = stack.back();
    const T b = stack[stack.size() >= 2 ? stack.size() - 2 : 0];
    switch (op) {
        case 0: return stack.push_back(a + b);
        case 1: return stack.push_back(a - b);
        case 2: return stack.push_back(a * b);
        case 3: return stack.push_back(a / b);
        case 4: return stack.push_back(exp(a));
        case 5: return stack.push_back(log(a));
        case 6: return stack.push_back(sqrt(a));
        case 7: return stack.push_back(tanh(a));
        case 8: return stack.push_back(sin(a));
        case 9: return stack.push_back(cos(a));
        case 10: return stack.push_back(erf(a));
        case 11: return stack.push_back(erfc(a));
        case 12: return stack.push_back(expm1(a));
        case 13: return stack.push_back(log1p(a));
        case 14: return stack.push_back(pow(a, p));
        default: return stack.push_back(abs(a));
    }
}
constexpr std::size_t kSteps = 16;
constexpr const char* kStepNames[kSteps] = {"+",   "-",   "*",   "/",    "exp",   "log",   "sqrt", "tanh",
                                            "sin", "cos", "erf", "erfc", "expm1", "log1p", "pow",  "abs"};

}  // namespace

GRADPROOF_FUZZ(bounded)(Input in) {
    std::vector<Bounded<double>> narrow;
    std::vector<Bounded<Quad>> wide;
    std::string formula;
    const auto push = [&] {
        const double x = in.number();
        narrow.push_back(Bounded<double>::exactly(x));
        wide.push_back(Bounded<Quad>::exactly(Quad(x)));
        formula += fmt::format(" {}", x);
    };
    push();
    for (int n = 0; n < 40 && !in.empty(); ++n) {
        if (in.below(4) == 0) {
            push();
            continue;
        }
        const std::size_t op = in.below(kSteps);
        const double p = static_cast<double>(in.below(16)) / 2 - 3;
        step(narrow, op, p);
        step(wide, op, p);
        formula += fmt::format(" {}", kStepNames[op]) + (op == 14 ? fmt::format("({})", p) : "");
        const Bounded<double>& a = narrow.back();
        const Bounded<Quad>& b = wide.back();
        const double apart = static_cast<double>(Quad(a.value) - b.value);
        const auto bound = (a.error + b.error) * (1 + 1e-9);
        // Where either knows nothing, or is no finite number, nothing is claimed.
        if (!isfinite(a) || !isfinite(b) || !(bound <= std::numeric_limits<double>::max())) return;
        if (!(std::abs(apart) <= bound))
            broken(fmt::format("{} is {} within {}, and {} within {} in quadruple precision: they are {} apart", formula, a.value,
                               a.error, static_cast<double>(b.value), b.error, apart));
    }
}

GRADPROOF_FUZZ(kernels)(Input in) {
    using namespace check;
    static const auto pairs = [] {
        std::vector<std::pair<const OpEntry*, const KernelEntry*>> all;
        for (const auto& op : registry().all())
            for (const KernelEntry& k : op->kernels) all.emplace_back(op.get(), &k);
        return all;
    }();
    const auto& pair = pairs[in.below(pairs.size())];
    const OpEntry* const op = pair.first;
    const KernelEntry* const kernel = pair.second;
    std::vector<SampleCase> samples = op->samples();
    SampleCase& sample = samples[in.below(samples.size())];
    // Two of the sizes become others, wherever they stand.
    for (int n = 0; n < 2; ++n) {
        const Index from = Index{in.byte()} % 8, to = Index{in.byte()} % 80;
        for (Arg& a : sample.args) {
            if (!a.present || a.values.defined()) continue;
            Shape shape;
            for (const Index size : a.shape) shape.push_back(size == from ? to : size);
            if (shape.size() <= 1 << 16) a.shape = shape;
        }
    }
    try {
        KernelCall call{.name = "fuzz", .attrs = sample.attrs, .x = draw(sample.args, Random(in.byte())), .u = {}};
        call.u = Random(in.byte()).normal<double>(evaluate<double>(*op, call.attrs, call.x).shape());
        std::string shapes;
        for (const Tensor<double>& x : call.x) shapes += " " + (x.defined() ? x.shape().str() : "none");
        const std::string what = fmt::format("{}, kernel {}, sample {} with{}, {}", op->info.name, kernel->info.name, sample.name,
                                             shapes, call.attrs.text());
        // First: what is written beside a buffer may end the process.
        if (const ContractResult r = check_in_bounds(*op, black_box(*op, kernel->info.name), call); r.verdict == Verdict::wrong)
            broken(what + ": " + r.reason);
        const auto run = [&](std::string_view scope) {
            const KernelScope by(scope);
            pool::GuardScope guards;
            const GradientResult<double> r = differentiate<double>(*op, call.attrs, call.x, call.u);
            Tensors all = r.gradients(call.x);
            all.push_back(r.y);
            if (!guards.breaches().empty()) broken(fmt::format("{}: {} writes beside a buffer", what, scope));
            return all;
        };
        const Tensors page = run("page"), fast = run(kernel->info.name);
        double largest = 1;
        for (const Tensor<double>& t : page)
            for (Index i = 0; t.defined() && i < t.size(); ++i)
                if (std::isfinite(t[i])) largest = std::max(largest, std::abs(t[i]));
        if (largest > 1e4) return;  // it grows from step to step, and roundings with it
        for (std::size_t n = 0; n < page.size(); ++n)
            for (Index i = 0; page[n].defined() && i < page[n].size(); ++i) {
                const double a = page[n][i], b = fast[n][i];
                if (a != b && !(std::isnan(a) && std::isnan(b)) && !(std::abs(a - b) <= 1e-9 * largest))
                    broken(fmt::format("{}: {} of the page is {} of the kernel", what, a, b));
            }
    } catch (const std::invalid_argument& e) {  // sizes or attributes that the page refuses
        expect_told(e.what());
    }
}

namespace {

/// Random formulas, written in matrices and by indices at once.
class Formulas {
  public:
    explicit Formulas(Input& in) : in_(in) {}
    struct Pair {
        std::string matrix, entry;
    };
    /// Of shape [rows, columns] by number of the dim; its entry at [i, j].
    Pair draw(std::size_t rows, std::size_t columns, const std::string& i, const std::string& j, int depth) {
        const std::size_t kind = depth == 0 ? 0 : in_.below(8);
        const auto same = [&] { return draw(rows, columns, i, j, depth - 1); };
        switch (kind) {
            case 1: return joined(same(), " + ", same());
            case 2: return joined(same(), " - ", same());
            case 3: {
                const Pair a = same(), b = same();
                return {fmt::format("({} ⊙ {})", a.matrix, b.matrix), fmt::format("({} * {})", a.entry, b.entry)};
            }
            case 4: {
                const std::size_t inner = in_.below(3);
                const std::string k = fmt::format("k{}", ++sums_);
                const Pair a = draw(rows, inner, i, k, depth - 1), b = draw(inner, columns, k, j, depth - 1);
                return {fmt::format("({} {})", a.matrix, b.matrix), fmt::format("(Σ_{} {} * {})", k, a.entry, b.entry)};
            }
            case 5: {
                const Pair a = draw(columns, rows, j, i, depth - 1);
                return {fmt::format("({}^T)", a.matrix), a.entry};
            }
            case 6: {
                const Pair a = same();
                const char* const f = in_.flag() ? "tanh" : "sigmoid";
                return {fmt::format("{}({})", f, a.matrix), fmt::format("{}({})", f, a.entry)};
            }
            case 7: {
                const Pair a = same();
                const double c = static_cast<double>(1 + in_.below(8)) / 4;
                return {fmt::format("({} {})", c, a.matrix), fmt::format("({} * {})", c, a.entry)};
            }
            default: {
                const std::string name = fmt::format("X{}{}", rows, columns);
                return {name, fmt::format("{}[{},{}]", name, i, j)};
            }
        }
    }

  private:
    static Pair joined(const Pair& a, const char* by, const Pair& b) {
        return {"(" + a.matrix + by + b.matrix + ")", "(" + a.entry + by + b.entry + ")"};
    }
    Input& in_;
    int sums_ = 0;
};

}  // namespace

GRADPROOF_FUZZ(forms)(Input in) {
    using namespace proof;
    const std::size_t rows = in.below(3), columns = in.below(3);
    const Formulas::Pair formula = Formulas(in).draw(rows, columns, "i", "j", 3);
    const std::string &matrix = formula.matrix, &entry = formula.entry;
    std::string head = "dims n=2 m=3 d=4\n";
    const char* const dims[] = {"n", "m", "d"};
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            if (const std::string name = fmt::format("X{}{}", r, c); matrix.find(name) != std::string::npos)
                head += fmt::format("input {} [{}, {}]\n", name, dims[r], dims[c]);
    const auto numbers = [&](const std::string& statement) {
        const std::string text = head + "forward\n " + statement + "\n";
        try {
            return explain(read_proofs("fuzz.proof", text).at(0), {.seed = 7});
        } catch (const ProofError& e) {
            broken(std::string(e.what()) + "\nin\n" + text);
        }
    };
    const Explanation a = numbers("Y = " + matrix), b = numbers("Y[i,j] = " + entry);
    const auto expect_same = [&](const Step& x, const Step& y) {
        if (x.value.shape() != y.value.shape())
            broken(fmt::format("{} is {} and {} in {}", x.name, x.value.shape(), y.value.shape(), matrix));
        double largest = 1;
        for (Index i = 0; i < x.value.size(); ++i) largest = std::max(largest, std::abs(x.value[i]));
        for (Index i = 0; i < x.value.size(); ++i)
            if (!(std::abs(x.value[i] - y.value[i]) <= 1e-11 * largest))
                broken(fmt::format("{} is {} in\n{}\nand {} in\n{}", x.name, x.value[i], matrix, y.value[i], entry));
    };
    expect_same(a.forward.at(0), b.forward.at(0));
    if (a.backward.size() != b.backward.size()) broken("more gradients in one of\n" + matrix + "\n" + entry);
    for (std::size_t i = 0; i < a.backward.size(); ++i) expect_same(a.backward[i], b.backward[i]);
}

}  // namespace gradproof::fuzz
