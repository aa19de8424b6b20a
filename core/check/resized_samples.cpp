// Samples with other sizes.
#include "gradproof/core/check/resized_samples.hpp"

#include <algorithm>
#include <set>

#include "gradproof/core/check/added_samples.hpp"

namespace gradproof::check {
namespace {

constexpr Index kLong = 67;              // more than a block of 64, and no multiple of a vector's width
constexpr Index kMostNumbers = 1 << 14;  // of all arguments

/// The values at the indices modulo the old sizes; an axis that `to` has more of than the values, at the front, repeats them all.
Tensor<double> repeated(const Tensor<double>& values, const Shape& to) {
    Tensor<double> out(to);
    const int more = to.rank() - values.shape().rank();
    for (Index k = 0; k < out.size(); ++k) {
        Index rest = k, at = 0, stride = 1;
        for (int axis = to.rank(); axis-- > 0;) {
            const Index here = rest % to[axis];
            rest /= to[axis];
            if (axis < more) continue;
            const Index old = values.shape()[axis - more];
            at += stride * (here % old);
            stride *= old;
        }
        out[k] = values[at];
    }
    return out;
}
void reshape(Arg& arg, const Shape& to) {
    if (arg.values.defined()) arg.values = repeated(arg.values, to);
    arg.shape = to;
}

SampleCase with_size(const SampleCase& sample, Index size, Index to) {
    SampleCase out = sample;
    out.name += fmt::format(", {} as {}", size, to);
    for (Arg& arg : out.args) {
        Shape shape = arg.shape;
        std::replace(shape.begin(), shape.end(), size, to);
        if (arg.present && !(shape == arg.shape)) reshape(arg, shape);
    }
    return out;
}
/// Of the first argument, or of all.
SampleCase with_axis(const SampleCase& sample, bool all) {
    constexpr Index kAxis = 2;
    SampleCase out = sample;
    out.name += all ? ", one more axis" : ", one more axis of the first input";
    for (Arg& arg : out.args) {
        if (!arg.present || (!all && &arg != out.args.data())) continue;
        Shape shape{kAxis};
        for (const Index n : arg.shape) shape.push_back(n);
        reshape(arg, shape);
    }
    return out;
}
bool is_small(const SampleCase& sample) {
    Index numbers = 0;
    for (const Arg& arg : sample.args) numbers += arg.present ? arg.shape.size() : 0;
    return numbers <= kMostNumbers;
}

}  // namespace

std::vector<SampleCase> resized_samples(const std::vector<Case>& cases) {
    std::vector<SampleCase> out;
    const auto add = [&](SampleCase sample) {
        if (is_small(sample)) out.push_back(std::move(sample));
    };
    for (const Case* c : one_of_each(cases)) {
        const SampleCase& sample = *c->subject.sample;
        std::set<Index> sizes;
        int most = 0;
        for (const Arg& arg : sample.args) {
            if (!arg.present) continue;
            sizes.insert(arg.shape.begin(), arg.shape.end());
            most = std::max(most, arg.shape.rank());
        }
        for (const Index size : sizes)
            if (size > 1)
                for (const Index to : {Index{1}, kLong}) add(with_size(sample, size, to));
        if (most == kMaxRank) continue;
        add(with_axis(sample, true));
        if (std::ranges::count_if(sample.args, &Arg::present) > 1) add(with_axis(sample, false));
    }
    return out;
}

}  // namespace gradproof::check
