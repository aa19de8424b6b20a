// .npz: what NumPy writes is read, what we write NumPy reads, and hostile archives are refused before they unpack.
#include "gradproof/core/io/npy.hpp"
#include "gradproof/core/io/npz.hpp"
#include "tests/core/io_support.hpp"

namespace gradproof {
namespace {

using namespace testing;

void put(Bytes& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i) & 0xFF));
}
void put(Bytes& out, const Bytes& more) { out.insert(out.end(), more.begin(), more.end()); }

std::uint32_t crc32(const Bytes& bytes) {
    std::uint32_t crc = ~0u;
    for (const std::byte b : bytes) {
        crc ^= std::to_integer<std::uint32_t>(b);
        for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

/// One entry of an archive built by hand, so that it can lie.
struct Entry {
    std::string name;
    Bytes content{};
    std::uint64_t flags = 0, method = 0;
    std::uint64_t size = ~0ull, packed = ~0ull;  // as claimed; the truth by default
    bool at_start = false;                       // claims to begin where the first entry does
};

Bytes zip_of(const std::vector<Entry>& entries) {
    Bytes out, directory;
    for (const Entry& e : entries) {
        const std::uint64_t size = e.size == ~0ull ? e.content.size() : e.size;
        const std::uint64_t packed = e.packed == ~0ull ? e.content.size() : e.packed;
        const bool big = size > 0xFFFFFFFE;
        const std::uint64_t offset = e.at_start ? 0 : out.size();
        Bytes common;  // what both headers hold, from the version needed to the length of the name
        put(common, 45, 2);
        put(common, e.flags, 2);
        put(common, e.method, 2);
        put(common, 0x00210000, 4);
        put(common, crc32(e.content), 4);
        put(common, packed, 4);
        put(common, big ? 0xFFFFFFFF : size, 4);
        put(common, e.name.size(), 2);
        put(common, big ? 12 : 0, 2);
        Bytes extra;
        if (big) {
            put(extra, 1, 2);
            put(extra, 8, 2);
            put(extra, size, 8);
        }
        put(out, 0x04034B50, 4);
        put(out, common);
        put(out, bytes_of(e.name));
        put(out, extra);
        put(out, e.content);
        put(directory, 0x02014B50, 4);
        put(directory, 45, 2);
        put(directory, common);
        put(directory, 0, 8);  // comment, disk, attributes
        put(directory, 0, 2);
        put(directory, offset, 4);
        put(directory, bytes_of(e.name));
        put(directory, extra);
    }
    const std::size_t start = out.size();
    put(out, directory);
    put(out, 0x06054B50, 4);
    put(out, 0, 4);
    put(out, entries.size(), 2);
    put(out, entries.size(), 2);
    put(out, directory.size(), 4);
    put(out, start, 4);
    put(out, 0, 2);
    return out;
}

std::string npz_error_of(const Bytes& zip) {
    return io_error_text([&] { parse_npz(zip, "x.npz"); });
}
Bytes small_npy() { return format_npy(counting(DType::f32, {3})); }

class Npz : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!has_npz()) GTEST_SKIP() << "built without libzip: reads no .npz";
    }
};

TEST(NpzWithoutLibzip, IsRefusedInASentence) {
    if (has_npz()) GTEST_SKIP() << "built with libzip";
    EXPECT_TRUE(contains(npz_error_of(small_npy()), "x.npz: cannot be read: this gradproof was built without libzip"));
    EXPECT_TRUE(contains(io_error_text([] { format_npz({}); }), "built without libzip"));
}

