// .npy: what NumPy writes is read, what we write NumPy reads, and damage is named.
#include <cmath>

#include "gradproof/core/io/npy.hpp"
#include "tests/core/io_support.hpp"

namespace gradproof {
namespace {

using namespace testing;

/// A version 1 file with this header text and so many zero bytes of data.
Bytes npy_with(std::string_view header, std::size_t data = 0) {
    std::string text = "\x93NUMPY";
    text += {'\1', '\0', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
    text += header;
    return bytes_of(text + std::string(data, '\0'));
}
std::string npy_error_of(std::string_view header, std::size_t data = 0) {
    return io_error_text([&] { parse_npy(npy_with(header, data), "x.npy"); });
}

TEST(Npy, EveryElementTypeRoundTrips) {
    for (const DType dtype : all_dtypes())
        for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 3, 4}, Shape{3, 0, 2}, Shape{1, 1, 1, 1, 1, 1, 1, 2}}) {
            SCOPED_TRACE(std::string(dtype_name(dtype)) + shape.str());
            const Array a = counting(dtype, shape);
            if (!is_in_numpy(dtype)) {
                EXPECT_THROW(format_npy(a), ValueError);
                continue;
            }
            const Bytes bytes = format_npy(a);
            EXPECT_EQ((bytes.size() - a.data.size()) % 64, 0u);
            EXPECT_EQ(parse_npy(bytes, "x.npy"), a);
        }
}

TEST(Npy, ReadsWhatNumpyWrites) {
    // See make_io_fixtures.py: 0, 1, 2, ... in row-major order, halves for floats, every third true for bool.
    int read = 0;
    for (const auto& entry : std::filesystem::directory_iterator(fixture(""))) {
        const std::string name = entry.path().filename().native();
        if (name.find("_c.npy") == std::string::npos && name.find("_fortran.npy") == std::string::npos) continue;
        SCOPED_TRACE(name);
        const Array a = read_npy(entry.path());
        const auto t = to_tensor<double>(a, name);
        EXPECT_EQ(t.shape(), (Shape{2, 3, 4}));
        const bool is_float = dtype_name(a.dtype)[0] == 'f';
        for (Index i = 0; i < t.size(); ++i) {
            const double counted = static_cast<double>(i);
            EXPECT_EQ(t[i], is_float ? 0.5 * counted : a.dtype == DType::boolean ? double(i % 3 == 0) : counted);
        }
        ++read;
    }
    EXPECT_EQ(read, 38);
}

TEST(Npy, ReadsShapesAtTheEdges) {
    EXPECT_EQ(to_tensor<double>(read_npy(fixture("scalar.npy")), "x").item(), 2.5);
    EXPECT_EQ(read_npy(fixture("empty.npy")).shape, (Shape{3, 0, 2}));
    EXPECT_EQ(read_npy(fixture("vector.npy")).shape, Shape{5});
    const auto t = to_tensor<double>(read_npy(fixture("rank8.npy")), "x");
    EXPECT_EQ(t.shape(), (Shape{1, 2, 1, 3, 1, 2, 1, 2}));
    for (Index i = 0; i < t.size(); ++i) EXPECT_EQ(t[i], 0.5 * static_cast<double>(i));
}

TEST(Npy, ReadsVersions2And3) {
    EXPECT_EQ(to_tensor<double>(read_npy(fixture("version2.npy")), "x")[5], 2.5);
    EXPECT_EQ(to_tensor<double>(read_npy(fixture("version3.npy")), "x")[5], 2.5);
}

TEST(Npy, ReadsSpecialHalfFloats) {
    const auto t = to_tensor<double>(read_npy(fixture("special.npy")), "x");
    EXPECT_TRUE(std::isnan(t[0]));
    EXPECT_EQ(t[1], INFINITY);
    EXPECT_EQ(t[2], -INFINITY);
    EXPECT_TRUE(std::signbit(t[3]));
    EXPECT_EQ(t[4], 0x1p-24);
    EXPECT_EQ(t[5], -0x1p-24);
    EXPECT_EQ(t[6], 65504.0);
}

TEST(Npy, ReadsHeadersInOtherHands) {
    const auto shape = [](std::string_view header, std::size_t data) { return parse_npy(npy_with(header, data), "x").shape; };
    EXPECT_EQ(shape("{\"shape\":(2L,3L),\"fortran_order\":True,\"descr\":\"=f4\"}", 24), (Shape{2, 3}));
    EXPECT_EQ(shape("{ 'descr' : 'f8' ,\t'fortran_order':False,'shape':( 2 , ) }\n\n", 16), Shape{2});
    EXPECT_EQ(shape("{'descr': '?', 'fortran_order': False, 'shape': (), }", 1), Shape{});
}

