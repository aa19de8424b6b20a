// Text files: one pass for the vocabulary, the checksum and the byte positions of every 1024th character; then reads by position.
#include "gradproof/nn/tasks/text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/utf8.hpp"

namespace gradproof {
namespace {

constexpr Index kMark = 1024;          // characters from one stored byte position to the next
constexpr Index kPiece = 1 << 18;      // bytes read at once
constexpr Index kMostSymbols = 65536;  // no language has more

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

Vocabulary::Vocabulary(TextSymbols symbols, std::vector<std::uint32_t> codes) : symbols_(symbols), codes_(std::move(codes)) {
    if (codes_.empty()) value_error("vocabulary: no symbols");
    for (std::size_t i = 0; i < codes_.size(); ++i) {
        if (i > 0 && codes_[i] <= codes_[i - 1])
            value_error("vocabulary: codes must rise: {} follows {}", codes_[i], codes_[i - 1]);
        if (symbols == TextSymbols::bytes ? codes_[i] > 255 : !utf8::is_character(codes_[i]))
            value_error("vocabulary: {} is not a {}", codes_[i], symbols == TextSymbols::bytes ? "byte" : "character");
    }
}

Index Vocabulary::id(std::uint32_t code) const {
    const auto at = std::lower_bound(codes_.begin(), codes_.end(), code);
    return at != codes_.end() && *at == code ? at - codes_.begin() : -1;
}

std::vector<Index> Vocabulary::encode(std::string_view text, std::string_view name) const {
    std::vector<Index> out;
    for (std::size_t i = 0; i < text.size();) {
        utf8::Character c{static_cast<unsigned char>(text[i]), 1};
        if (symbols_ == TextSymbols::characters) c = utf8::read(text.substr(i));
        if (c.bytes == 0) value_error("{}: not UTF-8 at byte {}", name, i);
        const Index found = id(c.code);
        if (found < 0)
            value_error("{}: {} at byte {} is not among the {} symbols of the text the model was trained on", name,
                        printable(text.substr(i, c.bytes)), i, size());
        out.push_back(found);
        i += c.bytes;
    }
    return out;
}

std::string Vocabulary::decode(std::span<const Index> ids) const {
    std::string out;
    for (const Index i : ids) {
        if (i < 0 || i >= size()) value_error("vocabulary: id is {}, there are {}", i, size());
        const std::uint32_t code = codes_[static_cast<std::size_t>(i)];
        if (symbols_ == TextSymbols::bytes)
            out += static_cast<char>(code);
        else
            utf8::append(out, code);
    }
    return out;
}

std::string Vocabulary::label(Index i) const {
    const std::uint32_t code = codes_.at(static_cast<std::size_t>(i));
    if (code == ' ') return "␣";
    if (code == '\n') return "⏎";
    if (code == '\t') return "⇥";
    if (code == 0xFFFE || code == 0xFFFF) return fmt::format("\\u{:04x}", code);
    if (code < 32 || (code >= 127 && code < 160) || (symbols_ == TextSymbols::bytes && code > 127))
        return fmt::format("\\x{:02x}", code);
    std::string out;
    utf8::append(out, code);
    return out;
}

TextData::TextData(const std::filesystem::path& path, const TextOptions& options) : path_(path), options_(options) {
    if (!(options.held_out_share > 0 && options.held_out_share < 1))
        value_error("text: the share held out is {}, expected a number between 0 and 1", options.held_out_share);
    if (options.held_out_most < 1)
        value_error("text: at most {} symbols are held out, expected at least 1", options.held_out_most);
    file_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // so that opening a pipe does not wait
    if (file_ < 0) io_error("{}: cannot be read: {}", path.string(), std::generic_category().message(errno));
    try {
        struct stat facts {};
        if (::fstat(file_, &facts) != 0 || !S_ISREG(facts.st_mode))
            io_error("{}: not a file that can be read anywhere: expected a regular file", path.string());
        if (facts.st_size == 0) io_error("{}: empty, expected a text", path.string());
        bytes_ = facts.st_size;
        scan();
    } catch (...) {
        ::close(file_);
        throw;
    }
    const auto share = static_cast<Index>(std::llround(options.held_out_share * static_cast<double>(symbols_)));
    split_ = symbols_ - std::min(share, options.held_out_most);
}

TextData::~TextData() { ::close(file_); }

void TextData::bytes_at(Index at, std::span<char> into) const {
    std::size_t have = 0;
    while (have < into.size()) {
        const ssize_t got = ::pread(file_, into.data() + have, into.size() - have, at + static_cast<Index>(have));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) io_error("{}: cannot be read: {}", path_.string(), std::generic_category().message(errno));
        if (got == 0)
            io_error("{}: ends at byte {}, it had {} when it was opened", path_.string(), at + static_cast<Index>(have), bytes_);
        have += static_cast<std::size_t>(got);
    }
}

void TextData::scan() {
    const bool characters = options_.symbols == TextSymbols::characters;
    std::vector<bool> seen(characters ? 0x110000 : 256);
    std::vector<char> piece(static_cast<std::size_t>(std::min(kPiece, bytes_)) + 4);
    std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
    Index count = 0;
    for (Index at = 0; at < bytes_;) {
        // A character that is cut at the end of a piece is read again as the first of the next piece.
        const auto size = static_cast<std::size_t>(std::min(kPiece, bytes_ - at));
        bytes_at(at, {piece.data(), size});
        const bool last = at + static_cast<Index>(size) == bytes_;
        std::size_t i = 0;
        while (i < size) {
            utf8::Character c{static_cast<unsigned char>(piece[i]), 1};
            if (characters) {
                c = utf8::read({piece.data() + i, size - i});
                if (c.bytes == 0 && !last && size - i < 4) break;
                if (c.bytes == 0)
                    io_error("{}: not UTF-8 at byte {} ({}); bytes as symbols take any file", path_.string(),
                             at + static_cast<Index>(i), printable({piece.data() + i, 1}));
                if (count % kMark == 0) marks_.push_back(at + static_cast<Index>(i));
            }
            seen[c.code] = true;
            for (std::size_t b = 0; b < c.bytes; ++b) hash = (hash ^ static_cast<unsigned char>(piece[i + b])) * 1099511628211ULL;
            i += c.bytes;
            ++count;
        }
        at += static_cast<Index>(i);
    }
    std::vector<std::uint32_t> codes;
    for (std::size_t code = 0; code < seen.size(); ++code)
        if (seen[code]) codes.push_back(static_cast<std::uint32_t>(code));
    if (static_cast<Index>(codes.size()) > kMostSymbols)
        io_error("{}: {} different characters, at most {} can be told apart; take bytes as symbols", path_.string(), codes.size(),
                 kMostSymbols);
    vocabulary_ = Vocabulary(options_.symbols, std::move(codes));
    symbols_ = count;
    checksum_ = hash;
}

Index TextData::byte_of(Index symbol) const {
    if (options_.symbols == TextSymbols::bytes) return symbol;
    if (symbol == symbols_) return bytes_;
    const Index mark = symbol / kMark;
    Index at = marks_[static_cast<std::size_t>(mark)];
    std::array<char, 4 * kMark> piece;
    const auto size = static_cast<std::size_t>(std::min<Index>(static_cast<Index>(piece.size()), bytes_ - at));
    bytes_at(at, {piece.data(), size});
    Index skip = symbol - mark * kMark;
    std::size_t i = 0;
    for (; i < size; ++i)
        if (begins_character(piece[i]) && skip-- == 0) break;
    return at + static_cast<Index>(i);
}

void TextData::read(Index at, std::span<Index> into) const {
    const auto count = static_cast<Index>(into.size());
    if (at < 0 || count > symbols_ - at)
        value_error("text: symbols {} to {} are asked for, there are {}", at, at + count, symbols_);
    if (count == 0) return;
    const Index from = byte_of(at);
    const Index most = options_.symbols == TextSymbols::bytes ? count : std::min(4 * count, bytes_ - from);
    std::array<char, 4096> small;  // so that reading a training window allocates nothing
    std::string large;
    if (most > static_cast<Index>(small.size())) large.resize(static_cast<std::size_t>(most));
    const std::span<char> piece(large.empty() ? small.data() : large.data(), static_cast<std::size_t>(most));
    bytes_at(from, piece);
    std::size_t i = 0;
    for (Index& out : into) {
        utf8::Character c{static_cast<unsigned char>(piece[i]), 1};
        if (options_.symbols == TextSymbols::characters) c = utf8::read(std::string_view(piece.data(), piece.size()).substr(i));
        out = c.bytes == 0 ? -1 : vocabulary_.id(c.code);
        if (out < 0) io_error("{}: has changed since it was opened: byte {}", path_.string(), from + static_cast<Index>(i));
        i += c.bytes;
    }
}

std::string TextData::text(const SymbolRange& span) const {
    if (span.begin < 0 || span.end < span.begin || span.end > symbols_)
        value_error("text: symbols {} to {} are asked for, there are {}", span.begin, span.end, symbols_);
    const Index from = byte_of(span.begin), to = byte_of(span.end);
    std::string out(static_cast<std::size_t>(to - from), '\0');
    bytes_at(from, out);
    return out;
}

Index TextData::characters(const SymbolRange& span) const {
    if (options_.symbols == TextSymbols::characters) return span.size();
    const std::string bytes = text(span);
    return std::max<Index>(1, std::count_if(bytes.begin(), bytes.end(), begins_character));
}

}  // namespace gradproof
