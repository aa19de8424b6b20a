// Attaching kernels to ops, and the choice among them at each call.
#include "gradproof/core/kernel.hpp"

#include <algorithm>
#include <array>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/platform/call_state.hpp"
#include "gradproof/core/platform/control.hpp"

namespace gradproof {
namespace {

using detail::call_state;

enum Mode : int { first_that_fits, named, pages, plain };

constexpr std::string_view kAuto = "auto", kPage = "page", kPlain = "plain";

template <class T>
bool fits(const OpTable<T>& op, const KernelTable<T>& kernel, const void* attrs, const InputShapes& x) try {
    return kernel.fits(kernel, attrs, x);
} catch (const Stopped&) {
    throw;
} catch (const std::exception& e) {
    value_error("{}: kernel {} cannot say whether it fits: its predicate threw \"{}\"", op.info->name, kernel.name, e.what());
} catch (...) {
    value_error("{}: kernel {} cannot say whether it fits: its predicate threw something that is not an exception", op.info->name,
                kernel.name);
}

/// How many inputs a call has at least and at most.
struct Arity {
    int required = 0, most = 0;
    explicit Arity(std::string_view inputs) {
        for (const std::string_view name : detail::split_names(inputs)) {
            const bool repeated = name.ends_with("...");
            required += !repeated && !name.ends_with("?");
            most = repeated ? std::numeric_limits<int>::max() : most + 1;
        }
    }
};

template <class T>
void link(KernelTable<T>* kernel, const OpEntry& op) {
    if (kernel == nullptr) return;
    KernelList<T>& list = *op.table<T>().kernels;
    const Arity arity(op.info.inputs);
    list.required = arity.required;
    list.most = arity.most;
    kernel->view_attrs = op.view_attrs;
    kernel->next = list.first;
    list.first = kernel;
}

template <class T>
void unlink(KernelTable<T>* kernel, const OpEntry& op) {
    KernelTable<T>** at = &op.table<T>().kernels->first;
    while (*at != nullptr && *at != kernel) at = &(*at)->next;
    if (*at != nullptr) *at = kernel->next;
}

void expect_to_suit(const KernelEntry& k, const OpEntry& op) {
    const auto refuse = [&](std::string_view why) {
        value_error("kernel {} of {} ({}): {}", k.info.name, k.info.op, k.file, why);
    };
    for (const std::string_view taken : {kAuto, kPage, kPlain, std::string_view()})
        if (k.info.name == taken) refuse("a kernel cannot have this name");
    for (const KernelEntry& other : op.kernels)
        if (other.info.name == k.info.name)
            value_error("kernel {} of {} is attached twice: by {} and by {}", k.info.name, k.info.op, other.file, k.file);
    if (k.f32 == nullptr && k.f64 == nullptr) refuse("it is for no element type");
    if (k.attrs != nullptr && *k.attrs != *op.attrs_type) refuse("it takes other attributes than the op has");
    const auto whole = [](const auto* table) { return table == nullptr || (table->forward && table->backward); };
    if (!k.info.saves.empty() && (!whole(k.f32) || !whole(k.f64)))
        refuse("it saves tensors of its own, which takes both a forward and a backward");
}

}  // namespace

void Registry::attach(const KernelEntry& kernel) {
    OpEntry* op = entry(kernel.info.op);
    if (op == nullptr) no_page_for(kernel);
    expect_to_suit(kernel, *op);
    link(kernel.f32, *op);
    link(kernel.f64, *op);
    op->kernels.insert(op->kernels.begin(), kernel);
}

void Registry::detach(std::string_view name, std::string_view kernel) {
    OpEntry* op = entry(name);
    if (op == nullptr) return;
    const auto at =
        std::find_if(op->kernels.begin(), op->kernels.end(), [&](const KernelEntry& k) { return k.info.name == kernel; });
    if (at == op->kernels.end()) return;
    unlink(at->f32, *op);
    unlink(at->f64, *op);
    op->kernels.erase(at);
}

KernelScope::KernelScope(std::string_view word) : mode_(call_state.kernel_mode), name_(call_state.kernel), own_name_(word) {
    const Mode mode = word == kAuto ? first_that_fits : word == kPage ? pages : word == kPlain ? plain : named;
    if (mode == named) {
        std::vector<std::string> known{std::string(kAuto), std::string(kPage), std::string(kPlain)};
        for (const auto& op : registry().all())
            for (const KernelEntry& k : op->kernels) known.emplace_back(k.info.name);
        if (std::find(known.begin(), known.end(), own_name_) == known.end())
            value_error("no kernel named {}{}", printable(word, 60), did_you_mean(own_name_, known));
    }
    call_state.kernel_mode = mode;
    call_state.kernel = own_name_;
}
KernelScope::~KernelScope() {
    call_state.kernel_mode = mode_;
    call_state.kernel = name_;
}

std::string_view kernel_scope() noexcept {
    constexpr std::array<std::string_view, 4> kWords{kAuto, {}, kPage, kPlain};
    return call_state.kernel_mode == named ? call_state.kernel : kWords[static_cast<std::size_t>(call_state.kernel_mode)];
}
bool in_page_scope() noexcept { return call_state.kernel_mode >= pages; }
bool in_plain_scope() noexcept { return call_state.kernel_mode == plain; }

namespace detail {

std::vector<std::string_view> split_names(std::string_view names) {
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at < names.size();) {
        const std::size_t end = std::min(names.find(' ', at), names.size());
        if (end > at) out.push_back(names.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

template <class T>
Chosen<T> choose_kernels(const OpTable<T>& op, const void* attrs, const Inputs<T>& x) {
    const int mode = call_state.kernel_mode;
    if (mode >= pages) return {};
    const KernelList<T>& list = *op.kernels;
    if (x.size() < list.required || x.size() > list.most) return {};
    for (int i = 0; i < list.required; ++i)
        if (!x.has(i)) return {};
    Chosen<T> out;
    for (const KernelTable<T>* k = list.first; k != nullptr; k = k->next) {
        if (mode == named && k->name != call_state.kernel) continue;
        if (!k->own.empty() && (out.forward || out.backward)) continue;
        if (k->fits != nullptr && !fits(op, *k, attrs, InputShapes(x))) continue;
        if (!out.forward && k->forward) out.forward = k;
        if (!out.backward && k->backward) out.backward = k;
        if (out.forward && out.backward) break;
    }
    return out;
}
template Chosen<float> choose_kernels(const OpTable<float>&, const void*, const Inputs<float>&);
template Chosen<double> choose_kernels(const OpTable<double>&, const void*, const Inputs<double>&);

}  // namespace detail
}  // namespace gradproof
