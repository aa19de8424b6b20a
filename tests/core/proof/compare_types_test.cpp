// Somebody's arrays in narrow types: an honest computation is right, and an array that is zero, negated, doubled, halved,
// shuffled, random or off by a tenth never is, in any type and size.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "gradproof/core/proof/judge/compare.hpp"
#include "gradproof/core/random.hpp"
#include "tests/narrow_types.hpp"
#include "tests/support.hpp"

namespace gradproof::proof {
namespace {

using testing::narrowed, testing::stored;

constexpr const char* kAttentionOfWidths =
    "dims n m d v\ninput Q [n, d], K [m, d], V [m, v]\nforward\n  S = Q K^T / sqrt(d)\n  A = softmax(S)\n  O = A V\n";

struct Matrix {
    Index rows, columns;
    std::vector<double> x;
    double& at(Index i, Index j) { return x[static_cast<std::size_t>(i * columns + j)]; }
    double at(Index i, Index j) const { return x[static_cast<std::size_t>(i * columns + j)]; }
};
Matrix matrix(const Tensor<double>& t) { return {t.dim(0), t.dim(1), {t.begin(), t.end()}}; }
/// sum_k a(i,k) b(k,j), each sum rounded once, as hardware does it that adds in a wider type.
template <class F, class G>
Tensor<double> product(Index n, Index m, Index k, F a, G b, DType type, double scale = 1) {
    Tensor<double> y({n, m}, 0.0);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < m; ++j) {
            double total = 0;
            for (Index l = 0; l < k; ++l) total += a(i, l) * b(l, j);
            y[i * m + j] = narrowed(total * scale, type);
        }
    return y;
}

/// Attention and its gradients as a kernel computes them that keeps all it has in one type.
std::vector<NamedArray> kernel(const Matrix& q, const Matrix& k, const Matrix& v, const Matrix& g, DType type) {
    const Index n = q.rows, m = k.rows, d = q.columns, e = v.columns;
    const double scale = 1 / std::sqrt(static_cast<double>(d));
    const auto of = [](const Matrix& x) { return [&x](Index i, Index j) { return x.at(i, j); }; };
    const auto turned = [](const Matrix& x) { return [&x](Index i, Index j) { return x.at(j, i); }; };
    const Tensor<double> scores = product(n, m, d, of(q), turned(k), type, scale);
    Tensor<double> a({n, m}), ds({n, m});
    for (Index i = 0; i < n; ++i) {
        double total = 0;
        for (Index j = 0; j < m; ++j) total += a[i * m + j] = narrowed(std::exp(scores[i * m + j]), type);
        for (Index j = 0; j < m; ++j) a[i * m + j] = narrowed(a[i * m + j] / total, type);
    }
    const Matrix weights = matrix(a);
    const Tensor<double> o = product(n, e, m, of(weights), of(v), type), da = product(n, m, e, of(g), turned(v), type);
    for (Index i = 0; i < n; ++i) {
        double row = 0;
        for (Index j = 0; j < m; ++j) row += da[i * m + j] * a[i * m + j];
        for (Index j = 0; j < m; ++j) ds[i * m + j] = narrowed(a[i * m + j] * (da[i * m + j] - narrowed(row, type)), type);
    }
    const Matrix s = matrix(ds);
    return {{"O", stored(o, type)},
            {"dQ", stored(product(n, d, m, of(s), of(k), type, scale), type)},
            {"dK", stored(product(m, d, n, turned(s), of(q), type, scale), type)},
            {"dV", stored(product(m, e, n, turned(weights), of(g), type), type)}};
}

struct Setting {
    Bindings inputs;
    std::vector<NamedArray> theirs;
};
Setting setting(Index n, DType type) {
    Random random(static_cast<std::uint64_t>(n));
    const Index m = n + 2, d = n / 2 + 3, e = n / 3 + 2;
    const Tensor<double> q = narrowed(random.normal<double>({n, d}), type), k = narrowed(random.normal<double>({m, d}), type),
                         v = narrowed(random.normal<double>({m, e}), type), g = narrowed(random.normal<double>({n, e}), type);
    Setting s{{{"Q", q}, {"K", k}, {"V", v}}, kernel(matrix(q), matrix(k), matrix(v), matrix(g), type)};
    s.theirs.push_back({"dO", stored(g, type)});
    return s;
}
check::Verdict verdict(const Setting& s, const std::string& name, const std::vector<NamedArray>& theirs) {
    const Proof proof = read_proofs("a.proof", kAttentionOfWidths).at(0);
    for (const check::ComparedArray& a : compare(proof, s.inputs, theirs).results.arrays)
        if (a.name == name) return a.verdict();
    throw std::runtime_error(name);
}

class CompareTypes : public ::testing::TestWithParam<std::pair<DType, Index>> {};

TEST_P(CompareTypes, AnHonestKernelIsRight) {
    const auto [type, n] = GetParam();
    const Setting s = setting(n, type);
    const CompareReport r = compare(read_proofs("a.proof", kAttentionOfWidths).at(0), s.inputs, s.theirs);
    EXPECT_EQ(r.verdict(), check::Verdict::right) << to_text(r);
}

TEST_P(CompareTypes, NoOtherArrayIs) {
    const DType type = GetParam().first;
    const Setting s = setting(GetParam().second, type);
    Random random(99);
    for (const char* name : {"O", "dQ", "dK", "dV"}) {
        const auto plant = [&](const char* what, auto change) {
            std::vector<NamedArray> theirs = s.theirs;
            for (NamedArray& a : theirs)
                if (a.name == name) {
                    Tensor<double> x = to_tensor<double>(a.array, name).clone();
                    change(x);
                    a.array = stored(x, type);
                }
            EXPECT_NE(verdict(s, name, theirs), check::Verdict::right) << name << ": " << what;
        };
        const auto times = [](double by) {
            return [by](Tensor<double>& x) {
                for (double& v : x) v *= by;
            };
        };
        plant("zero", times(0));
        plant("negated", times(-1));
        plant("doubled", times(2));
        plant("halved", times(0.5));
        plant("a tenth too large", times(1.1));
        const Index n = GetParam().second;
        const double unit =
            type == DType::f64 ? 1e-10 : unit_roundoff(type) * (type == DType::f32 ? static_cast<double>(n + 2) : 1);
        if (n >= 16) plant("some units too large everywhere", times(1 + 8 * unit));
        plant("shuffled", [&](Tensor<double>& x) {
            const std::vector<Index> order = random.permutation(x.size());
            const Tensor<double> from = x.clone();
            for (Index i = 0; i < x.size(); ++i) x[i] = from[order[static_cast<std::size_t>(i)]];
        });
        plant("reversed", [](Tensor<double>& x) { std::reverse(x.begin(), x.end()); });
        plant("random", [&](Tensor<double>& x) { x = random.normal<double>(x.shape()); });
    }
}

std::vector<std::pair<DType, Index>> all_types_and_sizes() {
    std::vector<std::pair<DType, Index>> out;
    for (int t = 0; t < kDTypeCount; ++t)
        for (const Index n : {2, 5, 16, 64})
            if (is_float(static_cast<DType>(t)) && (n <= 5 || !testing::kSampled)) out.emplace_back(static_cast<DType>(t), n);
    return out;
}
INSTANTIATE_TEST_SUITE_P(All, CompareTypes, ::testing::ValuesIn(all_types_and_sizes()), [](const auto& of) {
    return std::string(dtype_name(of.param.first)) + "_" + std::to_string(of.param.second);
});

/// A gradient that is tiny beside the other one, as others may have it: never taken for right where it is not.
std::string verdict_of_tiny(const std::string& formula, double scale) {
    const Proof proof = read_proofs("a.proof", "dims n\ninput a [n], b [n]\nloss L = " + formula + "\n").at(0);
    const Tensor<double> a = Tensor<double>::from({3}, {0.5, 1.5, -2}), b = Tensor<double>::from({3}, {1, -3, 0.75});
    const auto times = [](const Tensor<double>& x, double by) {
        Tensor<double> out = x.clone();
        for (double& v : out) v *= by;
        return out;
    };
    std::string out;
    for (const double by : {1.0, -1.0, 2.0, 0.0}) {
        const CompareReport r = compare(proof, {{"a", a}, {"b", b}},
                                        {{"da", from_tensor(times(a, 2))}, {"db", from_tensor(times(b, 2 * scale * by))}});
        out += (out.empty() ? "" : ", ") + std::string(check::name(r.results.arrays[1].verdict()));
    }
    return out;
}
TEST(CompareTypes, ATinyGradientIsComparedWithItself) {
    EXPECT_EQ(verdict_of_tiny("sum(a ⊙ a) + 1e-30 sum(b ⊙ b)", 1e-30), "right, wrong, wrong, wrong");
    // Where sums on the way cancel, others round differently.
    EXPECT_EQ(verdict_of_tiny("sum(a ⊙ a) + sum((1 + 1e-30) (b ⊙ b)) - sum(b ⊙ b)", 1e-30),
              "right, cannot tell, cannot tell, cannot tell");
}
/// Of d(X) in which one row, or one column, is far below the others and wrong by a factor.
std::string verdict_of_small_line(DType type, double size, double by, bool is_column) {
    const Proof proof = read_proofs("a.proof", "dims n d\ninput X [n, d]\nforward\n  Y = X ⊙ X ⊙ X\n").at(0);
    Random random(3);
    Tensor<double> x = random.normal<double>({4, 3}), dy = random.normal<double>({4, 3});
    const auto is_small = [&](Index k) { return (is_column ? k % 3 : k / 3) == 1; };
    for (Index k = 0; k < x.size(); ++k)
        if (is_small(k)) x[k] *= std::sqrt(size);
    x = narrowed(x, type), dy = narrowed(dy, type);
    Tensor<double> dx(x.shape());
    for (Index k = 0; k < x.size(); ++k) dx[k] = narrowed((is_small(k) ? by : 1) * 3 * x[k] * x[k] * dy[k], type);
    const CompareReport r = compare(proof, {{"X", x}}, {{"dX", stored(dx, type)}, {"dY", stored(dy, type)}});
    return std::string(check::name(r.verdict())) + (r.verdict() == check::Verdict::wrong ? ": " + to_text(r) : "");
}
TEST(CompareTypes, ASmallRowIsComparedWithItself) {
    const std::vector<std::pair<DType, double>> sizes = {{DType::f64, 1e-6}, {DType::f64, 1e-11}, {DType::f32, 1e-4},
                                                         {DType::f32, 1e-7}, {DType::bf16, 1e-4}, {DType::f16, 1e-3}};
    for (const auto& [type, size] : sizes)
        for (const bool is_column : {false, true}) {
            EXPECT_EQ(verdict_of_small_line(type, size, 1, is_column), "right") << dtype_name(type) << " " << size;
            for (const double by : {2.0, -1.0, 0.0})
                EXPECT_EQ(verdict_of_small_line(type, size, by, is_column).substr(0, 5), "wrong")
                    << dtype_name(type) << " " << size;
        }
    const std::string said = verdict_of_small_line(DType::f32, 1e-7, 2, false);
    EXPECT_NE(said.find("only axis 0 at 1"), std::string::npos) << said;
    EXPECT_NE(said.find("claimed = 2 * true"), std::string::npos) << said;
}

TEST(CompareTypes, RowsBesideALargeOneAreNotHalvedUnseen) {
    for (const DType type : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
        Setting s = setting(64, type);
        const auto is_cotangent = [](const NamedArray& a) { return a.name == "dO"; };
        Tensor<double> g = to_tensor<double>(std::ranges::find_if(s.theirs, is_cotangent)->array, "dO").clone();
        for (Index i = 0; i < g.dim(1); ++i) g[i] *= 1000;
        const auto honest = [&] {
            const auto input = [&](const char* name) { return matrix(s.inputs.at(name)); };
            std::vector<NamedArray> out = kernel(input("Q"), input("K"), input("V"), matrix(narrowed(g, type)), type);
            out.push_back({"dO", stored(g, type)});
            return out;
        }();
        EXPECT_EQ(verdict(s, "dQ", honest), check::Verdict::right) << dtype_name(type);
        std::vector<NamedArray> halved = honest;
        for (NamedArray& a : halved)
            if (a.name == "dQ") {
                Tensor<double> x = to_tensor<double>(a.array, a.name).clone();
                for (Index i = x.dim(1); i < x.size(); ++i) x[i] /= 2;
                a.array = stored(x, type);
            }
        EXPECT_EQ(verdict(s, "dQ", halved), check::Verdict::wrong) << dtype_name(type);
    }
}

TEST(CompareTypes, ASaturatedSoftmaxIsNotRightWhateverStandsThere) {
    const Proof proof = read_proofs("a.proof", kAttentionOfWidths).at(0);
    const Tensor<double> q = Tensor<double>::from({2, 1}, {-3, 2.5}), k = Tensor<double>::from({2, 1}, {16, -15}),
                         v = Tensor<double>::from({2, 1}, {12, 41}), g = Tensor<double>::from({2, 1}, {1, -0.5});
    for (const double x : {-1e-20, 1.0, 5e-40}) {
        const CompareReport r = compare(proof, {{"Q", q}, {"K", k}, {"V", v}},
                                        {{"dO", from_tensor(g)}, {"dQ", from_tensor(Tensor<double>({2, 1}, x))}});
        EXPECT_NE(r.verdict(), check::Verdict::right) << to_text(r);
    }
}

TEST(CompareTypes, WhatItIsRightForIsANote) {
    const Proof proof = read_proofs("a.tex",
                                    "Let $x \\in \\mathbb{R}^n$. The loss is $L = \\|x\\|^2$.\nIn addition we use weight "
                                    "decay. Then\n\\[ \\nabla_x L = 2 x. \\]\n")
                            .at(0);
    const Tensor<double> x = Tensor<double>::from({2}, {1, -3}), dx = Tensor<double>::from({2}, {2, -6});
    const CompareReport r = compare(proof, {{"x", x}}, {{"dx", from_tensor(dx)}});
    EXPECT_EQ(r.verdict(), check::Verdict::right);
    EXPECT_EQ(r.results.notes, std::vector<std::string>{"right if what is passed over in line 2 changes nothing"});
}

TEST(CompareTypes, NumbersBelowTheSmallestNormalOneHaveFewerDigits) {
    const Proof proof = read_proofs("a.proof", "dims n\ninput b [n]\nloss L = sum(b ⊙ b ⊙ b)\n").at(0);
    const Tensor<double> b = narrowed(Tensor<double>::from({4}, {6.1e-4, -4.3e-4, 5.2e-4, 2.9e-4}), DType::f16);
    const auto verdict = [&](double by) {
        Tensor<double> db(b.shape());
        for (Index i = 0; i < b.size(); ++i) db[i] = by * 3 * b[i] * b[i];
        return compare(proof, {{"b", b}}, {{"db", stored(narrowed(db, DType::f16), DType::f16)}}).verdict();
    };
    EXPECT_EQ(verdict(1), check::Verdict::right);
    for (const double by : {-1.0, 2.0, 0.5, 0.0}) EXPECT_EQ(verdict(by), check::Verdict::wrong) << by;
}

// Where an honest result tells nothing that is said: neither right nor wrong.
TEST(CompareTypes, WhatRoundingHidesCannotBeTold) {
    const Proof proof = read_proofs("a.proof", "dims n\ninput X [n]\nforward\n  Y = X + 1000\n  Z = Y - 1000\n").at(0);
    const Tensor<double> x = Tensor<double>::from({3}, {0.25, 0.5, -0.5});
    const CompareReport r = compare(proof, {{"X", x}}, {{"Z", stored(Tensor<double>::from({3}, {0, 0, 0}), DType::bf16)}});
    EXPECT_EQ(r.verdict(), check::Verdict::cannot_tell) << to_text(r);
    EXPECT_NE(to_text(r).find("bf16 may be off by "), std::string::npos) << to_text(r);
    EXPECT_EQ(compare(proof, {{"X", x}}, {{"Z", from_tensor(Tensor<double>::from({3}, {0, 0, 0}))}}).verdict(),
              check::Verdict::wrong);
}

}  // namespace
}  // namespace gradproof::proof
