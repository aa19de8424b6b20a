// The registry of ops, which the checks, the op table, the tape printer and the command line read.
//
//   GRADPROOF_OP(Softmax);                            // below the op's page; GRADPROOF_OP(Mine, double): for double only
//   GRADPROOF_FUNCTION_1(softmax, Softmax);           // its C++ function, for Tensor and Var of every element type
//   registry().find("softmax").info.backward;                 // anywhere
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "gradproof/core/abi.hpp"
#include "gradproof/core/attrs.hpp"
#include "gradproof/core/op.hpp"
#include "gradproof/core/saved.hpp"
#include "gradproof/core/tape.hpp"

namespace gradproof {

struct SampleCase {
    std::string name;
    AnyAttrs attrs;
    std::vector<Arg> args;
    Excuse excuse;
};
struct ErrorCase {
    std::string name;
    AnyAttrs attrs;
    std::vector<Arg> args;
    std::string message;
};

/// The OpTable of an op at one element type, whose name is that of the type.
struct ScalarTable {
    const std::type_info* scalar;
    const void* table;
};

/// One registered op.
struct OpEntry {
    OpInfo info;
    std::string file;                 ///< of its page: "ops/softmax.cpp" in this tree
    std::vector<ScalarTable> tables;  ///< one for each element type that the page was compiled for
    const std::type_info* attrs_type;
    AnyAttrs (*view_attrs)(const void* attrs);
    std::function<AnyAttrs()> default_attrs;
    std::function<std::vector<SampleCase>()> samples;
    std::function<std::vector<ErrorCase>()> error_samples;
    std::vector<KernelEntry> kernels{};  ///< in the order in which they are tried

    /// Null where the page was not compiled for this element type.
    const void* find_table(const std::type_info& scalar) const {
        for (const ScalarTable& t : tables)
            if (*t.scalar == scalar) return t.table;
        return nullptr;
    }
    template <class T>
    bool has_table() const {
        return find_table(typeid(T)) != nullptr;
    }
    /// Errors: ValueError where the page was not compiled for T.
    template <class T>
    const OpTable<T>& table() const {
        const void* found = find_table(typeid(T));
        if (found == nullptr) no_table(typeid(T));
        return *static_cast<const OpTable<T>*>(found);
    }

  private:
    [[noreturn]] void no_table(const std::type_info& scalar) const;
};

class Registry {
  public:
    /// Adds an op. If the same page, of the same file, was added before for other element types, it becomes one op with all of
    /// them.
    /// Errors: ValueError if another op has the name.
    void add(OpEntry entry);
    /// Errors: ValueError for an unknown name, with the nearest known one, or if a kernel is attached to an op that does not
    /// exist.
    const OpEntry& find(std::string_view name) const;
    bool has(std::string_view name) const;
    /// In alphabetical order. Errors: as find.
    const std::vector<std::unique_ptr<OpEntry>>& all() const;

    /// Attaches a kernel to the op it names; it is tried before the kernels attached earlier. Not while that op is being called.
    /// Errors: ValueError if there is no such op, if it has a kernel of that name, or if the kernel does not suit the op.
    void attach(const KernelEntry& kernel);
    void detach(std::string_view op, std::string_view kernel);

    /// The pages and kernels that a library registered while it was loaded.
    struct Pages {
        std::vector<const OpEntry*> added;  ///< in alphabetical order
        std::vector<KernelInfo> kernels;    ///< those attached
        std::vector<std::string> refused;   ///< the reason for each that was refused, one line each
    };
    /// Runs `load`, in which pages and kernels register themselves. Errors in adding one are noted, not thrown.
    Pages collect(const std::function<void()>& load);
    /// For GRADPROOF_OP and GRADPROOF_KERNEL. A kernel may be registered before its page.
    void add_page(OpEntry entry);
    void add_kernel(KernelEntry kernel);
    void remove(std::string_view name);

