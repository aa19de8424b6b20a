// Sizes that lines make equal, by union and find.
//
//   SizeClasses sizes;
//   const int a = sizes.fresh(), b = sizes.named("n");
//   sizes.join(a, b);                        // false where two names, or two numbers, would be one size
#pragma once

#include <string>
#include <vector>

namespace gradproof::proof {

class SizeClasses {
  public:
    int fresh() { return add(""); }
    /// The same one for each name.
    int named(const std::string& name) {
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (names_[i] == name) return root(static_cast<int>(i));
        return add(name);
    }
    bool join(int a, int b) {
        a = root(a), b = root(b);
        if (a == b) return true;
        if (!names_[at(a)].empty() && !names_[at(b)].empty()) return false;
        if (names_[at(a)].empty()) std::swap(a, b);
        if (frozen_ && (names_[at(a)].empty() || is_joined(a))) return false;
        parents_[at(b)] = a;
        return true;
    }
    bool are_same(int a, int b) const { return root(a) == root(b); }
    /// "" of one without a name.
    const std::string& name(int a) const { return names_[at(root(a))]; }
    int root(int a) const {
        while (parents_[at(a)] != a) a = parents_[at(a)];
        return a;
    }
    bool is_named_somewhere(const std::string& name) const {
        for (const std::string& n : names_)
            if (n == name) return true;
        return false;
    }
    /// From here on, sizes that are two stay two, but for a name that is the size of nothing so far.
    void freeze() { frozen_ = true; }

  private:
    bool is_joined(int a) const {
        for (std::size_t i = 0; i < parents_.size(); ++i)
            if (static_cast<int>(i) != a && root(static_cast<int>(i)) == a) return true;
        return false;
    }
    static std::size_t at(int a) { return static_cast<std::size_t>(a); }
    int add(std::string name) {
        parents_.push_back(static_cast<int>(parents_.size()));
        names_.push_back(std::move(name));
        return parents_.back();
    }
    std::vector<int> parents_;
    std::vector<std::string> names_;
    bool frozen_ = false;
};

}  // namespace gradproof::proof
