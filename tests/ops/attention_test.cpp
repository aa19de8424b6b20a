// Attention: golden values and gradients, options against what they abbreviate, masked positions, dead rows, errors.
#include "gradproof/ops/attention.hpp"

#include <gtest/gtest.h>

#include "gradproof/core/transforms.hpp"
#include "tests/ops/attention_calls.hpp"

namespace gradproof {
namespace {

using namespace attention_test;

struct Golden {
    std::string name;
    AttentionAttrs attrs;
    std::vector<Shape> shapes;        // rank 0: absent
    std::vector<double> projections;  // of y, then of the gradients, each on its own wave
};

const std::vector<Golden>& golden() {
    static const std::vector<Golden> cases{
        {"multi-head",
         {},
         {{2, 3, 4, 5}, {2, 3, 6, 5}, {2, 3, 6, 7}},
         {77.56210121213394, 0.02361360477522541, 0.01994410497642479, -48.28995824918717}},
        {"grouped",
         {.scale = 0.3},
         {{2, 4, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 6}},
         {-2.809679824351604, 4.350132325314688, 4.627434132334349, 4.814771686881142}},
        {"causal",
         {.causal = true},
         {{1, 2, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 6}},
         {8.758229156996885, 0.3478501142402824, -0.2787917708563473, -10.11319597226545}},
        {"soft cap and mask",
         {.scale = 1.5, .softcap = 0.5},
         {{2, 4, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 6}, {4, 3, 5}},
         {-3.548858037778861, -1.423085143622407, 3.984133951699588, 5.761608500162675, -0.3730856938838601}},
        {"short mask",
         {},
         {{2, 4, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 6}, {2, 1, 1, 3}},
         {-6.888932268017687, 4.220408789235178, 4.639184467112777, 7.979422528352312, 0.7000253690405823}},
        {"causal past",
         {.causal = true},
         {{2, 4, 3, 4}, {2, 2, 3, 4}, {2, 2, 3, 6}, {}, {2, 2, 4, 4}, {2, 2, 4, 6}},
         {0.2716380175402411, -3.846254296324867, 0.9578396333852046, 1.208041448529013, 0, -3.333340201316815,
          -2.750049037925229}},
        {"lengths",
         {.causal = true, .kv_len = Tensor<Index>::from({3}, {4, 5, 3})},
         {{3, 2, 3, 4}, {3, 1, 5, 4}, {3, 1, 5, 6}},
         {-1.069972701591627, 2.787332762452636, 6.933322502429246, 6.018044727709515}},
        {"window",
         {.window_left = 2, .window_right = 1},
         {{1, 2, 7, 4}, {1, 2, 6, 4}, {1, 2, 6, 5}},
         {-2.58075640030471, -1.29237305161074, -2.290803411364605, -2.315763325171391}},
        {"everything",
         {.scale = 0.7,
          .causal = true,
          .softcap = 3,
          .window_left = 4,
          .q_heads = 4,
          .kv_heads = 2,
          .bool_mask = Tensor<bool>::from({7}, {true, true, true, false, true, true, true})},
         {{2, 3, 12}, {2, 5, 6}, {2, 5, 10}, {2, 1, 3, 6}, {2, 2, 2, 3}, {2, 2, 2, 5}},
         {4.742560938076792, 1.288077207886315, -0.6193704121271204, 0.06478515592072148, -4.808264478031054, -3.926745466313087,
          -8.763702077374534}},
    };
    return cases;
}

Call call_of(const Golden& g) {
    std::vector<D> x(6);
    for (std::size_t i = 0; i < g.shapes.size(); ++i)
        if (g.shapes[i].rank() > 0) x[i] = wave(g.shapes[i], 1 + static_cast<double>(i));
    Call c{g.attrs, x[0], x[1], x[2], x[3], x[4], x[5], {}};
    c.dy = wave(run<double>(c).y.shape(), 8);
    return c;
}

TEST(Attention, MatchesPyTorchInEveryOption) {
    for (const Golden& g : golden()) {
        SCOPED_TRACE(g.name);
        const Call c = call_of(g);
        const Results r = run<double>(c);
        // Up to 200 products of size 1, each of a number that went through some 50 roundings.
        const double tolerance = 200 * 50 * kEps;
        EXPECT_NEAR(dot(r.y, wave(r.y.shape(), 9)), g.projections[0], tolerance);
        for (std::size_t i = 0; i + 1 < g.projections.size(); ++i) {
            if (!r.gradients[i].defined()) continue;
            const D on = wave(r.gradients[i].shape(), 10 + static_cast<double>(i));
            EXPECT_NEAR(dot(r.gradients[i], on), g.projections[i + 1], tolerance) << "gradient " << i;
        }
    }
}

TEST(Attention, MatchesPyTorchElementByElement) {
    const Golden g{"", {}, {{1, 2, 2, 3}, {1, 1, 4, 3}, {1, 1, 4, 2}, {2, 4}}, {}};
    const Results r = run<double>(call_of(g));
    const double tolerance = 50 * kEps;  // numbers below 1, some 50 roundings
    EXPECT_TRUE(near(r.y,
                     D::from({1, 2, 2, 2}, {0.2989335597431635, 0.3274145186733176, -0.3051162205653154, -0.4000086300586089,
                                            0.2696486753054318, 0.2981343547263808, -0.06031609157484039, -0.3980353119286624}),
                     tolerance));
    EXPECT_TRUE(near(r.gradients[0],
                     D::from({1, 2, 2, 3}, {0.02987463245988174, 0.05332300683370035, 0.03641759271210417, -0.08629265742139036,
                                            -0.02362075352129845, 0.05692686572758328, -0.03487776940196664, 0.007059611025118075,
                                            0.04365441857262037, 0.1285275210974884, 0.08356053883647342, -0.02464339330784851}),
                     tolerance));
    EXPECT_TRUE(near(r.gradients[1],
                     D::from({1, 1, 4, 3}, {-0.09720570204798774, -0.06711018591569939, 0.01377298097259515, -0.1379669251357572,
                                            -0.03456585454732491, 0.09499396563893511, 0.1346912175523939, 0.06854683723779009,
                                            -0.04947242291151961, 0.100481409631351, 0.03312920322523411, -0.05929452370001068}),
                     tolerance));
    EXPECT_TRUE(near(r.gradients[2],
                     D::from({1, 1, 4, 2}, {0.3910671529053623, 0.3630587336873301, -0.03430817679724125, -0.2058806833451723,
                                            0.1938764944269519, 0.2854117450301862, -0.01020905817987952, 0.02224611173876542}),
                     tolerance));
    EXPECT_TRUE(near(r.gradients[3],
                     D::from({2, 4}, {-0.1288275907873266, 0.03382218284470599, 0.1323562159966314, -0.03735080805401096,
                                      -0.04133548482798648, -0.0184639974125882, 0.08508814085124544, -0.0252886586106707}),
                     tolerance));
}

}  // namespace
}  // namespace gradproof
