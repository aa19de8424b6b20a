// Progress as lines of text.
#include "gradproof/core/proof/exercises/progress.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

namespace gradproof::proof {
namespace {

constexpr std::string_view kFirstLine = "# gradproof exercises: name, right or open, how often it was tried";

}  // namespace

Progress Progress::read(const std::string& text) {
    Progress out;
    if (text.empty()) return out;
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const auto refuse = [&](std::string_view expected) {
            value_error("line {} is {}, expected {}", number, printable(line, 60), expected);
        };
        if (number == 1) {
            if (line != kFirstLine) refuse(kFirstLine);
            continue;
        }
        std::istringstream words(line);
        std::string name, state, tries, more;
        words >> name >> state >> tries;
        Of of{state == "right", 0};
        const auto [end, error] = std::from_chars(tries.data(), tries.data() + tries.size(), of.tries);
        const bool whole = error == std::errc() && end == tries.data() + tries.size() && of.tries > 0;
        if ((state != "right" && state != "open") || !whole || words >> more) refuse("a name, right or open, and a number");
        out.exercises_[name] = of;
    }
    return out;
}

std::string Progress::text() const {
    std::string out = fmt::format("{}\n", kFirstLine);
    for (const auto& [name, of] : exercises_) out += fmt::format("{} {} {}\n", name, of.right ? "right" : "open", of.tries);
    return out;
}

void Progress::tried(const std::string& name, bool right) {
    Of& of = exercises_[name];
    of.right = of.right || right;
    ++of.tries;
}

Progress::Of Progress::of(const std::string& name) const {
    const auto found = exercises_.find(name);
    return found == exercises_.end() ? Of{} : found->second;
}

int Progress::done(const std::vector<Exercise>& all) const {
    return static_cast<int>(std::ranges::count_if(all, [&](const Exercise& e) { return of(e.name).right; }));
}
const Exercise* Progress::next(const std::vector<Exercise>& all) const {
    const auto open = std::ranges::find_if(all, [&](const Exercise& e) { return !of(e.name).right; });
    return open == all.end() ? nullptr : &*open;
}

}  // namespace gradproof::proof