TEST(Npy, NamesElementTypesItDoesNotTake) {
    const std::pair<const char*, const char*> table[] = {{"bad_complex.npy", "'<c16' (complex)"},
                                                         {"bad_object.npy", "'|O' (Python objects)"},
                                                         {"bad_structured.npy", "element type is structured"},
                                                         {"bad_text.npy", "'<U2' (text)"},
                                                         {"bad_time.npy", "'<M8[D]' (time)"},
                                                         {"bad_longdouble.npy", "'<f16', expected a float of 16, 32 or 64"},
                                                         {"bad_raw.npy", "'|V2' (structured or raw bytes)"}};
    for (const auto& [name, message] : table) {
        const std::string error = io_error_text([&, file = name] { read_npy(fixture(file)); });
        EXPECT_TRUE(contains(error, name));
        EXPECT_TRUE(contains(error, message));
    }
}

TEST(Npy, NamesWhatIsWrongWithAHeader) {
    EXPECT_TRUE(contains(io_error_text([] { parse_npy(bytes_of("PK\3\4 some zip"), "x.npy"); }), "x.npy: not a .npy file"));
    EXPECT_TRUE(contains(io_error_text([] { parse_npy(bytes_of(std::string_view("\x93NUMPY\7\0\0\0", 10)), "x.npy"); }),
                         "version is 7.0"));
    const std::pair<std::string_view, std::string_view> table[] = {
        {"", "expected a dictionary"},
        {"{", "expected a key"},
        {"[1, 2]", "expected a dictionary"},
        {"{'descr': '<f4'}", "lacks the key fortran_order"},
        {"{'descr': '<f4', 'fortran_order': False}", "lacks the key shape"},
        {"{'descr': '<f4', 'descr': '<f4'}", "the key descr twice"},
        {"{'colour': 1}", "unknown key 'colour'"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", "expected True or False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "expected a shape in parentheses"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3)}", "expected a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3 4)}", "expected ',' or ')'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,", "expected a size"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", "negative size"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}", "expected ',' or ')'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "beyond 64 bits"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "shape is absurd"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "rank is more than 8"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} extra", "expected the end of the header"},
        {"{'descr': '<f4", "expected a closed string"},
        {"{'descr': '', 'fortran_order': False, 'shape': ()}", "element type is ''"},
        {"{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': ()}", "structured"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", "data is 0 bytes, expected 12 for [3] of f32"},
        {std::string_view("\0\0\0", 3), "expected a dictionary"},
    };
    for (const auto& [header, message] : table) EXPECT_TRUE(contains(npy_error_of(header), message)) << header;
    EXPECT_TRUE(
        contains(npy_error_of("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 5), "data is 5 bytes, expected 4"));
}

TEST(Npy, SurvivesDamage) {
    for (const char* name : {"little_f4_fortran.npy", "big_i8_c.npy", "version2.npy"}) {
        const Bytes good = read_file(fixture(name));
        expect_robust(
            good, [](const Bytes& bytes) { parse_npy(bytes, "x.npy"); }, 5000);
    }
}

TEST(Npy, SurvivesGarbageAfterTheMagic) {
    Random rng(7);
    for (int i = 0; i < 10000; ++i) {
        std::string header;
        // Pieces of good headers in a bad order reach further into the parser than random bytes do.
        constexpr std::string_view kPieces[] = {
            "{",    "}", "'descr'", "'shape'", "'fortran_order'", ":", ",", "(", ")", "3", "'<f4'",
            "True", " ", "\"",      "-",       "9999999999",      "L", "\\"};
        for (Index n = rng.below(20); n > 0; --n) header += kPieces[rng.below(std::size(kPieces))];
        io_error_text([&] { parse_npy(npy_with(header, 4), "x.npy"); });
    }
}

TEST(Npy, NumpyReadsWhatWeWrite) {
    if (const std::string lacks = without_module("numpy"); !lacks.empty()) GTEST_SKIP() << lacks;
    const Folder folder;
    std::string arguments;
    for (const DType dtype : all_dtypes()) {
        if (!is_in_numpy(dtype)) continue;
        for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 3, 4}, Shape{3, 0, 2}}) {
            const std::string name = fmt::format("{}_{}.npy", dtype_name(dtype), shape.rank());
            write_npy(folder / name, counting(dtype, shape));
            arguments += " " + (folder / name).native();
        }
    }
    EXPECT_TRUE(accepted(R"(
import sys, numpy as np
for path in sys.argv[1:]:
    name, rank = path.split('/')[-1][:-4].split('_')
    a = np.load(path)
    kind = {'f': 'float', 'i': 'int', 'u': 'uint', 'b': 'bool'}[name[0]] + name[1:].replace('ool', '')
    assert a.dtype == np.dtype(kind), (path, a.dtype)
    assert a.shape == {0: (), 1: (5,), 3: (3, 0, 2) if a.size == 0 else (2, 3, 4)}[int(rank)], (path, a.shape)
    i = np.arange(a.nbytes)
    expected = (i % 2 if name == 'bool' else (i * 37 + 1) % 256).astype(np.uint8)
    assert a.tobytes() == expected.tobytes(), path
)",
                         arguments));
}

}  // namespace
}  // namespace gradproof
