// The .npy format: its header is the text of a Python dictionary, read here by a parser that knows just that much Python.
#include "gradproof/core/io/npy.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"

namespace gradproof {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

/// Reads {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } in any order of keys.
class HeaderParser {
  public:
    HeaderParser(std::string_view text, std::string_view file) : rest_(text), file_(file) {}

    detail::NpyHeader parse() {
        detail::NpyHeader header;
        bool has_descr = false, has_order = false, has_shape = false;
        expect('{', "a dictionary");
        while (!accept('}')) {
            const std::string key = string("a key");
            expect(':', "':' after a key");
            if (key == "descr") {
                once(has_descr, key);
                descr(header);
            } else if (key == "fortran_order") {
                once(has_order, key);
                header.fortran_order = boolean();
            } else if (key == "shape") {
                once(has_shape, key);
                header.shape = shape();
            } else {
                io_error("{}: header has the unknown key '{}', expected descr, fortran_order and shape", file_, printable(key));
            }
            if (!accept(',')) {
                expect('}', "',' or '}'");
                break;
            }
        }
        skip_space();
        if (!rest_.empty()) fail("the end of the header");
        if (!has_descr || !has_order || !has_shape)
            io_error("{}: header lacks the key {}", file_, !has_descr ? "descr" : !has_order ? "fortran_order" : "shape");
        return header;
    }

  private:
    [[noreturn]] void fail(std::string_view expected) const {
        io_error("{}: header is malformed: got '{}', expected {}", file_,
                 printable(rest_.substr(0, rest_.find_first_of(",)")), 24), expected);
    }
    void skip_space() {
        const auto start = rest_.find_first_not_of(" \t\r\n\f");
        rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
    }
    bool accept(char c) {
        skip_space();
        if (rest_.empty() || rest_[0] != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char c, std::string_view what) {
        if (!accept(c)) fail(what);
    }
    void once(bool& seen, std::string_view key) const {
        if (seen) io_error("{}: header has the key {} twice", file_, key);
        seen = true;
    }

    std::string string(std::string_view what) {
        skip_space();
        if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) fail(what);
        const auto end = rest_.find(rest_[0], 1);
        if (end == std::string_view::npos) fail("a closed string");
        const std::string text(rest_.substr(1, end - 1));
        if (text.find('\\') != std::string::npos) fail("a string without escapes");
        rest_.remove_prefix(end + 1);
        return text;
    }

    bool boolean() {
        skip_space();
        for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}})
            if (rest_.substr(0, word.size()) == word) {
                rest_.remove_prefix(word.size());
                return value;
            }
        fail("True or False");
    }

    Index size() {
        skip_space();
        if (!rest_.empty() && rest_[0] == '-') io_error("{}: shape has a negative size: '{}'", file_, printable(rest_, 24));
        if (rest_.empty() || rest_[0] < '0' || rest_[0] > '9') fail("a size");
        Index n = 0;
        while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') {
            if (__builtin_mul_overflow(n, Index{10}, &n) || __builtin_add_overflow(n, Index{rest_[0] - '0'}, &n))
                io_error("{}: shape has a size beyond 64 bits", file_);
            rest_.remove_prefix(1);
        }
        if (!rest_.empty() && rest_[0] == 'L') rest_.remove_prefix(1);  // as Python 2 wrote a long
        return n;
    }

    Shape shape() {
        Shape dims;
        expect('(', "a shape in parentheses");
        bool comma = true;
        while (!accept(')')) {
            if (!comma) fail("',' or ')'");
            if (dims.rank() == kMaxRank) io_error("{}: rank is more than {}, at most {} is supported", file_, kMaxRank, kMaxRank);
            dims.push_back(size());
            comma = accept(',');
        }
        if (dims.rank() == 1 && !comma) fail("a tuple, as (3,)");
        return dims;
    }

    void descr(detail::NpyHeader& header) {
        skip_space();
        if (!rest_.empty() && rest_[0] != '\'' && rest_[0] != '"')
            io_error("{}: element type is structured ({}), expected a plain number", file_, printable(rest_, 24));
        const std::string text = string("an element type");
        const bool ordered = !text.empty() && std::string_view("<>=|").find(text[0]) != std::string_view::npos;
        header.big_endian = ordered && text[0] == '>';
        const auto dtype = plain_type(std::string_view(text).substr(ordered ? 1 : 0));
        if (!dtype)
            io_error("{}: element type is '{}'{}, expected a float of 16, 32 or 64 bits, an integer or bool", file_,
                     printable(text, 24), kind_name(text.size() > (ordered ? 1u : 0u) ? text[ordered ? 1 : 0] : ' '));
        header.dtype = *dtype;
    }

    static std::optional<DType> plain_type(std::string_view code) {
        constexpr std::pair<std::string_view, DType> kCodes[] = {
            {"f2", DType::f16}, {"f4", DType::f32},     {"f8", DType::f64},   {"i1", DType::i8},  {"i2", DType::i16},
            {"i4", DType::i32}, {"i8", DType::i64},     {"u1", DType::u8},    {"u2", DType::u16}, {"u4", DType::u32},
            {"u8", DType::u64}, {"b1", DType::boolean}, {"?", DType::boolean}};
        for (const auto& [name, dtype] : kCodes)
            if (code == name) return dtype;
        return std::nullopt;
    }
    static std::string_view kind_name(char kind) {
        switch (kind) {
            case 'c': return " (complex)";
            case 'O': return " (Python objects)";
            case 'V': return " (structured or raw bytes)";
            case 'S':
            case 'a':
            case 'U': return " (text)";
            case 'M':
            case 'm': return " (time)";
            default: return "";
        }
    }

    std::string_view rest_;
    std::string_view file_;
};

