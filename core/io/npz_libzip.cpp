// .npz archives by libzip, in memory; sizes are judged before anything is unpacked.
#include <zip.h>

#include <algorithm>
#include <memory>
#include <set>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/io/npy.hpp"
#include "gradproof/core/io/npz.hpp"

namespace gradproof {
namespace {

constexpr std::uint64_t kLargestTotal = std::uint64_t{64} << 30;
// Deflate packs at most 1032 bytes into one: a larger ratio is a lie. Small entries may be anything.
constexpr std::uint64_t kLargestRatio = 1100;
constexpr std::uint64_t kSmallEntry = std::uint64_t{64} << 20;
// An archive that grows more than this is refused unless it stays small:
// arrays that pack so well are hardly ever wanted, zip bombs do.
constexpr std::uint64_t kLargestGrowth = 100;
constexpr std::uint64_t kSmallTotal = std::uint64_t{256} << 20;
constexpr std::size_t kSmallestZip = 22;  // the end-of-directory record alone
constexpr std::string_view kSuffix = ".npy";

struct Discard {
    void operator()(zip_t* zip) const { zip_discard(zip); }
    void operator()(zip_file_t* file) const { zip_fclose(file); }
    void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Zip = std::unique_ptr<zip_t, Discard>;
using ZipFile = std::unique_ptr<zip_file_t, Discard>;
using ZipSource = std::unique_ptr<zip_source_t, Discard>;

/// A zip_error_t that is initialised and released.
class Failure {
  public:
    Failure() { zip_error_init(&error_); }
    Failure(const Failure&) = delete;
    Failure& operator=(const Failure&) = delete;
    ~Failure() { zip_error_fini(&error_); }
    zip_error_t* get() { return &error_; }
    std::string text() { return printable(zip_error_strerror(&error_)); }

  private:
    zip_error_t error_;
};

/// Fills `bytes` from an entry.
void read_exactly(zip_file_t* file, std::span<std::byte> bytes, std::string_view where) {
    std::size_t at = 0;
    while (at < bytes.size()) {
        const zip_int64_t n = zip_fread(file, bytes.data() + at, bytes.size() - at);
        if (n < 0) io_error("{}: damaged: {}", where, printable(zip_file_strerror(file)));
        if (n == 0) io_error("{}: cut short: {} bytes are missing", where, bytes.size() - at);
        at += static_cast<std::size_t>(n);
    }
}

/// What the directory of the archive says of one entry, found credible.
zip_stat_t credible_entry(zip_t* zip, zip_uint64_t index, std::string_view where) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(zip, index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded)
        io_error("{}: damaged: {}", where, printable(zip_strerror(zip)));
    if (stat.encryption_method != ZIP_EM_NONE) io_error("{}: is encrypted, expected plain data", where);
    if (stat.size > kLargestTotal) io_error("{}: claims {} bytes, expected at most {}", where, stat.size, kLargestTotal);
    if (stat.size > kSmallEntry && stat.size / kLargestRatio > stat.comp_size)
        io_error("{}: claims {} bytes packed into {}, more than deflate can pack", where, stat.size, stat.comp_size);
    return stat;
}

Array read_entry(zip_t* zip, zip_uint64_t index, std::uint64_t size, std::string_view where) {
    const ZipFile file(zip_fopen_index(zip, index, 0));
    if (!file) io_error("{}: cannot be unpacked: {}", where, printable(zip_strerror(zip)));
    // The header is judged before the rest is given memory.
    std::vector<std::byte> start(std::min<std::uint64_t>(size, detail::kLongestNpyHeader));
    read_exactly(file.get(), start, where);
    const detail::NpyHeader header = detail::parse_npy_header(start, size, where);
    std::vector<std::byte> data(size - header.data_offset);
    const std::size_t had = start.size() - header.data_offset;
    std::copy(start.end() - static_cast<std::ptrdiff_t>(had), start.end(), data.begin());
    read_exactly(file.get(), std::span(data).subspan(had), where);
    std::byte beyond;
    const zip_int64_t n = zip_fread(file.get(), &beyond, 1);  // reading the end verifies the checksum
    if (n < 0) io_error("{}: damaged: {}", where, printable(zip_file_strerror(file.get())));
    if (n > 0) io_error("{}: holds more than the {} bytes it claims", where, size);
    return detail::npy_array(header, std::move(data));
}

}  // namespace

bool has_npz() noexcept { return true; }

std::vector<NamedArray> parse_npz(std::span<const std::byte> bytes, std::string_view name) {
    // libzip takes no bytes at all for an empty archive.
    if (bytes.size() < kSmallestZip)
        io_error("{}: not a .npz file: it has {} bytes, expected at least {}", name, bytes.size(), kSmallestZip);
    Failure failure;
    ZipSource source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, failure.get()));
    if (!source) io_error("{}: cannot be read: {}", name, failure.text());
    const Zip zip(zip_open_from_source(source.get(), ZIP_RDONLY, failure.get()));
    if (!zip) io_error("{}: not a .npz file: {}", name, failure.text());
    static_cast<void>(source.release());  // the archive owns it now

    std::vector<NamedArray> out;
    std::set<std::string> seen;
    std::uint64_t packed = 0, unpacked = 0;
    for (zip_int64_t i = 0; i < zip_get_num_entries(zip.get(), 0); ++i) {
        const auto index = static_cast<zip_uint64_t>(i);
        const char* entry = zip_get_name(zip.get(), index, ZIP_FL_ENC_GUESS);
        if (!entry) io_error("{}: entry {} has no name: {}", name, i, printable(zip_strerror(zip.get())));
        std::string key = entry;
        const std::string where = fmt::format("{}: entry '{}'", name, printable(key));
        const zip_stat_t stat = credible_entry(zip.get(), index, where);
        packed += stat.comp_size;
        unpacked += stat.size;
        if (packed > bytes.size())
            io_error("{}: entries claim {} packed bytes, the file has {}: they overlap", name, packed, bytes.size());
        if (unpacked > kLargestTotal) io_error("{}: entries claim {} bytes, expected at most {}", name, unpacked, kLargestTotal);
        if (unpacked > kSmallTotal && unpacked / kLargestGrowth > bytes.size())
            io_error(
                "{}: {} bytes unpack to {} and more, expected at most {} times as many; save it without compression if it is no "
                "zip bomb",
                name, bytes.size(), unpacked, kLargestGrowth);
        if (key.ends_with(kSuffix)) key.resize(key.size() - kSuffix.size());
        if (!seen.insert(key).second) io_error("{}: there is another array of that name", where);
        out.push_back({key, read_entry(zip.get(), index, stat.size, where)});
    }
    return out;
}

