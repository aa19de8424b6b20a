// Sums of products as matrix products.
#include "gradproof/core/proof/language/numpy/contractions.hpp"

#include <algorithm>
#include <set>

#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof::numpy {
namespace {

bool has(const std::string& letters, char c) { return letters.find(c) != std::string::npos; }

/// An array whose axes are called by letters; '1' is one of size 1.
struct Lettered {
    ExprPtr array;
    std::string letters;

    void sum_over(char c) {
        const auto axis = static_cast<double>(letters.find(c));
        array = over_axis("sum", array, axis);
        letters.erase(letters.find(c), 1);
    }
    /// Its axes in that order; those that it has not become axes of size 1.
    void arrange(const std::string& order) {
        std::vector<ExprPtr> places;
        std::string sorted;
        for (const char c : order)
            if (has(letters, c)) {
                places.push_back(number(static_cast<double>(letters.find(c))));
                sorted += c;
            }
        if (sorted != letters) array = call("transpose", array, {{"perm", array_of(places), {}}});
        for (std::size_t i = 0; i < order.size(); ++i)
            if (!has(sorted, order[i])) array = over_axis("expand_dims", array, static_cast<double>(i));
        letters = order;
    }
    void squeeze(char c) {
        array = over_axis("squeeze", array, static_cast<double>(letters.find(c)));
        letters.erase(letters.find(c), 1);
    }
};

bool twice(const std::string& letters) { return std::set<char>(letters.begin(), letters.end()).size() != letters.size(); }

/// The last letter of `of` that is in `result` and not in `other`.
char last_own(const std::string& of, const std::string& other, const std::string& result) {
    for (std::size_t i = of.size(); i-- > 0;)
        if (!has(other, of[i]) && has(result, of[i])) return of[i];
    return '\0';
}

/// `k` is summed over by the matrix product; other letters that the result does not have are summed over after it.
ExprPtr as_matrices(Lettered a, Lettered b, const std::string& result, char k) {
    const char m = last_own(a.letters, b.letters, result), n = last_own(b.letters, a.letters, result);
    std::string batch, summed;
    for (const char c : result)
        if (c != m && c != n) batch += c;
    for (const char c : a.letters)
        if (c != k && !has(result, c)) summed += c;
    batch += summed;
    const std::string row = m == '\0' ? "<" : std::string(1, m), column = n == '\0' ? ">" : std::string(1, n);
    a.arrange(batch + row + k);
    b.arrange(batch + k + column);
    Lettered out{product(a.array, '@', b.array), batch + row + column};
    for (const char c : summed) out.sum_over(c);
    if (m == '\0') out.squeeze('<');
    if (n == '\0') out.squeeze('>');
    out.arrange(result);
    return out.array;
}

}  // namespace

ExprPtr contracted(const std::string& spec, const std::vector<ExprPtr>& arrays) {
    std::string letters = spec;
    std::erase(letters, ' ');
    const std::size_t comma = letters.find(','), arrow = letters.find("->");
    if (arrays.size() != 2 || comma == std::string::npos || arrow == std::string::npos || comma > arrow) return nullptr;
    if (std::ranges::count(letters, ',') != 1) return nullptr;
    Lettered a{arrays[0], letters.substr(0, comma)}, b{arrays[1], letters.substr(comma + 1, arrow - comma - 1)};
    const std::string result = letters.substr(arrow + 2);
    const auto known = [&](char c) { return c >= 'a' && c <= 'z' && (has(a.letters, c) || has(b.letters, c)); };
    if (twice(a.letters) || twice(b.letters) || twice(result) || !std::ranges::all_of(result, known)) return nullptr;
    if (std::max(a.letters.size(), b.letters.size()) < 3) return nullptr;
    for (Lettered* const x : {&a, &b})
        for (const char c : std::string(x->letters))
            if (!has(result, c) && !has(x == &a ? b.letters : a.letters, c)) x->sum_over(c);
    char k = '\0';
    for (const char c : a.letters)
        if (has(b.letters, c) && !has(result, c)) k = c;
    const bool all_small = std::ranges::all_of(a.letters + b.letters, [](char c) { return c >= 'a' && c <= 'z'; });
    return k == '\0' || !all_small ? nullptr : as_matrices(a, b, result, k);
}

std::string letters_of_dot(std::size_t axes_of_a, std::size_t axes_of_b) {
    std::string a, b;
    for (std::size_t i = 0; i + 1 < axes_of_a; ++i) a += static_cast<char>('a' + i);
    for (std::size_t i = 0; i + 1 < axes_of_b; ++i) b += static_cast<char>('m' + i);
    std::string right = b;
    right.insert(b.size() - 1, "z");
    return a + "z," + right + "->" + a + b;
}

}  // namespace gradproof::proof::numpy
