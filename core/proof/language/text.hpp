// The text of a file, and where its stretches come from where it is put together of several texts.
//
//   Text t("forward ...");                                       // one text
//   t.add("Y = X W\n", {.of = "cell 3"});                        // and one more
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gradproof::proof {

struct Text {
    /// Where a stretch begins in what it is taken from.
    struct Origin {
        std::string of{};  ///< "" the file itself, "appendix.tex" one beside it, "cell 3" of a notebook
        int line = 1, column = 1;
        std::size_t offset = 0, utf16 = 0;
        bool code = false;      ///< of a notebook, and not its Markdown
        std::size_t begin = 0;  ///< in the whole
    };
    Text() = default;
    Text(std::string all) : whole(std::move(all)) {}
    Text(const char* all) : whole(all) {}
    void add(std::string_view stretch, Origin origin) {
        origin.begin = whole.size();
        origins.push_back(std::move(origin));
        whole += stretch;
    }
    std::string whole;
    std::vector<Origin> origins;  ///< by where they begin; what stands before the first is of the file itself
};

}  // namespace gradproof::proof