std::vector<std::byte> format_npz(const std::vector<NamedArray>& arrays) {
    Failure failure;
    ZipSource out(zip_source_buffer_create(nullptr, 0, 0, failure.get()));
    if (!out) io_error("npz: cannot be built: {}", failure.text());
    Zip zip(zip_open_from_source(out.get(), ZIP_CREATE | ZIP_TRUNCATE, failure.get()));
    if (!zip) io_error("npz: cannot be built: {}", failure.text());
    zip_source_keep(out.get());  // the archive drops its share when it closes; ours holds the result

    std::vector<std::vector<std::byte>> files;  // must outlive the close that writes them
    std::set<std::string_view> seen;
    for (const NamedArray& a : arrays) {
        if (a.name.empty()) value_error("npz: an array has no name");
        if (!seen.insert(a.name).second) value_error("npz: two arrays are named '{}'", printable(a.name));
        files.push_back(format_npy(a.array));
        ZipSource content(zip_source_buffer(zip.get(), files.back().data(), files.back().size(), 0));
        const zip_int64_t index =
            content ? zip_file_add(zip.get(), (a.name + std::string(kSuffix)).c_str(), content.get(), ZIP_FL_ENC_UTF_8) : -1;
        if (index < 0) value_error("npz: cannot add '{}': {}", printable(a.name), printable(zip_strerror(zip.get())));
        static_cast<void>(content.release());
        const auto at = static_cast<zip_uint64_t>(index);
        constexpr zip_uint16_t kFirstOfJanuary1980 = 1 << 5 | 1;  // a fixed date: the same arrays give the same bytes
        if (zip_set_file_compression(zip.get(), at, ZIP_CM_STORE, 0) != 0 ||
            zip_file_set_dostime(zip.get(), at, 0, kFirstOfJanuary1980, 0) != 0)
            io_error("npz: cannot be built: {}", printable(zip_strerror(zip.get())));
    }
    if (arrays.empty()) {  // libzip writes no empty archive: the end-of-directory record alone is one
        std::vector<std::byte> bytes(kSmallestZip);
        constexpr char kEnd[] = {'P', 'K', 5, 6};
        std::transform(std::begin(kEnd), std::end(kEnd), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
        return bytes;
    }
    if (zip_close(zip.get()) != 0) io_error("npz: cannot be built: {}", printable(zip_strerror(zip.get())));
    static_cast<void>(zip.release());

    zip_stat_t stat;
    if (zip_source_stat(out.get(), &stat) != 0 || zip_source_open(out.get()) != 0)
        io_error("npz: cannot be built: {}", printable(zip_error_strerror(zip_source_error(out.get()))));
    std::vector<std::byte> bytes(stat.size);
    std::uint64_t at = 0;
    while (at < stat.size) {
        const zip_int64_t n = zip_source_read(out.get(), bytes.data() + at, stat.size - at);
        if (n <= 0) io_error("npz: cannot be built: {}", printable(zip_error_strerror(zip_source_error(out.get()))));
        at += static_cast<std::uint64_t>(n);
    }
    zip_source_close(out.get());
    return bytes;
}

}  // namespace gradproof