  private:
    template <class Add>
    void note_errors(Add add);
    OpEntry* entry(std::string_view name) const;
    void attach_waiting(OpEntry& page);
    void expect_none_waits() const;
    [[noreturn]] void no_page_for(const KernelEntry& kernel) const;
    std::vector<std::unique_ptr<OpEntry>> entries_;
    std::vector<KernelEntry> waiting_;
    Pages* pages_ = nullptr;  // where collect runs
};
Registry& registry();

namespace detail {
/// The layout of the types that pages and the library exchange.
inline constexpr std::uint64_t kLayout =
    layout_of<OpEntry, OpInfo, KernelEntry, KernelTable<double>, KernelList<double>, SavedTensors<double>, InputShapes,
              OpTable<float>, OpTable<double>, SampleCase, ErrorCase, Arg, Excuse, AnyAttrs, AttrValue, Shape, Storage,
              Tensor<double>, Dual<double>, Var<double>, Tape<double>, Inputs<double>, Cotangents<double>>();
template <>
const char BuiltAgainst<kVersionMajor, kVersionMinor, kVersionPatch, kLayout>::token;
using ThisBuild = BuiltAgainst<kVersionMajor, kVersionMinor, kVersionPatch, kLayout>;

/// Registers a page; `token` ties the library it is in to the gradproof it was compiled with.
bool register_page(OpEntry entry, const char* token);
bool register_kernel(KernelEntry entry, const char* token);
}  // namespace detail

/// Runs an op, with a kernel if one fits. The call is recorded if any input is on a tape, else only evaluated.
template <class T>
Var<T> call(const OpTable<T>& op, const void* attrs, std::span<const Var<T>* const> inputs);
/// Runs an op without recording it.
template <class T>
Tensor<T> call(const OpTable<T>& op, const void* attrs, Inputs<T> inputs);

namespace detail {

template <class Op, class T>
struct Payload {
    typename Op::Attrs attrs;  // first: OpTable::payload says so
    typename Op::template Saved<T> saved;
};

/// The kernels of an op are found through its table, wherever that is copied to.
template <class Op, class T>
inline constinit KernelList<T> kernel_list{};

template <class Op, class T>
constexpr void check_page() {
    static_assert(
        requires {
            { Op::info } -> std::convertible_to<OpInfo>;
        },
        "op page: `static constexpr OpInfo info` is missing or ill-typed");
    static_assert(
        requires { typename Op::Attrs; }, "op page: `Attrs` is missing (use NoFields for none)");
    static_assert(
        requires { typename Op::template Saved<T>; }, "op page: `template <Scalar T> struct Saved` is missing");
    static_assert(
        requires(const typename Op::Attrs& a, Inputs<T> x, typename Op::template Saved<T>& s) {
            { Op::template forward<T>(a, x, s) } -> std::same_as<Tensor<T>>;
        },
        "op page: `Tensor<T> forward(const Attrs&, Inputs<T>, Saved<T>&)` is missing or ill-typed");
    static_assert(
        requires(const typename Op::Attrs& a, const typename Op::template Saved<T>& s, const Tensor<T>& dy, Cotangents<T> dx) {
            { Op::template backward<T>(a, s, dy, dx) } -> std::same_as<void>;
        },
        "op page: `void backward(const Attrs&, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx)` is missing or ill-typed");
    static_assert(
        !requires(const typename Op::Attrs& a, Inputs<T> x, typename Op::template Saved<T>&& gone) {
            Op::template forward<T>(a, x, std::move(gone));
        },
        "op page: forward takes Saved by value, so that what it saves is lost: write `Saved<T>& saved`");
    static_assert(
        requires {
            { Op::samples() } -> std::same_as<std::vector<Sample<Op>>>;
        },
        "op page: `std::vector<Sample<Op>> samples()` is missing or ill-typed");
    static_assert(
        requires {
            { Op::error_samples() } -> std::same_as<std::vector<ErrorSample<Op>>>;
        },
        "op page: `std::vector<ErrorSample<Op>> error_samples()` is missing or ill-typed");
}

// Cold: compiled for size, as are the functions that only these call, which compiles faster.
template <class Op>
[[gnu::cold]] std::vector<SampleCase> sample_cases() {
    std::vector<SampleCase> out;
    for (const Sample<Op>& s : Op::samples()) out.push_back({std::string(s.name), AnyAttrs::of<Op>(s.attrs), s.args, s.excuse});
    return out;
}
template <class Op>
[[gnu::cold]] std::vector<ErrorCase> error_cases() {
    std::vector<ErrorCase> out;
    for (const ErrorSample<Op>& s : Op::error_samples())
        out.push_back({std::string(s.name), AnyAttrs::of<Op>(s.attrs), s.args, std::string(s.message)});
    return out;
}

template <class T, class Field>
void visit_saved(SavedVisitor<T>& visit, std::string_view name, const Field& field) {
    if constexpr (std::is_same_v<Field, Tensor<T>>)
        visit.tensor(name, field);
    else if constexpr (requires {
                           field.bytes();
                           field.defined();
                       })
        visit.other(name, field.defined() ? field.bytes() : 0);
    else
        visit.other(name, sizeof(Field));
}

}  // namespace detail

/// The table of an op at one element type.
template <class Op, class T>
const OpTable<T>& op_table() {
    using P = detail::Payload<Op, T>;
    using A = typename Op::Attrs;
    static constexpr OpTable<T> table{
        .info = &Op::info,
        .payload_bytes = sizeof(P),
        .payload_alignment = alignof(P),
        .construct =
            [](void* payload, const void* attrs) {
                new (payload) P{*static_cast<const A*>(attrs), {}};
            },
        .forward =
            [](void* payload, Inputs<T> x) {
                auto* p = static_cast<P*>(payload);
                return Op::template forward<T>(p->attrs, x, p->saved);
            },
        .backward =
            [](const void* payload, const Tensor<T>& dy, Cotangents<T> dx) {
                const auto* p = static_cast<const P*>(payload);
                if constexpr (has_backward<T>)
                    Op::template backward<T>(p->attrs, p->saved, dy, dx);
                else
                    throw TapeError(std::string(Op::info.name) +
                                    ": numbers with bounds have no backward: dual numbers carry slopes");
            },
        .destroy = [](void* payload) { static_cast<P*>(payload)->~P(); },
        .each_saved =
            [](const void* payload, SavedVisitor<T>& visit) {
                const auto& saved = static_cast<const P*>(payload)->saved;
                detail::saved_fields<Op>(
                    saved, [&](std::string_view name, const auto& field) { detail::visit_saved<T>(visit, name, field); });
            },
        .attrs_text = [](const void* payload) { return attrs_text(static_cast<const P*>(payload)->attrs); },
        .saved_tensor =
            [](void* payload, std::string_view name) {
                Tensor<T>* found = nullptr;
                auto& saved = static_cast<P*>(payload)->saved;
                detail::saved_fields<Op>(saved, [&](std::string_view field_name, auto& field) {
                    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, Tensor<T>>)
                        if (field_name == name) found = &field;
                });
                return found;
            },
        .kernels = &detail::kernel_list<Op, T>,
    };
    return table;
}

