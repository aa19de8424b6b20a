// The calls a kernel is compared on beside the samples of its page: one size of a sample set to 1, 64, 67, 1 024, 1 030 or
// 100 000, and all of them to 64, and to 65, 66, ... Kernels go other ways for short, middling and long axes, for whole blocks and
// with what is left of one, and in tiles of several axes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
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

/// A sample whose sizes are others, each wherever it stands.
struct Resized {
    const Case* from;
    std::map<Index, Index> sizes;
    std::vector<Arg> args;
    double elements = 0;  ///< of all arguments
    double work = 0;      ///< of the page, about

    Resized(const Case& c, std::map<Index, Index> new_sizes)
        : from(&c), sizes(std::move(new_sizes)), args(c.subject.sample->args) {
        for (Arg& arg : args) {
            if (!arg.present) continue;
            double count = 1;
            for (Index& n : arg.shape) {
                if (const auto to = sizes.find(n); to != sizes.end()) n = to->second;
                count *= static_cast<double>(n);
            }
            elements += count;
        }
    }
    std::string name() const {
        std::string out = from->sample();
        for (const auto& [size, to] : sizes) out += fmt::format(", {} as {}", size, to);
        return out;
    }
    const AnyAttrs& attrs() const { return from->subject.sample->attrs; }
    Random random() const { return from->random.stream(static_cast<std::uint64_t>(100 + sizes.begin()->first)); }
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
    const double one = counted_work(op, {c, {{size, kShort}}}), two = counted_work(op, {c, {{size, 2 * kShort}}});
    return two * std::pow(static_cast<double>(kLong) / (2 * kShort), std::log2(two / one));
}

/// The sizes above 1 of a sample that is drawn; none of others, nor where nothing is worked out beside a long axis.
std::set<Index> sizes_of(const Case& c, bool with_empty) {
    std::set<Index> out;
    for (const Arg& arg : c.subject.sample->args) {
        if (arg.values.defined() || (!with_empty && arg.present && arg.shape.size() == 0)) return {};
        if (arg.present) out.insert(arg.shape.begin(), arg.shape.end());
    }
    std::erase_if(out, [](Index n) { return n <= 1; });
    return out;
}

std::vector<Resized> by_work(std::vector<Resized> calls) {
    std::erase_if(calls, [](const Resized& r) { return r.elements > kMostElements || !(r.work < kMostWork); });
    std::ranges::stable_sort(calls, {}, &Resized::work);
    return calls;
}

/// The calls with an axis of one size made `to`, those of the least work first.
std::vector<Resized> resized(const OpEntry& op, const std::vector<Case>& cases, Index to) {
    std::vector<Resized> out;
    for (const Case& c : cases)
        for (const Index size : sizes_of(c, to <= 1)) {
            Resized r(c, {{size, to}});
            r.work = to == kLong && r.elements <= kMostElements ? long_work(op, c, size) : r.elements;
            out.push_back(std::move(r));
        }
    return by_work(std::move(out));
}

/// Those in which the sizes are `to`, or follow one another from there on; the samples with the most of them first.
std::vector<Resized> all_resized(const std::vector<Case>& cases, Index to, bool follow) {
    constexpr double kMostOfAll = 1 << 17;
    std::vector<Resized> out;
    for (const Case& c : cases) {
        std::map<Index, Index> sizes;
        for (const Index n : sizes_of(c, false)) sizes.emplace(n, follow ? to + static_cast<Index>(sizes.size()) : to);
        if (sizes.size() < 2) continue;
        Resized r(c, std::move(sizes));
        if (r.elements > kMostOfAll) continue;
        r.work = r.elements;
        out.push_back(std::move(r));
    }
    std::ranges::stable_sort(out, std::ranges::greater{}, [](const Resized& r) { return r.sizes.size(); });
    return out;
}

}  // namespace

std::vector<KernelCall> made_calls(const OpEntry& op, const BlackBox& box, const std::vector<Case>& cases) {
    constexpr int kShortCalls = 3, kLongCalls = 1, kBlockCalls = 2;
    std::vector<KernelCall> out;
    const auto make = [&](const std::vector<Resized>& calls, int most) {
        int made = 0;
        for (const Resized& r : calls) {
            if (made == most) break;
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
    };
    make(resized(op, cases, 1), kShortCalls);
    for (const Index block : {Index{64}, Index{1024}}) make(resized(op, cases, block), kBlockCalls);
    for (const Index beside : {Index{67}, Index{1030}, kLong}) make(resized(op, cases, beside), kLongCalls);
    for (const bool follow : {false, true}) make(all_resized(cases, 64 + follow, follow), kLongCalls);
    return out;
}

}  // namespace gradproof::check
