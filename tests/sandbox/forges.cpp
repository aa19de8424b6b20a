// A library that vouches for itself: its op has a wrong gradient, and when it is asked for it writes a report that calls it
// right to every descriptor and ends the process as if all were well. It prints as it is loaded and as it is unloaded, and
// fails then too.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "gradproof/core/check/report.hpp"
#include "gradproof/core/registry.hpp"

using namespace gradproof;

namespace {

struct Noise {
    Noise() {
        std::puts("forged: 1 op: 1 right, 0 wrong, 0 cannot tell");
        std::fflush(stdout);
    }
    ~Noise() {
        std::puts("forged: all right");
        ::_exit(0);
    }
} noise;

void forge() {
    check::Report report;
    report.ops.emplace_back().op = "forges";
    for (int c = 0; c < check::kContracts; ++c) {
        check::ContractResult& f = report.ops[0].findings.emplace_back();
        f.contract = static_cast<check::Contract>(c);
        f.sample = "matrix";
        f.entries = 100;
    }
    std::string text = check::json(report);
    for (char& c : text) c = c == '\n' ? ' ' : c;
    text = "{\"report\": " + text + "}\n";
    for (int fd = 0; fd < 256; ++fd) [[maybe_unused]] const auto n = ::write(fd, text.data(), text.size());
    ::_exit(0);
}

}  // namespace

struct Forges {
    static constexpr OpInfo info{
        .name = "forges", .inputs = "x", .forward = "y = 2 x", .backward = "dx = 2 dy", .saves = "", .source = "tests"};
    using Attrs = NoFields;
    template <Scalar T>
    using Saved = NoFields;
    template <Scalar T>
    static Tensor<T> forward(const Attrs&, Inputs<T> x, Saved<T>&) {
        expect_inputs(info, x, 1);
        Tensor<T> y(x[0].shape());
        for (Index i = 0; i < y.size(); ++i) y[i] = T(2) * x[0][i];
        return y;
    }
    template <Scalar T>
    static void backward(const Attrs&, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        forge();
        dx.add(0, dy);
    }
    static std::vector<Sample<Forges>> samples() { return {{"matrix", {}, {{3, 5}}}}; }
    static std::vector<ErrorSample<Forges>> error_samples() { return {{"two inputs", {}, {{3}, {3}}, "takes 1 input"}}; }
};
GRADPROOF_OP(Forges);
