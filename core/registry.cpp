// The registry and the untyped call.
#include "gradproof/core/registry.hpp"

#include <algorithm>
#include <array>

namespace gradproof {

Registry& registry() {
    static Registry instance;
    return instance;
}

std::string page_file(std::string_view path) {
    const auto tree = path.rfind("ops/");
    if (tree != std::string_view::npos && (tree == 0 || path[tree - 1] == '/')) return std::string(path.substr(tree));
    return std::string(path.substr(path.rfind('/') + 1));
}

namespace {

auto position(const std::vector<std::unique_ptr<OpEntry>>& entries, std::string_view name) {
    return std::lower_bound(entries.begin(), entries.end(), name,
                            [](const auto& e, std::string_view n) { return e->info.name < n; });
}

}  // namespace

void Registry::add(OpEntry entry) {
    const auto at = position(entries_, entry.info.name);
    if (at != entries_.end() && (*at)->info.name == entry.info.name)
        value_error("registry: op {} is registered twice: by {} and by {}", entry.info.name, (*at)->file, entry.file);
    entries_.insert(at, std::make_unique<OpEntry>(std::move(entry)));
}

void Registry::add_page(OpEntry entry) {
    if (pages_ == nullptr) return add(std::move(entry));
    const std::string name(entry.info.name);
    try {
        add(std::move(entry));
        pages_->added.push_back(&find(name));
    } catch (const ValueError& e) {
        pages_->refused.emplace_back(e.what());
    }
}

Registry::Pages Registry::collect(const std::function<void()>& load) {
    Pages pages;
    pages_ = &pages;
    struct Guard {
        Pages*& pages;
        ~Guard() { pages = nullptr; }
    } guard{pages_};
    load();
    std::sort(pages.added.begin(), pages.added.end(),
              [](const OpEntry* a, const OpEntry* b) { return a->info.name < b->info.name; });
    return pages;
}

void Registry::remove(std::string_view name) {
    const auto at = position(entries_, name);
    if (at != entries_.end() && (*at)->info.name == name) entries_.erase(at);
}

namespace detail {

template <>
const char BuiltAgainst<kVersionMajor, kVersionMinor, kVersionPatch, kLayout>::token = 0;

bool register_page(OpEntry entry, const char*) {
    registry().add_page(std::move(entry));
    return true;
}

}  // namespace detail

bool Registry::has(std::string_view name) const {
    const auto at = position(entries_, name);
    return at != entries_.end() && (*at)->info.name == name;
}

const OpEntry& Registry::find(std::string_view name) const {
    const auto at = position(entries_, name);
    if (at != entries_.end() && (*at)->info.name == name) return **at;
    std::vector<std::string> known;
    for (const auto& e : entries_) known.emplace_back(e->info.name);
    const std::string near = nearest(std::string(name), known);
    value_error("no op named {}{}", name, near.empty() ? "" : "; did you mean " + near);
}

namespace {

/// Evaluates without recording: the payload lives for the call only.
template <class T>
Tensor<T> evaluate(const OpTable<T>& op, const void* attrs, Inputs<T> x) {
    constexpr std::size_t kInline = 1024;
    alignas(std::max_align_t) std::byte in_place[kInline];
    std::unique_ptr<std::byte[]> on_heap;
    void* payload = in_place;
    if (op.payload_bytes > kInline) {
        on_heap = std::make_unique<std::byte[]>(op.payload_bytes);
        payload = on_heap.get();
    }
    op.construct(payload, attrs);
    struct Guard {
        const OpTable<T>& op;
        void* payload;
        ~Guard() { op.destroy(payload); }
    } guard{op, payload};
    return op.forward(payload, x);
}

}  // namespace

template <class T>
Var<T> call(const OpTable<T>& op, const void* attrs, std::span<const Var<T>* const> inputs) {
    for (const Var<T>* x : inputs)
        if (x->on_tape()) return x->tape()->record(op, attrs, inputs);
    std::array<const Tensor<T>*, 8> few;  // most ops: nothing is allocated for them
    std::vector<const Tensor<T>*> many(inputs.size() > few.size() ? inputs.size() : 0);
    const Tensor<T>** const tensors = many.empty() ? few.data() : many.data();
    for (std::size_t i = 0; i < inputs.size(); ++i) tensors[i] = &inputs[i]->value();
    return Var<T>(evaluate(op, attrs, Inputs<T>(tensors, static_cast<int>(inputs.size()))));
}

template Var<float> call(const OpTable<float>&, const void*, std::span<const Var<float>* const>);
template Var<double> call(const OpTable<double>&, const void*, std::span<const Var<double>* const>);
template Var<Dual<double>> call(const OpTable<Dual<double>>&, const void*, std::span<const Var<Dual<double>>* const>);

}  // namespace gradproof
