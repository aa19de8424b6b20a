// What a call of an op of a plugin is, as both sides of the message write and read it.
#pragma once

#include "gradproof/core/bounded.hpp"
#include "gradproof/core/kernel_choice.hpp"
#include "gradproof/core/platform/guards.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/registry.hpp"
#include "tools/cli/plugin_process.hpp"

namespace gradproof::cli {

/// The number of an element type in messages: its place among those that a plugin may be called at.
template <class T>
inline constexpr int kType = [] {
    int number = 0, found = -1;
#define GRADPROOF_NUMBER(U)                   \
    if (std::is_same_v<T, U>) found = number; \
    ++number;
    GRADPROOF_FOR_PLUGIN_SCALARS(GRADPROOF_NUMBER)
#undef GRADPROOF_NUMBER
    return found;
}();

/// One thing for each of these types.
#define GRADPROOF_EACH(T) std::declval<std::tuple<Each<T>>>(),
template <template <class> class Each>
using ForTypes = decltype(std::tuple_cat(GRADPROOF_FOR_PLUGIN_SCALARS(GRADPROOF_EACH) std::tuple<>()));
#undef GRADPROOF_EACH
inline constexpr int kTypes = std::tuple_size_v<ForTypes<std::type_identity>>;

/// A field of what a page saves. One that is no tensor of the call's type stays where it is: of it only the size is known.
struct SavedField {
    std::string name;
    bool tensor = true;
};

/// What is called, and what is in force in the thread that calls.
struct CallHead {
    std::string op, kernel;  ///< no kernel: the page
    int type = 0;
    int threads = 1, guard_value = -1;
    bool poison = false;
    std::string kernels = "auto";         ///< as of a KernelScope
    std::vector<std::uint64_t> released;  ///< calls whose payloads are needed no more
    std::vector<std::pair<std::string, AttrValue>> attrs;

    void write(Ask what, Writer& to) const {
        to.put<std::uint8_t>(static_cast<std::uint8_t>(what));
        to.put_text(op);
        to.put_text(kernel);
        to.put<std::uint8_t>(static_cast<std::uint8_t>(type));
        to.put<std::int32_t>(threads);
        to.put<std::int32_t>(guard_value);
        to.put<bool>(poison);
        to.put_text(kernels);
        to.put<std::uint64_t>(released.size());
        for (const std::uint64_t call : released) to.put<std::uint64_t>(call);
        to.put_attrs(attrs);
    }
    /// What follows the Ask.
    static CallHead read(Reader& from) {
        CallHead out;
        out.op = from.take_text();
        out.kernel = from.take_text();
        out.type = from.take_number(kTypes);
        out.threads = from.take<std::int32_t>();
        out.guard_value = from.take<std::int32_t>();
        out.poison = from.take<bool>();
        out.kernels = from.take_text();
        out.released.resize(from.take_count(sizeof(std::uint64_t)));
        for (std::uint64_t& call : out.released) call = from.take<std::uint64_t>();
        out.attrs = from.take_attrs();
        return out;
    }
};

/// What a call did beside giving its result: wrote to what it was given, wrote beside a tensor, took memory.
template <class T>
void write_effects(const Arrays<T>& arrays, const std::vector<pool::Breach>& breaches, const pool::Use& use, Writer& to) {
    for (int i = 0; i < arrays.count(); ++i) {
        if (!arrays.changed(i)) continue;
        const Tensor<T>& now = arrays.at(i);
        to.put<std::int32_t>(i);
        to.put_bytes(now.data(), now.bytes());
    }
    to.put<std::int32_t>(-1);
    to.put<std::uint64_t>(breaches.size());
    for (const pool::Breach& b : breaches) {
        to.put<std::int32_t>(arrays.find(b.data));
        to.put<std::uint64_t>(b.bytes);
        to.put<std::int64_t>(b.at);
    }
    for (const std::int64_t n : {use.allocations, use.bytes, use.live_bytes}) to.put<std::int64_t>(n);
}

/// Does the same here: the tensors that changed there change, breaches are told to the guards in force, memory is counted.
/// Returns the bytes that the call keeps beside what it says it saves.
template <class T>
std::int64_t read_effects(Arrays<T>& arrays, Reader& from) {
    for (int i = from.take<std::int32_t>(); i != -1; i = from.take<std::int32_t>()) {
        Tensor<T>& now = arrays.at(i);
        if (!now.defined()) throw Malformed("what changed is no tensor");
        std::memcpy(static_cast<void*>(now.data()), from.take_bytes(now.bytes()), now.bytes());
    }
    constexpr std::size_t kBreachBytes = 20;
    for (std::size_t n = from.take_count(kBreachBytes); n > 0; --n) {
        const int of = from.take<std::int32_t>();
        pool::Breach b{nullptr, static_cast<std::size_t>(from.take<std::uint64_t>()),
                       static_cast<std::ptrdiff_t>(from.take<std::int64_t>())};
        if (of != -1 && arrays.at(of).defined()) b.data = arrays.at(of).data();
        pool::note_breach(b);
    }
    pool::Use use;
    for (std::int64_t* n : {&use.allocations, &use.bytes, &use.live_bytes}) {
        *n = from.take<std::int64_t>();
        constexpr std::int64_t kMost = std::int64_t{1} << 48;
        if (*n > kMost || *n < -kMost) throw Malformed("a size is none");
    }
    pool::add_use(use);
    return use.live_bytes;
}

}  // namespace gradproof::cli