/// The part of a compiler's path that names the page: from "ops/" on in this tree, else the file's name.
std::string page_file(std::string_view path);

template <class Op, class T>
ScalarTable scalar_table() {
    detail::check_page<Op, T>();
    return {&typeid(T), &op_table<Op, T>()};
}

#define GRADPROOF_SCALAR_TABLE(T) scalar_table<Op, T>(),
template <class Op>
std::vector<ScalarTable> scalar_tables() {
    return {GRADPROOF_FOR_SCALARS(GRADPROOF_SCALAR_TABLE)};
}
/// The entry of an op, for all element types, or for Types only.
template <class Op, class... Types>
OpEntry make_entry(std::string_view file) {
    static_assert((takes_kernels<Types> && ...), "op: the element types it may be for alone are float and double");
    std::vector<ScalarTable> tables{scalar_table<Op, Types>()...};
    if constexpr (sizeof...(Types) == 0) tables = scalar_tables<Op>();
    return OpEntry{
        .info = Op::info,
        .file = page_file(file),
        .tables = std::move(tables),
        .attrs_type = &typeid(typename Op::Attrs),
        .view_attrs = AnyAttrs::view<Op>,
        .default_attrs = [] { return AnyAttrs::of<Op>(typename Op::Attrs{}); },
        .samples = detail::sample_cases<Op>,
        .error_samples = detail::error_cases<Op>,
    };
}

/// What a public op function accepts: a Tensor (the op is evaluated) or a Var (it is recorded).
template <class X>
inline constexpr bool is_operand = false;
template <class T>
inline constexpr bool is_operand<Tensor<T>> = Scalar<T>;
template <class T>
inline constexpr bool is_operand<Var<T>> = Scalar<T>;
template <class X>
concept Operand = is_operand<X>;

/// The typed call behind every public op function.
template <class Op, class T>
Tensor<T> call(const typename Op::Attrs& attrs, std::initializer_list<const Tensor<T>*> inputs) {
    return call(op_table<Op, T>(), &attrs, Inputs<T>(inputs.begin(), static_cast<int>(inputs.size())));
}
template <class Op, class T>
Var<T> call(const typename Op::Attrs& attrs, std::initializer_list<const Var<T>*> inputs) {
    return call(op_table<Op, T>(), &attrs, std::span<const Var<T>* const>(inputs.begin(), inputs.size()));
}
/// The same for use with an op of your own: call<Swish>({.beta = 2}, x), or call<Cube>(x) with default attributes.
template <class Op, Operand X, std::same_as<X>... More>
X call(const typename Op::Attrs& attrs, const X& x, const More&... more) {
    return call<Op, typename X::value_type>(attrs, {&x, &more...});
}
template <class Op, Operand X, std::same_as<X>... More>
X call(const X& x, const More&... more) {
    return call<Op>(typename Op::Attrs{}, x, more...);
}
/// For ops with any number of inputs.
template <class Op, class T>
Tensor<T> call(const typename Op::Attrs& attrs, std::span<const Tensor<T>> inputs) {
    std::vector<const Tensor<T>*> pointers;
    for (const auto& x : inputs) pointers.push_back(&x);
    return call(op_table<Op, T>(), &attrs, Inputs<T>(pointers.data(), static_cast<int>(pointers.size())));
}
template <class Op, class T>
Var<T> call(const typename Op::Attrs& attrs, std::span<const Var<T>> inputs) {
    std::vector<const Var<T>*> pointers;
    for (const auto& x : inputs) pointers.push_back(&x);
    return call(op_table<Op, T>(), &attrs, std::span<const Var<T>* const>(pointers));
}

}  // namespace gradproof

