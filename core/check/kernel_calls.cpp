// The calls a kernel is compared on beside the samples of its page: one size of a sample set to 1, or to 100 000.
#include <algorithm>
#include <set>

#include "gradproof/core/check/kernel_contracts.hpp"
#include "gradproof/core/kernel.hpp"

namespace gradproof::check {
namespace {

constexpr Index kLong = 100'000, kMostElements = 1 << 21;

/// A sample with every axis of one size made another.
struct Resized {
    const Case* from;
    Index size, to, elements = 0;
    std::vector<Arg> args;

    Resized(const Case& c, Index old_size, Index new_size) : from(&c), size(old_size), to(new_size) {
        args = c.subject.sample->args;
        for (Arg& arg : args) {
            if (!arg.present) continue;
            for (Index& n : arg.shape)
                if (n == size) n = to;
            double count = 1;
            for (const Index n : arg.shape) count *= static_cast<double>(n);
            elements += static_cast<Index>(std::min<double>(count, kMostElements + 1));
        }
    }
};

std::vector<Resized> resized(const std::vector<Case>& cases, Index to) {
    std::vector<Resized> out;
    for (const Case& c : cases) {
        const std::vector<Arg>& args = c.subject.sample->args;
        if (std::any_of(args.begin(), args.end(), [](const Arg& a) { return a.values.defined(); })) continue;
        std::set<Index> sizes;
        for (const Arg& arg : args)
            if (arg.present) sizes.insert(arg.shape.begin(), arg.shape.end());
        for (const Index size : sizes)
            if (size > 1) out.emplace_back(c, size, to);
    }
    std::erase_if(out, [](const Resized& r) { return r.elements > kMostElements; });
    std::stable_sort(out.begin(), out.end(), [](const Resized& a, const Resized& b) { return a.elements < b.elements; });
    return out;
}

bool kernel_takes(const OpEntry& op, const KernelEntry& kernel, const AnyAttrs& attrs, const Tensors& x) {
    return takes<double>(op, kernel, attrs, x) || takes<float>(op, kernel, attrs, cast_all<float>(x));
}

}  // namespace

std::vector<KernelCall> made_calls(const OpEntry& op, const KernelEntry& kernel, const std::vector<Case>& cases) {
    constexpr int kOfEach = 3;
    std::vector<KernelCall> out;
    for (const Index to : {Index{1}, kLong}) {
        int left = kOfEach;
        for (const Resized& r : resized(cases, to)) {
            if (left == 0) break;
            const Random random = r.from->random.stream(static_cast<std::uint64_t>(100 + r.size));
            KernelCall call{fmt::format("{}, {} as {}", r.from->sample(), r.size, to),
                            r.from->subject.sample->attrs,
                            draw(r.args, random.stream(0)),
                            {}};
            if (!kernel_takes(op, kernel, call.attrs, call.x)) continue;
            try {
                const KernelScope page("page");
                Random cotangent = random.stream(1);
                call.u = cotangent.normal<double>(evaluate<double>(op, call.attrs, call.x).shape());
            } catch (const std::invalid_argument&) {
                continue;  // not a call of this op: what the kernel says of it is seen by its error samples
            }
            out.push_back(std::move(call));
            --left;
        }
    }
    return out;
}

}  // namespace gradproof::check
