// The registry of pages and of the kernels attached to them.
#include "gradproof/core/registry.hpp"

#include <algorithm>

#include "gradproof/core/did_you_mean.hpp"

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
    if (at == entries_.end() || (*at)->info.name != entry.info.name) {
        entries_.insert(at, std::make_unique<OpEntry>(std::move(entry)));
        return;
    }
    OpEntry& there = **at;
    const auto is_there = [&](const ScalarTable& t) { return there.find_table(*t.scalar) != nullptr; };
    if (there.file != entry.file || *there.attrs_type != *entry.attrs_type ||
        std::any_of(entry.tables.begin(), entry.tables.end(), is_there))
        value_error("registry: op {} is registered twice: by {} and by {}", entry.info.name, there.file, entry.file);
    there.tables.insert(there.tables.end(), entry.tables.begin(), entry.tables.end());
}

/// What goes wrong is thrown, or noted where a library is being loaded.
template <class Add>
void Registry::note_errors(Add add) {
    if (pages_ == nullptr) return add();
    try {
        add();
    } catch (const ValueError& e) {
        pages_->refused.emplace_back(e.what());
    }
}

void Registry::add_page(OpEntry page) {
    note_errors([&] {
        const std::string_view name = page.info.name;
        const bool is_new = !has(name);
        add(std::move(page));
        if (pages_ != nullptr && is_new) pages_->added.push_back(entry(name));
    });
    if (OpEntry* added = entry(page.info.name)) attach_waiting(*added);
}

void Registry::add_kernel(KernelEntry kernel) {
    waiting_.push_back(std::move(kernel));
    if (OpEntry* page = entry(waiting_.back().info.op)) attach_waiting(*page);
}

void Registry::attach_waiting(OpEntry& page) {
    std::vector<KernelEntry> here;
    std::erase_if(waiting_, [&](const KernelEntry& k) {
        // A page of other element types alone may come before the one that the kernel is for.
        const bool mine = k.info.op == page.info.name && (k.f32 == nullptr || page.has_table<float>()) &&
                          (k.f64 == nullptr || page.has_table<double>());
        if (mine) here.push_back(k);
        return mine;
    });
    for (const KernelEntry& k : here)
        note_errors([&] {
            attach(k);
            if (pages_ != nullptr) pages_->kernels.push_back(k.info);
        });
}

void Registry::no_page_for(const KernelEntry& k) const {
    std::vector<std::string> known;
    for (const auto& e : entries_) known.emplace_back(e->info.name);
    value_error("kernel {} of {} ({}): no op named {}{}", k.info.name, k.info.op, k.file, k.info.op,
                did_you_mean(std::string(k.info.op), known));
}

void Registry::expect_none_waits() const {
    if (!waiting_.empty()) no_page_for(waiting_.front());
}

Registry::Pages Registry::collect(const std::function<void()>& load) {
    Pages pages;
    pages_ = &pages;
    struct Guard {
        Pages*& pages;
        ~Guard() { pages = nullptr; }
    } guard{pages_};
    load();
    for (const KernelEntry& k : std::exchange(waiting_, {})) note_errors([&] { no_page_for(k); });
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
bool register_kernel(KernelEntry entry, const char*) {
    registry().add_kernel(std::move(entry));
    return true;
}

}  // namespace detail

void OpEntry::no_table(const std::type_info& scalar) const {
    if (!has_table<Dual<double>>())
        value_error("{}: it has no page: it is for float or double alone, and has no dual numbers", info.name);
    value_error("{}: its page was not compiled for this element type ({})", info.name, scalar.name());
}

OpEntry* Registry::entry(std::string_view name) const {
    const auto at = position(entries_, name);
    return at != entries_.end() && (*at)->info.name == name ? at->get() : nullptr;
}

bool Registry::has(std::string_view name) const { return entry(name) != nullptr; }

const std::vector<std::unique_ptr<OpEntry>>& Registry::all() const {
    expect_none_waits();
    return entries_;
}

const OpEntry& Registry::find(std::string_view name) const {
    expect_none_waits();
    if (const OpEntry* found = entry(name)) return *found;
    std::vector<std::string> known;
    for (const auto& e : entries_) known.emplace_back(e->info.name);
    value_error("no op named {}{}", printable(name, 60), did_you_mean(std::string(name), known));
}

}  // namespace gradproof