TEST_F(Npz, RoundTripsEveryElementType) {
    std::vector<NamedArray> arrays;
    for (const DType dtype : all_dtypes())
        if (is_in_numpy(dtype))
            for (const Shape& shape : {Shape{}, Shape{2, 3}, Shape{0, 4}})
                arrays.push_back({fmt::format("{}{}", dtype_name(dtype), shape), counting(dtype, shape)});
    const Bytes bytes = format_npz(arrays);
    const auto back = parse_npz(bytes, "x.npz");
    ASSERT_EQ(back.size(), arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        EXPECT_EQ(back[i].name, arrays[i].name);
        EXPECT_EQ(back[i].array, arrays[i].array);
    }
    EXPECT_EQ(bytes, format_npz(arrays)) << "the same arrays must give the same bytes";
    EXPECT_TRUE(parse_npz(format_npz({}), "x.npz").empty());
}

TEST_F(Npz, ReadsWhatNumpyWrites) {
    for (const char* name : {"stored.npz", "deflated.npz"}) {
        SCOPED_TRACE(name);
        const auto arrays = read_npz(fixture(name));
        ASSERT_EQ(arrays.size(), 4u);
        const auto q = to_tensor<double>(*find_array(arrays, "q"), "q"), k = to_tensor<double>(*find_array(arrays, "k"), "k");
        EXPECT_EQ(q.shape(), (Shape{2, 3}));
        EXPECT_EQ(k.shape(), (Shape{3, 2}));
        for (Index i = 0; i < 6; ++i) EXPECT_EQ(q[i], k[i]);
        EXPECT_EQ(k[5], 2.5);
        EXPECT_TRUE(to_mask(*find_array(arrays, "mask"), "mask")[3]);
        EXPECT_EQ(find_array(arrays, "scale")->shape, Shape{});
    }
}

TEST_F(Npz, ReadsAnArchiveBuiltByHand) {
    const auto arrays =
        parse_npz(zip_of({{.name = "a", .content = small_npy()}, {.name = "b.npy", .content = small_npy()}}), "x.npz");
    ASSERT_EQ(arrays.size(), 2u);
    EXPECT_EQ(arrays[0].name, "a");
    EXPECT_EQ(arrays[1].name, "b");
    EXPECT_EQ(arrays[1].array, counting(DType::f32, {3}));
}

TEST_F(Npz, RefusesWhatIsNotAnArchiveOfArrays) {
    EXPECT_TRUE(contains(npz_error_of({}), "x.npz: not a .npz file"));
    EXPECT_TRUE(contains(npz_error_of(bytes_of("not a zip at all")), "x.npz: not a .npz file"));
    EXPECT_TRUE(contains(npz_error_of(small_npy()), "x.npz: not a .npz file"));
    EXPECT_TRUE(contains(npz_error_of(zip_of({{.name = "read.me", .content = bytes_of("hello, world")}})),
                         "entry 'read.me': not a .npy file"));
    EXPECT_TRUE(contains(npz_error_of(zip_of({{.name = "folder/"}})), "entry 'folder/': not a .npy file"));
    EXPECT_TRUE(contains(npz_error_of(zip_of({{.name = "a", .content = small_npy()}, {.name = "a.npy", .content = small_npy()}})),
                         "entry 'a.npy': there is another array of that name"));
    EXPECT_TRUE(contains(npz_error_of(zip_of({{.name = "a", .content = small_npy(), .flags = 1}})), "entry 'a': is encrypted"));
    EXPECT_TRUE(
        contains(npz_error_of(zip_of({{.name = "a", .content = small_npy(), .method = 97}})), "entry 'a': cannot be unpacked"));
}

