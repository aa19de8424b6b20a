// Conversion between arrays of files and tensors.
#include <cmath>
#include <cstring>

#include "tests/core/io_support.hpp"

namespace gradproof {
namespace {

using namespace testing;

template <class Stored>
Array array_of(DType dtype, const std::vector<Stored>& values) {
    Array a{dtype, {static_cast<Index>(values.size())}, Bytes(values.size() * sizeof(Stored))};
    std::memcpy(a.data.data(), values.data(), a.data.size());
    return a;
}

TEST(IoArray, HalfFloatsAreExact) {
    // 0, -0, 1, -2, largest, smallest normal, smallest and largest subnormal, infinities: from the IEEE 754 binary16 table.
    const auto t = to_tensor<float>(array_of<std::uint16_t>(DType::f16, {0x0000, 0x8000, 0x3C00, 0xC000, 0x7BFF, 0x0400, 0x0001,
                                                                         0x83FF, 0x7C00, 0xFC00, 0x7E00}),
                                    "x");
    EXPECT_EQ(t[0], 0.0f);
    EXPECT_TRUE(std::signbit(t[1]));
    EXPECT_EQ(t[2], 1.0f);
    EXPECT_EQ(t[3], -2.0f);
    EXPECT_EQ(t[4], 65504.0f);
    EXPECT_EQ(t[5], 0x1p-14f);
    EXPECT_EQ(t[6], 0x1p-24f);
    EXPECT_EQ(t[7], -0x1.FF8p-15f);
    EXPECT_EQ(t[8], INFINITY);
    EXPECT_EQ(t[9], -INFINITY);
    EXPECT_TRUE(std::isnan(t[10]));
}

TEST(IoArray, BFloatsAreTheUpperHalfOfFloats) {
    const auto t = to_tensor<double>(array_of<std::uint16_t>(DType::bf16, {0x3F80, 0xC040, 0x7F80, 0x0001}), "x");
    EXPECT_EQ(t[0], 1.0);
    EXPECT_EQ(t[1], -3.0);
    EXPECT_EQ(t[2], INFINITY);
    EXPECT_EQ(t[3], 0x1p-133);
}

TEST(IoArray, IntegersAndBooleansBecomeNumbers) {
    EXPECT_EQ(to_tensor<double>(array_of<std::int8_t>(DType::i8, {-128}), "x")[0], -128.0);
    EXPECT_EQ(to_tensor<double>(array_of<std::uint64_t>(DType::u64, {~0ULL}), "x")[0], 0x1p64);
    EXPECT_EQ(to_tensor<float>(array_of<std::uint8_t>(DType::boolean, {0, 1, 7}), "x")[2], 1.0f);
}

TEST(IoArray, IdsAreIntegersOnly) {
    EXPECT_EQ(to_ids(array_of<std::uint16_t>(DType::u16, {65535}), "x")[0], 65535);
    EXPECT_THROW(to_ids(array_of<std::uint64_t>(DType::u64, {~0ULL}), "x"), ValueError);
    EXPECT_THROW(to_ids(array_of<float>(DType::f32, {1.0f}), "x"), ValueError);
    EXPECT_THROW(to_ids(array_of<std::uint8_t>(DType::boolean, {1}), "x"), ValueError);
}

TEST(IoArray, MasksAreBooleansOnly) {
    const auto mask = to_mask(array_of<std::uint8_t>(DType::boolean, {0, 1, 2}), "x");
    EXPECT_FALSE(mask[0]);
    EXPECT_TRUE(mask[2]);
    EXPECT_THROW(to_mask(array_of<std::uint8_t>(DType::u8, {1}), "x"), ValueError);
}

TEST(IoArray, TensorsRoundTrip) {
    const auto f = Tensor<float>::from({2, 1}, {0.1f, -3.0f});
    EXPECT_EQ(to_tensor<float>(from_tensor(f), "x")[0], 0.1f);
    EXPECT_EQ(from_tensor(f).shape, (Shape{2, 1}));
    EXPECT_EQ(from_tensor(Tensor<Index>::from({1}, {-5})).dtype, DType::i64);
    EXPECT_TRUE(to_mask(from_tensor(Tensor<bool>::from({2}, {false, true})), "x")[1]);
    EXPECT_EQ(from_tensor(zeros<double>({0, 3})).data.size(), 0u);
}

TEST(IoArray, BytesThatDoNotFitAreRefused) {
    EXPECT_THROW(to_tensor<float>(Array{DType::f32, {2}, Bytes(7)}, "x"), ShapeError);
    EXPECT_THROW(to_tensor<float>(Array{DType::f32, {-2}, Bytes(8)}, "x"), ShapeError);
    EXPECT_THROW(to_mask(Array{DType::boolean, {3}, Bytes(2)}, "x"), ShapeError);
}

}  // namespace
}  // namespace gradproof
