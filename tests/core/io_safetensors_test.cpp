// .safetensors: the format byte by byte, and every lie a header can tell.
#include <cstring>

#include "gradproof/core/io/safetensors.hpp"
#include "tests/core/io_support.hpp"

namespace gradproof {
namespace {

using namespace testing;

/// A file with this header text and so many zero bytes of data.
Bytes file_with(std::string_view header, std::size_t data = 0) {
    std::string text(8, '\0');
    const std::uint64_t length = header.size();
    std::memcpy(text.data(), &length, 8);
    text += header;
    return bytes_of(text + std::string(data, '\0'));
}
std::string error_of(std::string_view header, std::size_t data = 0) {
    return io_error_text([&] { parse_safetensors(file_with(header, data), "m.safetensors"); });
}

Safetensors example() {
    return {.tensors = {{"mask", counting(DType::boolean, {3})},
                        {"w", counting(DType::f32, {2, 3})},
                        {"\xc3\xa9 \"x\"\n", counting(DType::f64, {2})},
                        {"none", counting(DType::f16, {0, 4})}},
            .metadata = {{"format", "pt"}, {"note", "caf\xc3\xa9"}}};
}

TEST(Safetensors, WritesTheFormatByteForByte) {
    const Bytes bytes = format_safetensors(
        {.tensors = {{"b", Array{DType::u8, {1}, Bytes{std::byte{7}}}}, {"a", Array{DType::i16, {2}, bytes_of("wxyz")}}}});
    const std::string header =
        R"({"a":{"data_offsets":[0,4],"dtype":"I16","shape":[2]},"b":{"data_offsets":[4,5],"dtype":"U8","shape":[1]}})";
    const std::size_t padded = (header.size() + 7) / 8 * 8;
    Bytes expected = file_with(header + std::string(padded - header.size(), ' '));
    for (const char c : std::string("wxyz\7")) expected.push_back(static_cast<std::byte>(c));
    EXPECT_EQ(bytes, expected);
}

TEST(Safetensors, EveryElementTypeRoundTrips) {
    Safetensors all;
    for (const DType dtype : all_dtypes())
        for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 3, 4}, Shape{3, 0, 2}})
            all.tensors.push_back({fmt::format("{}{}", dtype_name(dtype), shape), counting(dtype, shape)});
    const Safetensors back = parse_safetensors(format_safetensors(all), "m");
    ASSERT_EQ(back.tensors.size(), all.tensors.size());
    for (const NamedArray& t : all.tensors) {
        const Array* found = find_array(back.tensors, t.name);
        ASSERT_NE(found, nullptr) << t.name;
        EXPECT_EQ(*found, t.array) << t.name;
    }
}

TEST(Safetensors, KeepsNamesAndMetadata) {
    const Folder folder;
    write_safetensors(folder / "m.safetensors", example());
    const Safetensors back = read_safetensors(folder / "m.safetensors");
    EXPECT_EQ(back.metadata, example().metadata);
    EXPECT_NE(find_array(back.tensors, "\xc3\xa9 \"x\"\n"), nullptr);
    EXPECT_EQ(find_array(back.tensors, "absent"), nullptr);
    EXPECT_EQ(parse_safetensors(format_safetensors({}), "m").tensors.size(), 0u);
}

TEST(Safetensors, AlignsHeaderAndData) {
    const Bytes bytes = format_safetensors(example());
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    EXPECT_EQ(length % 8, 0u);
    const auto tensors = parse_safetensors(bytes, "m").tensors;
    std::size_t at = 0;
    for (const NamedArray& t : tensors) {
        EXPECT_EQ(at % item_size(t.array.dtype), 0u) << t.name;
        at += t.array.data.size();
    }
}

TEST(Safetensors, ReadsHeadersInOtherHands) {
    const auto back =
        parse_safetensors(file_with("{\"b\" : {\"shape\":[1],\"dtype\":\"BOOL\",\"data_offsets\":[4,5],\"more\":1},\n "
                                    "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}  \n",
                                    5),
                          "m");
    EXPECT_EQ(back.tensors[0].name, "a");
    EXPECT_EQ(back.tensors[1].array.dtype, DType::boolean);
}

