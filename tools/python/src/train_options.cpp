// The options of a training run from a dictionary of Python.
#include "tools/python/src/train_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"

namespace gradproof::python {
namespace {

[[noreturn]] void refuse(const std::string& name, const nb::handle& value, std::string_view expected) {
    value_error("train: {} is {}, expected {}", name, printable(nb::repr(value).c_str()), expected);
}

template <NamedEnum E>
E named_value(const std::string& name, const nb::handle& value) {
    const auto all = names(E{});
    if (nb::isinstance<nb::str>(value))
        if (const std::optional<E> found = value_named<E>(nb::cast<std::string>(value))) return *found;
    std::string known;
    for (const auto n : all) known += (known.empty() ? "" : ", ") + std::string(n);
    const std::string word = nb::isinstance<nb::str>(value) ? nb::cast<std::string>(value) : "";
    refuse(name, value, "one of " + known + did_you_mean(word, all));
}

/// Whole numbers of any kind, NumPy's too; True is none.
bool is_whole(const nb::handle& value) { return PyIndex_Check(value.ptr()) && !PyBool_Check(value.ptr()); }

template <class T>
T whole_number(const std::string& name, const nb::handle& value) {
    T out{};
    if (!is_whole(value) || !nb::try_cast(nb::int_(nb::handle(value)), out))
        refuse(name, value, std::is_signed_v<T> ? "a whole number" : "a whole number from 0");
    return out;
}

template <class T>
T option(const std::string& name, const nb::handle& value) {
    if constexpr (NamedEnum<T>) {
        return named_value<T>(name, value);
    } else if constexpr (std::is_same_v<T, double>) {
        const bool number = !PyBool_Check(value.ptr()) && !nb::isinstance<nb::str>(value) && PyNumber_Check(value.ptr());
        if (!number) refuse(name, value, "a number");
        return nb::cast<double>(nb::float_(value));
    } else if constexpr (std::is_integral_v<T>) {
        return whole_number<T>(name, value);
    } else {
        if (!nb::isinstance<nb::str>(value)) refuse(name, value, "a text");
        return nb::cast<std::string>(value);
    }
}

/// The names that users may set.
template <class Options>
std::vector<std::string> known_names(const Options& options) {
    std::vector<std::string> out;
    Options::fields(options, [&](const OptionField& field, const auto&) {
        if (!field.help.empty()) out.push_back(python_name(field));
    });
    return out;
}

template <class Options>
void expect_known(const Options& options, const nb::dict& given) {
    const std::vector<std::string> known = known_names(options);
    for (const auto& [key, value] : given) {
        const auto name = nb::cast<std::string>(key);
        if (std::ranges::find(known, name) == known.end())
            value_error("train: this task has no option {}{}", printable(name), did_you_mean(name, known));
    }
}

}  // namespace

std::string python_name(const OptionField& field) {
    std::string out(field.name);
    std::ranges::replace(out, '-', '_');
    return out;
}

template <class Options>
void set_options(Options& options, const nb::dict& given, const std::string& resumed) {
    expect_known(options, given);
    Options::fields(options, [&]<class T>(const OptionField& field, T& into) {
        const std::string name = python_name(field);
        if (field.help.empty() || !given.contains(name.c_str())) return;
        const T value = option<T>(name, given[name.c_str()]);
        if (!resumed.empty() && field.resume == OnResume::same && value != into)
            value_error("train: {0} differs from the checkpoint: {0} is {1}, {2} was trained with {3}; leave it out to resume",
                        name, option_text(value), printable(resumed, 400), option_text(into));
        into = value;
    });
    const bool keeps_decay = !resumed.empty() || given.contains("weight_decay");
    fit_to_kind(options.optimiser, keeps_decay, given.contains("momentum") ? "momentum" : "");
}
template void set_options(ExpressionTrainOptions&, const nb::dict&, const std::string&);
template void set_options(TextTrainOptions&, const nb::dict&, const std::string&);

}  // namespace gradproof::python
