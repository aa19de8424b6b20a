// The options of a training run from a dictionary of Python, by the names of `gradproof train` with _ for -.
#pragma once

#include "gradproof/nn/train/options.hpp"
#include "tools/python/src/calls.hpp"

namespace gradproof::python {

/// "weight_decay"
std::string python_name(const OptionField& field);

/// Changes the options that are given. Of a run that is resumed from the folder `resumed`, those that it must keep may only repeat
/// its own.   Errors  ValueError for a name that is not known, a value of the wrong kind, and an option that cannot change.
template <class Options>
void set_options(Options& options, const nb::dict& given, const std::string& resumed);
extern template void set_options(ExpressionTrainOptions&, const nb::dict&, const std::string&);
extern template void set_options(TextTrainOptions&, const nb::dict&, const std::string&);

/// All of them by name.
template <class Options>
nb::dict to_dict(const Options& options) {
    nb::dict out;
    Options::fields(options, [&]<class T>(const OptionField& field, const T& value) {
        if (field.help.empty()) return;
        if constexpr (NamedEnum<T>)
            out[python_name(field).c_str()] = name_of(value);
        else
            out[python_name(field).c_str()] = value;
    });
    return out;
}

}  // namespace gradproof::python
