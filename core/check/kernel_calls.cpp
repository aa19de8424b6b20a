// The calls a kernel is compared on beside the samples of its page: one size of a sample set to 1, 67, 1 030 or 100 000. Kernels
// go other ways for short, middling and long axes, and end with what is left of a block.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "gradproof/core/check/kernel_contracts.hpp"
#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/memory.hpp"
#include "gradproof/core/platform/threads.hpp"

namespace gradproof::check {
namespace {

constexpr Index kLong = 100'000;
constexpr double kMostElements = 1 << 21;
constexpr double kMostWork = 1e9;  // of a long call, as counted_work counts

/// A sample with every axis of one size made another.
struct Resized {
    const Case* from;
    Index size, to;
    std::vector<Arg> args;
    double elements = 0;  ///< of all arguments
    double work = 0;      ///< of the page, about

    Resized(const Case& c, Index old_size, Index new_size)
        : from(&c), size(old_size), to(new_size), args(c.subject.sample->args) {
        for (Arg& arg : args) {
            if (!arg.present) continue;
            double count = 1;
            for (Index& n : arg.shape) {
                if (n == size) n = to;
                count *= static_cast<double>(n);
            }
            elements += count;
        }
    }
    std::string name() const { return fmt::format("{}, {} as {}", from->sample(), size, to); }
    const AnyAttrs& attrs() const { return from->subject.sample->attrs; }
    Random random() const { return from->random.stream(static_cast<std::uint64_t>(100 + size)); }
    /// Errors: what the op refuses.
    Tensor<double> page(const OpEntry& op, const Tensors& x) const {
        const KernelScope page("page");
        return evaluate<double>(op, attrs(), x);
    }
};

/// The numbers that the page writes and the words that it calls, counted by what it takes from the pool; infinite for what is no
/// call of this op.
double counted_work(const OpEntry& op, const Resized& r) {
    constexpr double kWord = 64;  // numbers that are written in the time a word takes for itself
    const ThreadScope alone(1);
    const Tensors x = draw(r.args, r.random().stream(0));
    const pool::Use before = pool::use();
    try {
        r.page(op, x);
    } catch (const std::invalid_argument&) {
        return std::numeric_limits<double>::infinity();
    }
    const pool::Use after = pool::use();
    return static_cast<double>(after.bytes - before.bytes) / sizeof(double) +
           kWord * static_cast<double>(after.allocations - before.allocations);
}

/// What the page works out of a long call, from two short ones: a kernel of a page that grows by the square is not to be waited
/// for.
double long_work(const OpEntry& op, const Case& c, Index size) {
    constexpr Index kShort = 100;
    const double one = counted_work(op, {c, size, kShort}), two = counted_work(op, {c, size, 2 * kShort});
    return two * std::pow(static_cast<double>(kLong) / (2 * kShort), std::log2(two / one));
}

/// The calls with an axis of one size made `to`, those of the least work first.
std::vector<Resized> resized(const OpEntry& op, const std::vector<Case>& cases, Index to) {
    std::vector<Resized> out;
    for (const Case& c : cases) {
        const std::vector<Arg>& args = c.subject.sample->args;
        if (std::any_of(args.begin(), args.end(), [](const Arg& a) { return a.values.defined(); })) continue;
        std::set<Index> sizes;
        bool empty = false;  // nothing is worked out beside a long axis
        for (const Arg& arg : args) {
            if (arg.present) sizes.insert(arg.shape.begin(), arg.shape.end());
            empty = empty || (arg.present && arg.shape.size() == 0);
        }
        for (const Index size : sizes) {
            if (size <= 1 || (to > 1 && empty)) continue;
            Resized r(c, size, to);
            if (r.elements > kMostElements) continue;
            r.work = to == kLong ? long_work(op, c, size) : r.elements;
            if (r.work < kMostWork) out.push_back(std::move(r));
        }
    }
    std::stable_sort(out.begin(), out.end(), [](const Resized& a, const Resized& b) { return a.work < b.work; });
    return out;
}

}  // namespace

std::vector<KernelCall> made_calls(const OpEntry& op, const BlackBox& box, const std::vector<Case>& cases) {
    constexpr int kShortCalls = 3, kLongCalls = 1;
    std::vector<KernelCall> out;
    for (const Index to : {Index{1}, Index{67}, Index{1030}, kLong}) {
        int made = 0;
        for (const Resized& r : resized(op, cases, to)) {
            if (made == (to > 1 ? kLongCalls : kShortCalls)) break;
            KernelCall call{.name = r.name(), .attrs = r.attrs(), .x = draw(r.args, r.random().stream(0)), .u = {}};
            if (!box.takes(call, BoxPrecision::f64) && !box.takes(call, BoxPrecision::f32)) continue;
            try {
                Random cotangent = r.random().stream(1);
                call.u = cotangent.normal<double>(r.page(op, call.x).shape());
            } catch (const std::invalid_argument&) {
                continue;  // not a call of this op: what the kernel says of it is seen by its error samples
            }
            out.push_back(std::move(call));
            ++made;
        }
    }
    return out;
}

}  // namespace gradproof::check