TEST(Safetensors, NamesEveryLie) {
    struct Case {
        std::string header;
        std::size_t data;
        std::string_view message;
    };
    const Case table[] = {
        {"", 0, "header starts with ''"},
        {"[]", 0, "header starts with '[]', expected '{'"},
        {"{\"a\":", 0, "header is not JSON"},
        {"{\"a\xff\":1}", 0, "header is not JSON"},
        {"{} x", 0, "header is not JSON"},
        {"{\"a\":" + std::string(200000, '[') + std::string(200000, ']') + "}", 0, "nested deeper"},
        {"{" + std::string(), 0, "header is not JSON"},
        {R"({"a":1})", 0, "tensor 'a': is 1, expected an object"},
        {R"({"a":{"dtype":"F32","shape":[1]}})", 4, "has no data_offsets"},
        {R"({"a":{"shape":[1],"data_offsets":[0,4]}})", 4, "has no dtype"},
        {R"({"a":{"dtype":"F7","shape":[1],"data_offsets":[0,1]}})", 1, "dtype is \"F7\", expected one of F16 BF16"},
        {R"({"a":{"dtype":32,"shape":[1],"data_offsets":[0,1]}})", 1, "dtype is 32"},
        {R"({"a":{"dtype":"F32","shape":4,"data_offsets":[0,4]}})", 4, "shape is 4, expected a list"},
        {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4, "shape is [-1], expected sizes from 0"},
        {R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", 4, "shape is [1.0], expected sizes from 0"},
        {R"({"a":{"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,4]}})", 4, "expected sizes from 0"},
        {R"({"a":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,4]}})", 4, "expected sizes from 0"},
        {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,0]}})", 0, "shape is absurd"},
        {R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}})", 4, "rank is 9"},
        {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4, "span 4 bytes, expected 8 for [2] of f32"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4, "data_offsets is [4, 0], expected begin <= end <= 4"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", 4, "data_offsets is [0, 8]"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}})", 4, "data_offsets is [-4,0]"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}})", 4, "expected [begin, end]"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 5, "1 bytes follow the last tensor"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4,
         "tensor 'b': its data overlaps"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})", 12,
         "tensor 'b': its data leaves a hole: it begins at 8, expected 4"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8,
         "the name 'a' twice"},
        {R"({"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4, "the name 'dtype' twice"},
        {R"({"__metadata__":[]})", 0, "__metadata__ is [], expected an object"},
        {R"({"__metadata__":{"step":3}})", 0, "__metadata__ 'step' is 3, expected a string"},
        {"{}", 3, "3 bytes follow the last tensor"},
    };
    for (const Case& c : table) {
        const std::string error = error_of(c.header, c.data);
        EXPECT_TRUE(contains(error, "m.safetensors: "));
        EXPECT_TRUE(contains(error, c.message));
    }
}

TEST(Safetensors, NamesHeaderLengthsThatLie) {
    EXPECT_TRUE(contains(io_error_text([] { parse_safetensors(bytes_of("abc"), "m"); }), "has 3 bytes, expected at least 8"));
    EXPECT_TRUE(contains(io_error_text([] { parse_safetensors(bytes_of(std::string_view("\x09\0\0\0\0\0\0\0{}", 10)), "m"); }),
                         "its length is 9, the file has 2 bytes after it"));
    EXPECT_TRUE(contains(io_error_text([] { parse_safetensors(bytes_of(std::string(64, '\xff')), "m"); }),
                         "header length is 18446744073709551615, expected at most 100000000"));
}

TEST(Safetensors, RefusesToWriteWhatCannotBeRead) {
    const Array a = counting(DType::f32, {1});
    EXPECT_THROW(format_safetensors({.tensors = {{"a", a}, {"a", a}}}), ValueError);
    EXPECT_THROW(format_safetensors({.tensors = {{"__metadata__", a}}}), ValueError);
    EXPECT_THROW(format_safetensors({.tensors = {{"\xff", a}}}), ValueError);
    EXPECT_THROW(format_safetensors({.metadata = {{"k", "\xff"}}}), ValueError);
}

TEST(Safetensors, SurvivesDamage) {
    expect_robust(
        format_safetensors(example()), [](const Bytes& bytes) { parse_safetensors(bytes, "m"); }, 5000);
}

TEST(Safetensors, ReadsManyTensorsInLinearTime) {
    // 100 000 names: a look-up that walks the list would take minutes.
    Safetensors many;
    for (int i = 0; i < 100000; ++i) many.tensors.push_back({"layer." + std::to_string(i), counting(DType::u8, {1})});
    EXPECT_EQ(parse_safetensors(format_safetensors(many), "m").tensors.size(), 100000u);
}

TEST(Safetensors, AReaderWrittenFromTheFormatAgrees) {
    if (const std::string lacks = without_module("numpy"); !lacks.empty()) GTEST_SKIP() << lacks;
    const Folder folder;
    write_safetensors(folder / "m.safetensors",
                      {.tensors = {{"w", from_tensor(Tensor<float>::from({2, 2}, {1.5f, -2.0f, 3.0f, 0.25f}))},
                                   {"ids", from_tensor(Tensor<Index>::from({1}, {-7}))}},
                       .metadata = {{"format", "pt"}}});
    EXPECT_TRUE(accepted(R"(
import json, struct, sys, numpy as np
raw = open(sys.argv[1], 'rb').read()
n, = struct.unpack('<Q', raw[:8])
assert n % 8 == 0
header = json.loads(raw[8:8 + n])
assert header.pop('__metadata__') == {'format': 'pt'}
data = raw[8 + n:]
def tensor(name, code, dtype):
    t = header[name]
    assert t['dtype'] == dtype
    return np.frombuffer(data[slice(*t['data_offsets'])], code).reshape(t['shape'])
assert tensor('w', '<f4', 'F32').tolist() == [[1.5, -2.0], [3.0, 0.25]]
assert tensor('ids', '<i8', 'I64').tolist() == [-7]
assert sorted(t['data_offsets'] for t in header.values()) == [[0, 8], [8, 24]]
)",
                         (folder / "m.safetensors").native()));
}

}  // namespace
}  // namespace gradproof
