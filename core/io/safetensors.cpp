// The safetensors format, read with every number in its header distrusted.
#include "gradproof/core/io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"

namespace gradproof {
namespace {

using Json = nlohmann::json;  // not ordered_json: its look-ups are linear, and the order comes from the offsets

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;
constexpr std::string_view kMetadata = "__metadata__";

/// "F16", "BF16", ..., "BOOL": their names in these files, in the order of DType.
const std::vector<std::string>& dtype_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (int i = 0; i < kDTypeCount; ++i) {
            out.emplace_back(dtype_name(static_cast<DType>(i)));
            for (char& c : out.back()) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        }
        return out;
    }();
    return names;
}

std::optional<DType> dtype_called(std::string_view name) {
    const auto found = std::ranges::find(dtype_names(), name);
    if (found == dtype_names().end()) return std::nullopt;
    return static_cast<DType>(found - dtype_names().begin());
}

/// Refuses what a JSON library accepts silently: a key twice, and nesting deeper than the format has. A pass of its own,
/// since the library's parser with a callback looks through all siblings after each object.
class HeaderCheck : public nlohmann::json_sax<Json> {
  public:
    explicit HeaderCheck(std::string_view file) : file_(file) {}

    bool start_object(std::size_t) override {
        keys_.emplace_back();
        return deeper();
    }
    bool end_object() override {
        keys_.pop_back();
        return shallower();
    }
    bool start_array(std::size_t) override { return deeper(); }
    bool end_array() override { return shallower(); }
    bool key(std::string& name) override {
        if (!keys_.back().insert(name).second) io_error("{}: header has the name '{}' twice", file_, printable(name));
        return true;
    }
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(std::int64_t) override { return true; }
    bool number_unsigned(std::uint64_t) override { return true; }
    bool number_float(double, const std::string&) override { return true; }
    bool string(std::string&) override { return true; }
    bool binary(Json::binary_t&) override { return true; }
    bool parse_error(std::size_t, const std::string&, const Json::exception& e) override {
        const std::string_view what = e.what();
        const auto reason = what.find("] ");  // after the library's own prefix
        io_error("{}: header is not JSON: {}", file_,
                 printable(reason == std::string_view::npos ? what : what.substr(reason + 2)));
    }

  private:
    bool deeper() {
        constexpr int kDeepest = 3;  // header, tensor, shape
        if (++depth_ > kDeepest) io_error("{}: header is nested deeper than {} levels", file_, kDeepest);
        return true;
    }
    bool shallower() {
        --depth_;
        return true;
    }

    std::string_view file_;
    std::vector<std::set<std::string>> keys_;
    int depth_ = 0;
};

Json parse_header(std::string_view text, std::string_view file) {
    HeaderCheck check(file);
    Json::sax_parse(text, &check);
    return Json::parse(text);
}

/// One tensor's line of the header, checked by itself.
struct Entry {
    std::string name;
    Array array;
    std::uint64_t begin = 0, end = 0;
};

Shape parse_shape(const Json& json, std::string_view where) {
    if (!json.is_array()) io_error("{}: shape is {}, expected a list of sizes", where, printable(json.dump(), 40));
    if (json.size() > static_cast<std::size_t>(kMaxRank))
        io_error("{}: rank is {}, at most {} is supported", where, json.size(), kMaxRank);
    Shape shape;
    for (const Json& size : json) {
        if (!size.is_number_unsigned() || !std::in_range<Index>(size.get<std::uint64_t>()))
            io_error("{}: shape is {}, expected sizes from 0 to 2^63 - 1", where, printable(json.dump(), 80));
        shape.push_back(static_cast<Index>(size.get<std::uint64_t>()));
    }
    try {
        checked_size(shape);
    } catch (const ShapeError& e) {
        io_error("{}: shape is absurd: {}", where, e.what());
    }
    return shape;
}

Entry parse_entry(const std::string& name, const Json& json, std::uint64_t data_size, std::string_view file) {
    const std::string where = fmt::format("{}: tensor '{}'", file, printable(name));
    if (!json.is_object())
        io_error("{}: is {}, expected an object with dtype, shape and data_offsets", where, printable(json.dump(), 40));
    for (const char* key : {"dtype", "shape", "data_offsets"})
        if (!json.contains(key)) io_error("{}: has no {}", where, key);

    Entry entry;
    entry.name = name;
    const Json& dtype = json["dtype"];
    const auto known = dtype.is_string() ? dtype_called(dtype.get_ref<const std::string&>()) : std::nullopt;
    if (!known)
        io_error("{}: dtype is {}, expected one of {}", where, printable(dtype.dump(), 40), fmt::join(dtype_names(), " "));
    entry.array.dtype = *known;
    entry.array.shape = parse_shape(json["shape"], where);

    const Json& offsets = json["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned())
        io_error("{}: data_offsets is {}, expected [begin, end]", where, printable(offsets.dump(), 80));
    entry.begin = offsets[0].get<std::uint64_t>();
    entry.end = offsets[1].get<std::uint64_t>();
    if (entry.begin > entry.end || entry.end > data_size)
        io_error("{}: data_offsets is [{}, {}], expected begin <= end <= {}, the bytes of data in the file", where, entry.begin,
                 entry.end, data_size);
    const std::uint64_t expected = static_cast<std::uint64_t>(entry.array.shape.size()) * item_size(*known);
    if (entry.end - entry.begin != expected)
        io_error("{}: data_offsets span {} bytes, expected {} for {} of {}", where, entry.end - entry.begin, expected,
                 entry.array.shape, dtype_name(*known));
    return entry;
}

std::map<std::string, std::string> parse_metadata(const Json& json, std::string_view file) {
    if (!json.is_object()) io_error("{}: {} is {}, expected an object of strings", file, kMetadata, printable(json.dump(), 40));
    std::map<std::string, std::string> metadata;
    for (const auto& [key, value] : json.items()) {
        if (!value.is_string())
            io_error("{}: {} '{}' is {}, expected a string", file, kMetadata, printable(key), printable(value.dump(), 40));
        metadata[key] = value.get<std::string>();
    }
    return metadata;
}

}  // namespace

