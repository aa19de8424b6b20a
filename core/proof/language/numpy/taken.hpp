// The arguments of one call, taken by place or by name; what is left over in the end is an error.
//
//   Taken taken("where", given);
//   const ExprPtr mask = taken.one({"condition"});
#pragma once

#include <stdexcept>

#include <fmt/format.h>

#include "gradproof/core/proof/language/numpy/parser.hpp"

namespace gradproof::proof::numpy {

[[noreturn]] inline void refuse(const std::string& text) { throw std::invalid_argument(text); }

class Taken {
  public:
    Taken(std::string_view function, const Arguments& given) : function_(function), given_(given), left_(given.named) {}
    /// The next one by place, else by one of the names.
    ExprPtr optional(std::initializer_list<std::string_view> names) {
        if (place_ < given_.positional.size()) return given_.positional[place_++];
        return named(names);
    }
    ExprPtr one(std::initializer_list<std::string_view> names) {
        if (ExprPtr e = optional(names)) return e;
        refuse(fmt::format("{}: its argument {} is missing", function_, *names.begin()));
    }
    ExprPtr named(std::initializer_list<std::string_view> names) {
        for (const std::string_view n : names)
            if (const auto found = left_.find(n); found != left_.end()) {
                ExprPtr e = found->second;
                left_.erase(found);
                return e;
            }
        return nullptr;
    }
    std::vector<ExprPtr> rest() {
        std::vector<ExprPtr> out(given_.positional.begin() + static_cast<std::ptrdiff_t>(place_), given_.positional.end());
        place_ = given_.positional.size();
        return out;
    }
    ExprPtr finish(ExprPtr e) const {
        if (place_ < given_.positional.size())
            refuse(fmt::format("{}: too many arguments, {}", function_, given_.positional.size()));
        if (!left_.empty()) refuse(fmt::format("{}: its argument {} is not read", function_, left_.begin()->first));
        return e;
    }

  private:
    std::string_view function_;
    const Arguments& given_;
    std::map<std::string, ExprPtr, std::less<>> left_;
    std::size_t place_ = 0;
};

}  // namespace gradproof::proof::numpy
