// The box of some entries, in words.
#include "gradproof/core/check/region.hpp"

#include <limits>

namespace gradproof::check {

Region::Region(const Shape& shape) : shape_(shape), first_(shape), last_(shape) {
    std::fill(first_.begin(), first_.end(), std::numeric_limits<Index>::max());
    std::fill(last_.begin(), last_.end(), -1);
}

void Region::add(const Shape& index) {
    for (int a = 0; a < shape_.rank(); ++a) {
        first_[a] = std::min(first_[a], index[a]);
        last_[a] = std::max(last_[a], index[a]);
    }
}

std::string Region::text() const {
    std::string out;
    for (int a = 0; a < shape_.rank(); ++a) {
        if (last_[a] < 0 || last_[a] - first_[a] + 1 == shape_[a]) continue;
        out += fmt::format("{}axis {} at {}", out.empty() ? "" : ", ", a, first_[a]);
        if (last_[a] > first_[a]) out += fmt::format(" to {}", last_[a]);
    }
    return out;
}

}  // namespace gradproof::check
