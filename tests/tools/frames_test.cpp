// Messages between the program and the process of a plugin: what was written is read, and whatever else comes is refused.
#include "tools/cli/frames.hpp"

#include <gtest/gtest.h>

#include "gradproof/core/random.hpp"

namespace gradproof::cli {
namespace {

using Attrs = std::vector<std::pair<std::string, AttrValue>>;

Attrs all_kinds() {
    return {{"b", true},
            {"i", Index{-3}},
            {"d", 0.5},
            {"s", std::string("none")},
            {"list", std::vector<double>{0, 2}},
            {"ids", Tensor<Index>::from({3}, {2, 0, 1})},
            {"mask", Tensor<bool>::from({1, 2}, {true, false})},
            {"absent", Tensor<Index>()}};
}

std::vector<char> message() {
    Writer out;
    out.put_text("softmax");
    out.put_attrs(all_kinds());
    Arrays<double> arrays;
    const auto x = Tensor<double>::from({2, 3}, {1, 2, 3, 4, 5, 6});
    arrays.put(out, x);
    arrays.put(out, Tensor<double>());
    arrays.put(out, x.reshape({3, 2}));
    arrays.put(out, Tensor<double>(Shape{0, 4}));
    return {out.body().begin(), out.body().end()};
}

std::vector<Tensor<double>> read(const std::vector<char>& bytes) {
    Reader in{Body(bytes)};
    EXPECT_EQ(in.take_text(), "softmax");
    in.take_attrs();
    Arrays<double> arrays;
    std::vector<Tensor<double>> out;
    for (int i = 0; i < 4; ++i) out.push_back(arrays.take(in));
    in.expect_end();
    return out;
}

TEST(Frames, AreReadAsTheyWereWritten) {
    const std::vector<Tensor<double>> x = read(message());
    EXPECT_EQ(x[0].at({1, 2}), 6);
    EXPECT_FALSE(x[1].defined());
    EXPECT_TRUE(x[2].is_view() && x[2].shares_buffer_with(x[0]));
    EXPECT_EQ(x[2].shape(), (Shape{3, 2}));
    EXPECT_EQ(x[3].shape(), (Shape{0, 4}));
    Writer out;
    out.put_attrs(all_kinds());
    const Attrs back = Reader(Body(out.body())).take_attrs();
    for (std::size_t i = 0; i < back.size(); ++i) EXPECT_EQ(detail::text(back[i].second), detail::text(all_kinds()[i].second));
}

TEST(Frames, SayWhatWasChangedSinceTheyWereRead) {
    Writer out;
    Arrays<float> there;
    there.put(out, Tensor<float>::from({2}, {1, 2}));
    Reader in{Body(out.body())};
    Arrays<float> here;
    Tensor<float> x = here.take(in);
    EXPECT_FALSE(here.changed(0));
    x[1] = 3;
    EXPECT_TRUE(here.changed(0));
}

TEST(Frames, AnythingElseIsMalformed) {
    const std::vector<char> whole = message();
    for (std::size_t n = 7; n < whole.size(); ++n)
        EXPECT_THROW(read({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)}), Malformed) << n;
    std::vector<char> longer = whole;
    longer.push_back(0);
    EXPECT_THROW(read(longer), Malformed);
    Random random(5);
    for (int k = 0; k < 20'000; ++k) {  // read or refused, and never more memory than there are bytes
        std::vector<char> other = whole;
        for (int n = 0; n < 3; ++n)
            other[static_cast<std::size_t>(15 + random.below(static_cast<Index>(whole.size()) - 15))] =
                static_cast<char>(random.below(256));
        try {
            read(other);
        } catch (const Malformed&) {
        }
    }
}

}  // namespace
}  // namespace gradproof::cli
