// Attributes by name: how an op's Attrs are set from a command line, JSON or the notation, and printed.
//
//   SoftmaxAttrs a;
//   set_attr("softmax", a, "axis", Index{0});
//   attrs_text(a);                       // "axis=0, temperature=1"
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// The value of an attribute that is set by its name.
using AttrValue = std::variant<bool, Index, double, std::string, std::vector<double>, Tensor<Index>, Tensor<bool>>;

/// An enumeration that may be an attribute: `names(E{})` found by ADL lists its values' names in order from 0.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
    names(e).size();
};

/// The kind of an AttrValue, for messages.
std::string attr_kind(const AttrValue& value);

namespace detail {
// One overload per field type; false where the value's kind does not fit.
bool assign(bool& field, const AttrValue& value);
bool assign(Index& field, const AttrValue& value);
bool assign(double& field, const AttrValue& value);
bool assign(int& field, const AttrValue& value);
bool assign(float& field, const AttrValue& value);
bool assign(Axes& field, const AttrValue& value);
bool assign(Tensor<Index>& field, const AttrValue& value);
bool assign(Tensor<bool>& field, const AttrValue& value);
/// A field whose type is known only from its value: takes a value of that kind; if it holds a string ("none"), any value.
bool assign(AttrValue& field, const AttrValue& value);
template <class T>
bool assign(std::optional<T>& field, const AttrValue& value) {
    T inner{};
    if (!assign(inner, value)) return false;
    field = inner;
    return true;
}
template <NamedEnum E>
bool assign(E& field, const AttrValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (!text) return false;
    for (std::size_t i = 0; i < names(field).size(); ++i)
        if (names(field)[i] == *text) {
            field = static_cast<E>(i);
            return true;
        }
    return false;
}

// The value of a field, in the form that `assign` takes. An optional that is not set is "none".
inline AttrValue value(bool field) { return field; }
inline AttrValue value(Index field) { return field; }
inline AttrValue value(double field) { return field; }
inline AttrValue value(int field) { return Index{field}; }
inline AttrValue value(float field) { return double{field}; }
inline AttrValue value(const Axes& field) { return std::vector<double>(field.begin(), field.end()); }
inline AttrValue value(const Tensor<Index>& field) { return field; }
inline AttrValue value(const Tensor<bool>& field) { return field; }
inline AttrValue value(const AttrValue& field) { return field; }
template <class T>
AttrValue value(const std::optional<T>& field) {
    return field ? value(*field) : AttrValue(std::string("none"));
}
template <NamedEnum E>
AttrValue value(E field) {
    return std::string(names(field)[static_cast<std::size_t>(field)]);
}

std::string text(bool field);
std::string text(Index field);
std::string text(double field);
inline std::string text(int field) { return text(Index{field}); }
inline std::string text(float field) { return text(double{field}); }
std::string text(const Axes& field);
std::string text(const Tensor<Index>& field);
std::string text(const Tensor<bool>& field);
std::string text(const AttrValue& field);
template <class T>
std::string text(const std::optional<T>& field) {
    return field ? text(*field) : "none";
}
template <NamedEnum E>
std::string text(E field) {
    return std::string(names(field)[static_cast<std::size_t>(field)]);
}
/// "one of exact, tanh": the names of an enumeration's values.
std::string one_of(const std::string_view* names, std::size_t count);
/// What a field takes, for messages.
template <class F>
std::string expected(const F& field) {
    if constexpr (NamedEnum<F>)
        return one_of(names(field).data(), names(field).size());
    else
        return attr_kind(value(field));
}
template <class T>
std::string expected(const std::optional<T>&) {
    return expected(T{});
}
/// Errors: ValueError that `op` has no such attribute, with the nearest of those it has.
[[noreturn]] void no_attribute(std::string_view op, std::string_view name, const std::vector<std::string>& known);
}  // namespace detail

/// Sets one attribute. Errors: ValueError for a name the op does not have (with the nearest it has) or a wrong kind.
template <class Attrs>
void set_attr(std::string_view op, Attrs& attrs, const std::string& name, const AttrValue& value) {
    bool found = false;
    std::vector<std::string> known;
    Attrs::fields(attrs, [&](std::string_view field_name, auto& field) {
        known.emplace_back(field_name);
        if (field_name != name) return;
        found = true;
        if (!detail::assign(field, value))
            value_error("{}: {} is {}, expected {}", op, name, printable(detail::text(value), 60), detail::expected(field));
    });
    if (!found) detail::no_attribute(op, name, known);
}