Safetensors parse_safetensors(std::span<const std::byte> bytes, std::string_view name) {
    if (bytes.size() < kLengthBytes)
        io_error("{}: not a .safetensors file: it has {} bytes, expected at least {}", name, bytes.size(), kLengthBytes);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), kLengthBytes);
    const std::uint64_t after_length = bytes.size() - kLengthBytes;
    if (length > kLongestHeader)
        io_error("{}: not a .safetensors file: header length is {}, expected at most {}", name, length, kLongestHeader);
    if (length > after_length)
        io_error("{}: the header is cut short: its length is {}, the file has {} bytes after it", name, length, after_length);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length);
    if (text.empty() || text[0] != '{')
        io_error("{}: header starts with '{}', expected '{{'", name, printable(text.substr(0, 8)));
    const auto data = bytes.subspan(kLengthBytes + length);

    const Json header = parse_header(text, name);
    Safetensors out;
    std::vector<Entry> entries;
    for (const auto& [key, value] : header.items()) {
        if (key == kMetadata)
            out.metadata = parse_metadata(value, name);
        else
            entries.push_back(parse_entry(key, value, data.size(), name));
    }

    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
    std::uint64_t at = 0;
    for (Entry& e : entries) {
        if (e.begin != at)
            io_error("{}: tensor '{}': its data {}: it begins at {}, expected {}", name, printable(e.name),
                     e.begin < at ? "overlaps another" : "leaves a hole", e.begin, at);
        at = e.end;
        const auto part = data.subspan(e.begin, e.end - e.begin);
        e.array.data.assign(part.begin(), part.end());
        out.tensors.push_back({std::move(e.name), std::move(e.array)});
    }
    if (at != data.size()) io_error("{}: {} bytes follow the last tensor, expected none", name, data.size() - at);
    return out;
}

Safetensors read_safetensors(const std::filesystem::path& path) {
    return parse_safetensors(read_file(path), printable(path.native(), 400));
}

std::vector<std::byte> format_safetensors(const Safetensors& contents) {
    std::vector<const NamedArray*> order;
    for (const NamedArray& t : contents.tensors) order.push_back(&t);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return item_size(a->array.dtype) > item_size(b->array.dtype); });

    std::uint64_t at = 0;
    std::set<std::string_view> seen;
    std::string text = "{";
    const auto member = [&](std::string_view key, const Json& value) {
        try {
            text += fmt::format("{}{}:{}", text.size() > 1 ? "," : "", Json(key).dump(), value.dump());
        } catch (const Json::exception&) {
            value_error("safetensors: not UTF-8: '{}' or its value", printable(key));
        }
    };
    if (!contents.metadata.empty()) member(kMetadata, contents.metadata);
    for (const NamedArray* t : order) {
        if (t->name == kMetadata) value_error("safetensors: a tensor is named {}, which is reserved", kMetadata);
        if (!seen.insert(t->name).second) value_error("safetensors: two tensors are named '{}'", printable(t->name));
        const std::uint64_t end = at + t->array.data.size();
        member(t->name, {{"dtype", dtype_names()[static_cast<std::size_t>(t->array.dtype)]},
                         {"shape", std::vector<Index>(t->array.shape.begin(), t->array.shape.end())},
                         {"data_offsets", {at, end}}});
        at = end;
    }
    text += "}";
    text.append((8 - text.size() % 8) % 8, ' ');

    const std::uint64_t length = text.size();
    std::vector<std::byte> bytes(kLengthBytes + text.size() + at);
    std::memcpy(bytes.data(), &length, kLengthBytes);
    std::memcpy(bytes.data() + kLengthBytes, text.data(), text.size());
    std::byte* to = bytes.data() + kLengthBytes + text.size();
    for (const NamedArray* t : order) to = std::copy(t->array.data.begin(), t->array.data.end(), to);
    return bytes;
}

void write_safetensors(const std::filesystem::path& path, const Safetensors& contents) {
    write_file_atomically(path, format_safetensors(contents));
}

}  // namespace gradproof
