// The buffers that are guarded, of all scopes and threads.
#include "gradproof/core/platform/guards.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "gradproof/core/platform/call_state.hpp"

namespace gradproof::pool {
namespace {

struct Guarded {
    GuardScope* scope;
    std::size_t bytes;
    unsigned char value;
};
struct All {
    std::mutex mutex;
    std::map<const void*, Guarded> buffers;
};
All& all() {
    static All it;
    return it;
}

std::optional<Breach> breach(const void* data, const Guarded& g) {
    const auto* first = static_cast<const unsigned char*>(data);
    const auto whole = [&](const unsigned char* bytes_of) {  // each byte is as the one before it
        return bytes_of[0] == g.value && std::memcmp(bytes_of, bytes_of + 1, kGuardBytes - 1) == 0;
    };
    if (whole(first - kGuardBytes) && whole(first + g.bytes)) return {};
    for (std::size_t i = 0; i < kGuardBytes; ++i) {
        const auto near = static_cast<std::ptrdiff_t>(i), bytes = static_cast<std::ptrdiff_t>(g.bytes);
        if (first[bytes + near] != g.value) return Breach{data, g.bytes, bytes + near};
        if (first[-1 - near] != g.value) return Breach{data, g.bytes, -1 - near};
    }
    return {};
}

}  // namespace

GuardScope::GuardScope(unsigned char value) : value_(value), outer_(gradproof::detail::call_state.guards) {
    gradproof::detail::call_state.guards = this;
    ++guard_scopes;
}

GuardScope::~GuardScope() {
    --guard_scopes;
    gradproof::detail::call_state.guards = outer_;
    const std::lock_guard lock(all().mutex);
    std::erase_if(all().buffers, [&](const auto& b) { return b.second.scope == this; });
}

std::vector<Breach> GuardScope::breaches() {
    const std::lock_guard lock(all().mutex);
    std::vector<Breach> out = found_;
    for (const auto& [data, g] : all().buffers)
        if (const auto b = g.scope == this ? breach(data, g) : std::nullopt) out.push_back(*b);
    return out;
}

bool guarding() noexcept { return gradproof::detail::call_state.guards != nullptr; }

int guard_value() noexcept {
    const GuardScope* const scope = gradproof::detail::call_state.guards;
    return scope != nullptr ? scope->value_ : -1;
}

void note_breach(const Breach& seen) {
    GuardScope* const scope = gradproof::detail::call_state.guards;
    if (scope == nullptr) return;
    const std::lock_guard lock(all().mutex);
    scope->found_.push_back(seen);
}

void guard(void* data, std::size_t bytes) {
    GuardScope* const scope = gradproof::detail::call_state.guards;
    auto* first = static_cast<unsigned char*>(data);
    std::memset(first - kGuardBytes, scope->value_, kGuardBytes);
    std::memset(first + bytes, scope->value_, kGuardBytes);
    const std::lock_guard lock(all().mutex);
    all().buffers[data] = {scope, bytes, scope->value_};
}

void unguard(const void* data) noexcept {
    const std::lock_guard lock(all().mutex);
    const auto at = all().buffers.find(data);
    if (at == all().buffers.end()) return;
    if (const auto b = breach(data, at->second)) at->second.scope->found_.push_back(*b);
    all().buffers.erase(at);
}

}  // namespace gradproof::pool