/// One attribute. Errors: ValueError for a name the op does not have.
template <class Attrs>
AttrValue get_attr(std::string_view op, const Attrs& attrs, std::string_view name) {
    std::optional<AttrValue> out;
    std::vector<std::string> known;
    Attrs::fields(attrs, [&](std::string_view field_name, const auto& field) {
        known.emplace_back(field_name);
        if (field_name == name) out = detail::value(field);
    });
    if (!out) detail::no_attribute(op, name, known);
    return *out;
}

/// "axis=-1, temperature=1"
template <class Attrs>
std::string attrs_text(const Attrs& attrs) {
    std::string out;
    Attrs::fields(attrs, [&](std::string_view name, const auto& field) {
        out += (out.empty() ? "" : ", ") + std::string(name) + "=" + detail::text(field);
    });
    return out;
}

/// The Attrs of an op whose page is in another process: only names and values are known.
struct NamedAttrs {
    std::string op;
    std::vector<std::pair<std::string, AttrValue>> values;
    const void* of = nullptr;  ///< identifies the op in this process
    static void fields(auto& a, auto&& f) {
        for (auto& [name, value] : a.values) f(std::string_view(name), value);
    }
};
/// Takes the place of the op in AnyAttrs::of and AnyAttrs::view.
struct NamedOp {
    using Attrs = NamedAttrs;
};

/// An Attrs of any op.
class AnyAttrs {
  public:
    AnyAttrs() = default;
    const void* get() const { return object_.get(); }
    /// Errors: ValueError for an unknown name or a value of the wrong kind.
    void set(const std::string& name, const AttrValue& value) { functions_->set(object_.get(), name, value); }
    /// Errors: ValueError for an unknown name.
    AttrValue get(std::string_view name) const { return functions_->get(object_.get(), name); }
    /// The attribute as a V: bool, Index, int, double, float, std::string (for an enumeration) ... Errors: ValueError if it is of
    /// another type.
    template <class V>
    V get(std::string_view name) const {
        const AttrValue value = get(name);
        if constexpr (std::same_as<V, int> || std::same_as<V, float>) {
            V v{};
            if (detail::assign(v, value)) return v;
        } else if (const V* v = std::get_if<V>(&value)) {
            return *v;
        }
        value_error("{}: attribute {} is {}, which is asked for as something else", functions_->op(object_.get()), name,
                    attr_kind(value));
    }
    std::string text() const { return functions_->text(object_.get()); }
    std::vector<std::string> names() const { return functions_->names(object_.get()); }

    /// A copy of the attributes of Op.
    template <class Op>
    static AnyAttrs of(const typename Op::Attrs& attrs) {
        return AnyAttrs(std::make_shared<typename Op::Attrs>(attrs), &functions<Op>);
    }
    /// The attributes of Op at `attrs` themselves, which must outlive the result.
    template <class Op>
    static AnyAttrs view(const void* attrs) {
        return AnyAttrs(std::shared_ptr<void>(std::shared_ptr<void>(), const_cast<void*>(attrs)), &functions<Op>);
    }

  private:
    struct Functions {
        std::string_view (*op)(const void*);
        void (*set)(void*, const std::string&, const AttrValue&);
        AttrValue (*get)(const void*, std::string_view);
        std::string (*text)(const void*);
        std::vector<std::string> (*names)(const void*);
    };
    template <class Op>
    static std::string_view op_of(const void* a) {
        if constexpr (std::same_as<Op, NamedOp>)
            return static_cast<const NamedAttrs*>(a)->op;
        else
            return Op::info.name;
    }
    template <class Op, class A = typename Op::Attrs>
    static constexpr Functions functions{
        .op = op_of<Op>,
        .set = [](void* a, const std::string& name, const AttrValue& v) { set_attr(op_of<Op>(a), *static_cast<A*>(a), name, v); },
        .get = [](const void* a, std::string_view name) { return get_attr(op_of<Op>(a), *static_cast<const A*>(a), name); },
        .text = [](const void* a) { return attrs_text(*static_cast<const A*>(a)); },
        .names =
            [](const void* a) {
                std::vector<std::string> out;
                A::fields(*static_cast<const A*>(a), [&](std::string_view n, const auto&) { out.emplace_back(n); });
                return out;
            },
    };
    AnyAttrs(std::shared_ptr<void> object, const Functions* f) : object_(std::move(object)), functions_(f) {}
    std::shared_ptr<void> object_;
    const Functions* functions_ = nullptr;
};

}  // namespace gradproof
