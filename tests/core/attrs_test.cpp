// Attributes by name, the registry's lookups, and the untyped call.
#include <gtest/gtest.h>

#include "gradproof/core/registry.hpp"
#include "gradproof/ops/softmax.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::error_of;

TEST(Registry, CallsAnOpByNameWithAttributesByName) {
    const OpEntry& op = registry().find("softmax");
    AnyAttrs attrs = op.default_attrs();
    attrs.set("axis", Index{0});
    attrs.set("temperature", 2.0);
    EXPECT_EQ(attrs.text(), "axis=0, temperature=2");
    const Var<double> x(Tensor<double>::from({2, 1}, {1, 3}));
    const Var<double>* inputs[] = {&x};
    const auto y = call(op.table<double>(), attrs.get(), std::span<const Var<double>* const>(inputs));
    const auto typed = softmax(x.value(), {.axis = 0, .temperature = 2.0});
    EXPECT_EQ(y.value()[0], typed[0]);
    EXPECT_EQ(y.value()[1], typed[1]);
}

TEST(Registry, UnknownNamesGetTheNearestKnownOne) {
    EXPECT_EQ(error_of([] { registry().find("sofmax"); }), "no op named sofmax; did you mean softmax");
    AnyAttrs attrs = registry().find("softmax").default_attrs();
    EXPECT_EQ(error_of([&] { attrs.set("axes", Index{0}); }), "softmax: no attribute named axes; did you mean axis");
    EXPECT_EQ(error_of([&] { attrs.set("axis", std::string("x")); }), "softmax: axis is x, expected an integer");
    EXPECT_EQ(error_of([&] { attrs.set("axis", 0.5); }), "softmax: axis is 0.5, expected an integer");
}

struct Narrow {
    int count = 3;
    float rate = 0.5f;
    static void fields(auto& a, auto&& f) { f("count", a.count), f("rate", a.rate); }
};

TEST(Attrs, MayBeIntAndFloat) {
    Narrow a;
    set_attr("narrow", a, "count", Index{7});
    set_attr("narrow", a, "rate", 0.25);
    EXPECT_EQ(attrs_text(a), "count=7, rate=0.25");
    EXPECT_EQ(std::get<Index>(get_attr("narrow", a, "count")), 7);
    EXPECT_EQ(std::get<double>(get_attr("narrow", a, "rate")), 0.25);
    for (const AttrValue& wrong : {AttrValue(2.5), AttrValue(Index{1} << 40), AttrValue(true)})
        EXPECT_NE(error_of([&] { set_attr("narrow", a, "count", wrong); }).find(", expected an integer"), std::string::npos);
    EXPECT_EQ(a.count, 7);
    set_attr("narrow", a, "count", 8.0);  // as numbers of a derivation are
    set_attr("narrow", a, "rate", Index{2});
    EXPECT_EQ(attrs_text(a), "count=8, rate=2");
    EXPECT_NE(error_of([&] { set_attr("narrow", a, "rate", std::string("x")); }).find("rate is x, expected a number"),
              std::string::npos);
}

TEST(Registry, ANameIsTakenOnce) {
    OpEntry twice = registry().find("softmax");
    EXPECT_THROW(registry().add(twice), ValueError);
}

}  // namespace
}  // namespace gradproof