TEST_F(Npz, RefusesAnArchiveThatGrowsAHundredfold) {
    const Bytes content(300'000);
    const auto packed_into = [&](std::uint64_t size) {
        return npz_error_of(zip_of({{.name = "a", .content = content, .method = 8, .size = size}}));
    };
    EXPECT_TRUE(contains(packed_into(300'000'000), "unpack to 300000000 and more, expected at most 100 times"));
    EXPECT_FALSE(contains(packed_into(200'000'000), "zip bomb")) << "small enough, whatever it is packed into";
}

TEST_F(Npz, RefusesBombsBeforeUnpackingThem) {
    const Bytes content = small_npy();
    EXPECT_TRUE(contains(npz_error_of(zip_of({{.name = "a", .content = content, .method = 8, .size = 4'000'000'000}})),
                         "more than deflate can pack"));
    EXPECT_TRUE(contains(npz_error_of(zip_of({{.name = "a", .content = content, .method = 8, .size = std::uint64_t{1} << 40}})),
                         "claims 1099511627776 bytes, expected at most"));
    EXPECT_TRUE(
        contains(npz_error_of(zip_of({{.name = "a", .content = content, .packed = 1'000'000}})), "claim 1000000 packed bytes"));
    // Many names for one piece of data, as in the overlapping bombs.
    std::vector<Entry> overlapping{{.name = "a0", .content = content}};
    for (int i = 1; i < 9; ++i)
        overlapping.push_back({.name = "a" + std::to_string(i), .packed = content.size(), .at_start = true});
    EXPECT_NE(npz_error_of(zip_of(overlapping)), "no error");
    // The shape promises more than the entry has: nothing of that size is allocated.
    const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }";
    Bytes lying = bytes_of(std::string("\x93NUMPY\1\0", 8));
    put(lying, header.size(), 2);
    put(lying, bytes_of(header));
    EXPECT_TRUE(contains(npz_error_of(zip_of({{.name = "a", .content = lying}})),
                         "entry 'a': size does not match the header: data is 0 bytes, expected 8796093022208"));
}

TEST_F(Npz, ChecksTheChecksum) {
    Bytes zip = zip_of({{.name = "a", .content = small_npy()}});
    const std::size_t last_of_data = 30 + 1 + small_npy().size() - 1;
    zip[last_of_data] ^= std::byte{1};
    EXPECT_TRUE(contains(npz_error_of(zip), "entry 'a': damaged: CRC error"));
}

TEST_F(Npz, SurvivesDamage) {
    for (const char* name : {"stored.npz", "deflated.npz"})
        expect_robust(
            read_file(fixture(name)), [](const Bytes& b) { parse_npz(b, "x.npz"); }, 5000);
}

TEST_F(Npz, RefusesToWriteWhatCannotBeRead) {
    const Array a = counting(DType::f32, {1});
    EXPECT_THROW(format_npz({{"a", a}, {"a", a}}), ValueError);
    EXPECT_THROW(format_npz({{"", a}}), ValueError);
    EXPECT_THROW(format_npz({{"\xff", a}}), ValueError);
    EXPECT_THROW(format_npz({{"a", counting(DType::bf16, {1})}}), ValueError);
    const Folder folder;
    EXPECT_TRUE(contains(io_error_text([&] { write_npz(folder / "no/out.npz", {{"a", a}}); }), "cannot write"));
}

TEST_F(Npz, NumpyReadsWhatWeWrite) {
    if (const std::string lacks = without_module("numpy"); !lacks.empty()) GTEST_SKIP() << lacks;
    const Folder folder;
    write_npz(folder / "out.npz", {{"y", from_tensor(Tensor<double>::from({2, 2}, {1, 2, 3, 4.5}))},
                                   {"mask", from_tensor(Tensor<bool>::from({3}, {true, false, true}))},
                                   {"none", from_tensor(zeros<float>({0, 2}))}});
    write_npz(folder / "empty.npz", {});
    EXPECT_TRUE(accepted(R"(
import sys, numpy as np
z = np.load(sys.argv[1] + '/out.npz')
assert z.files == ['y', 'mask', 'none']
assert z['y'].dtype == np.float64 and z['y'].tolist() == [[1, 2], [3, 4.5]]
assert z['mask'].tolist() == [True, False, True]
assert z['none'].shape == (0, 2)
assert np.load(sys.argv[1] + '/empty.npz').files == []
)",
                         (folder / "").native()));
}

}  // namespace
}  // namespace gradproof