std::uint64_t little_endian(std::span<const std::byte> bytes) {
    std::uint64_t n = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) n = n << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    return n;
}

/// Row-major bytes from column-major ones.
std::vector<std::byte> from_column_major(const std::vector<std::byte>& in, const Shape& shape, std::size_t item) {
    std::vector<std::byte> out(in.size());
    Shape strides = shape;  // of the input, in elements
    Index step = 1;
    for (int a = 0; a < shape.rank(); ++a) {
        strides[a] = step;
        step *= shape[a];
    }
    Shape index = shape;
    std::fill(index.begin(), index.end(), 0);
    Index from = 0;
    for (std::size_t to = 0; to < out.size(); to += item) {
        std::memcpy(out.data() + to, in.data() + static_cast<std::size_t>(from) * item, item);
        for (int a = shape.rank() - 1; a >= 0; --a) {
            from += strides[a];
            if (++index[a] < shape[a]) break;
            from -= strides[a] * shape[a];
            index[a] = 0;
        }
    }
    return out;
}

std::string npy_descr(DType dtype) {
    const std::string_view name = dtype_name(dtype);
    if (!is_in_numpy(dtype)) value_error("npy: element type is {}, which NumPy does not have; write f32 or .safetensors", name);
    return fmt::format("{}{}{}", item_size(dtype) == 1 ? '|' : '<', name[0], item_size(dtype));
}

}  // namespace

namespace detail {

NpyHeader parse_npy_header(std::span<const std::byte> prefix, std::uint64_t total, std::string_view name) {
    const std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
    if (text.substr(0, kMagic.size()) != kMagic)
        io_error("{}: not a .npy file: it starts with '{}', expected '\\x93NUMPY'", name,
                 printable(text.substr(0, kMagic.size())));
    if (text.size() < 10) io_error("{}: the header is cut short: the file has {} bytes, expected at least 10", name, total);
    const int version = static_cast<unsigned char>(text[6]);
    if (version < 1 || version > 3)
        io_error("{}: version is {}.{}, expected 1.0, 2.0 or 3.0", name, version, int{static_cast<unsigned char>(text[7])});
    const std::size_t start = version == 1 ? 10 : 12;
    const std::uint64_t length = text.size() < start ? 0 : little_endian(prefix.subspan(8, start - 8));
    if (text.size() < start || length > total - start)
        io_error("{}: the header is cut short: the file has {} bytes, expected at least {}", name, total, start + length);
    if (length > kLongestNpyHeader - start)
        io_error("{}: the header has {} bytes, expected at most {}", name, length, kLongestNpyHeader - start);

    NpyHeader header = HeaderParser(text.substr(start, length), name).parse();
    header.data_offset = start + length;
    try {
        checked_size(header.shape);
    } catch (const ShapeError& e) {
        io_error("{}: shape is absurd: {}", name, e.what());
    }
    const std::uint64_t expected = static_cast<std::uint64_t>(header.shape.size()) * item_size(header.dtype);
    if (total - header.data_offset != expected)
        io_error("{}: size does not match the header: data is {} bytes, expected {} for {} of {}", name,
                 total - header.data_offset, expected, header.shape, dtype_name(header.dtype));
    return header;
}

Array npy_array(const NpyHeader& header, std::vector<std::byte> data) {
    const std::size_t item = item_size(header.dtype);
    if (header.big_endian && item > 1)
        for (auto at = data.begin(); at != data.end(); at += static_cast<std::ptrdiff_t>(item))
            std::reverse(at, at + static_cast<std::ptrdiff_t>(item));
    if (header.fortran_order && header.shape.rank() > 1) data = from_column_major(data, header.shape, item);
    return {header.dtype, header.shape, std::move(data)};
}

}  // namespace detail

Array parse_npy(std::span<const std::byte> bytes, std::string_view name) {
    const detail::NpyHeader header = detail::parse_npy_header(bytes, bytes.size(), name);
    const auto data = bytes.subspan(header.data_offset);
    return detail::npy_array(header, {data.begin(), data.end()});
}

Array read_npy(const std::filesystem::path& path) { return parse_npy(read_file(path), printable(path.native(), 400)); }

std::vector<std::byte> format_npy(const Array& array) {
    std::string dims;
    for (const Index d : array.shape) dims += fmt::format("{}{}", dims.empty() ? "" : ", ", d);
    if (array.shape.rank() == 1) dims += ",";
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", npy_descr(array.dtype), dims);
    constexpr std::size_t kStart = 10, kAlignment = 64;  // data starts at a multiple of 64, after a newline
    header.append((kAlignment - (kStart + header.size() + 1) % kAlignment) % kAlignment, ' ').push_back('\n');

    std::string start(kMagic);
    start += {'\1', '\0', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
    start += header;
    const auto prefix = std::as_bytes(std::span(start));
    std::vector<std::byte> bytes(prefix.begin(), prefix.end());
    bytes.insert(bytes.end(), array.data.begin(), array.data.end());
    return bytes;
}

void write_npy(const std::filesystem::path& path, const Array& array) { write_file_atomically(path, format_npy(array)); }

}  // namespace gradproof