/// Registers an op's page. Write it at namespace scope in the page's file. GRADPROOF_OP(Op, double) or (Op, float, double)
/// registers a forward and a backward that run for these types only. Dual numbers cannot check them, so they are compared with a
/// derivation, or with differences of their own forward.
#define GRADPROOF_OP(Op, ...)                                                                          \
    [[maybe_unused]] static const bool gradproof_registered_##Op = ::gradproof::detail::register_page( \
        ::gradproof::make_entry<Op __VA_OPT__(, ) __VA_ARGS__>(__FILE__), &::gradproof::detail::ThisBuild::token)

/// M(Tensor<T>, ...) M(Var<T>, ...) for every element type; no Var where numbers carry bounds: these are evaluated only.
#define GRADPROOF_FOR_OPERANDS(M, ...) GRADPROOF_FOR_SCALARS(GRADPROOF_OPERANDS_OF, M __VA_OPT__(, ) __VA_ARGS__)
#if defined(GRADPROOF_ONLY_BOUNDS)
#define GRADPROOF_OPERANDS_OF(T, M, ...) M(Tensor<T> __VA_OPT__(, ) __VA_ARGS__)
#else
#define GRADPROOF_OPERANDS_OF(T, M, ...) M(Tensor<T> __VA_OPT__(, ) __VA_ARGS__) M(Var<T> __VA_OPT__(, ) __VA_ARGS__)
#endif

/// Defines and instantiates the C++ functions `fn(x, attrs)`, `fn(a, b, attrs)`, `fn(a, b, c, attrs)`, `fn(xs, attrs)` of an op.
/// The header declares `template <Operand X> X fn(const X& x, const Attrs& attrs = {});` and so on.
#define GRADPROOF_FUNCTION_1(fn, Op)                          \
    template <Operand X>                                      \
    X fn(const X& a, const Op::Attrs& attrs) {                \
        return call<Op, typename X::value_type>(attrs, {&a}); \
    }                                                         \
    GRADPROOF_FOR_OPERANDS(GRADPROOF_INSTANTIATE_1, fn, Op)   \
    static_assert(true)
#define GRADPROOF_INSTANTIATE_1(X, fn, Op) template X fn(const X&, const Op::Attrs&);

#define GRADPROOF_FUNCTION_2(fn, Op)                              \
    template <Operand X>                                          \
    X fn(const X& a, const X& b, const Op::Attrs& attrs) {        \
        return call<Op, typename X::value_type>(attrs, {&a, &b}); \
    }                                                             \
    GRADPROOF_FOR_OPERANDS(GRADPROOF_INSTANTIATE_2, fn, Op)       \
    static_assert(true)
#define GRADPROOF_INSTANTIATE_2(X, fn, Op) template X fn(const X&, const X&, const Op::Attrs&);

#define GRADPROOF_FUNCTION_3(fn, Op)                                   \
    template <Operand X>                                               \
    X fn(const X& a, const X& b, const X& c, const Op::Attrs& attrs) { \
        return call<Op, typename X::value_type>(attrs, {&a, &b, &c});  \
    }                                                                  \
    GRADPROOF_FOR_OPERANDS(GRADPROOF_INSTANTIATE_3, fn, Op)            \
    static_assert(true)
#define GRADPROOF_INSTANTIATE_3(X, fn, Op) template X fn(const X&, const X&, const X&, const Op::Attrs&);

#define GRADPROOF_FUNCTION_N(fn, Op)                                            \
    template <Operand X>                                                        \
    X fn(const std::vector<X>& xs, const Op::Attrs& attrs) {                    \
        return call<Op, typename X::value_type>(attrs, std::span<const X>(xs)); \
    }                                                                           \
    GRADPROOF_FOR_OPERANDS(GRADPROOF_INSTANTIATE_N, fn, Op)                     \
    static_assert(true)
#define GRADPROOF_INSTANTIATE_N(X, fn, Op) template X fn(const std::vector<X>&, const Op::Attrs&);
