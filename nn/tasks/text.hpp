// A text file as a sequence of token ids. They are read from the file when they are needed, so a large text is never held in
// memory.
//
//   const TextData data("book.txt", {.symbols = TextSymbols::characters});
//   data.vocabulary().encode("In the beginning");
//   std::vector<Index> ids(129);
//   data.read(data.training().begin, ids);           // the first 129 ids
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gradproof/core/tensor.hpp"

namespace gradproof {

/// What one token stands for.
enum class TextSymbols { characters, bytes };
inline constexpr std::array<std::string_view, 2> names(TextSymbols) { return {"characters", "bytes"}; }

/// The symbols that occur in a text, in order of their code. The id of a symbol is its index in that order.
class Vocabulary {
  public:
    Vocabulary() = default;
    /// Errors  ValueError unless the codes increase and are Unicode characters, or bytes.
    Vocabulary(TextSymbols symbols, std::vector<std::uint32_t> codes);
    Index size() const { return static_cast<Index>(codes_.size()); }
    TextSymbols symbols() const { return symbols_; }
    const std::vector<std::uint32_t>& codes() const { return codes_; }
    /// -1 for a symbol that the vocabulary does not hold.
    Index id(std::uint32_t code) const;
    /// Errors  ValueError for a symbol the vocabulary does not hold, and for text that is not UTF-8; both begin with `name`.
    std::vector<Index> encode(std::string_view text, std::string_view name = "text") const;
    std::string decode(std::span<const Index> ids) const;
    /// A symbol as the label of a picture: space, tab and new line as visible signs, control characters and bytes that are not
    /// characters as \x.., and the two codes that XML does not allow as \u....
    std::string label(Index id) const;

  private:
    TextSymbols symbols_ = TextSymbols::characters;
    std::vector<std::uint32_t> codes_;
};

struct TextOptions {
    TextSymbols symbols = TextSymbols::characters;
    double held_out_share = 0.1;    ///< share of the symbols, taken from the end, that is not trained on
    Index held_out_most = 1 << 20;  ///< limit of the number of those symbols
};

/// Symbols [begin, end) of a text.
struct SymbolRange {
    Index begin = 0, end = 0;
    Index size() const { return end - begin; }
};

/// Errors  IoError for a file that is missing, empty, not a regular file, or not UTF-8 with characters, naming the byte;
///         ValueError for a share outside (0, 1) or a held_out_most below 1.
///         Members: ValueError for a span that is not within the text, IoError if the file has changed since it was opened.
class TextData {
  public:
    TextData(const std::filesystem::path& path, const TextOptions& options);
    ~TextData();
    TextData(const TextData&) = delete;
    TextData& operator=(const TextData&) = delete;

    const Vocabulary& vocabulary() const { return vocabulary_; }
    Index symbols() const { return symbols_; }
    Index bytes() const { return bytes_; }
    /// Checksum of all bytes, to recognise the text.
    std::uint64_t checksum() const { return checksum_; }
    SymbolRange training() const { return {0, split_}; }
    SymbolRange held_out() const { return {split_, symbols_}; }
    /// The ids of symbols [at, at + into.size()).
    void read(Index at, std::span<Index> into) const;
    /// The bytes of a span.
    std::string text(const SymbolRange& span) const;
    /// The number of characters in a span, also where the symbols are bytes.
    Index characters(const SymbolRange& span) const;

  private:
    void scan();
    Index byte_of(Index symbol) const;
    void bytes_at(Index at, std::span<char> into) const;
    std::filesystem::path path_;
    TextOptions options_;
    int file_ = -1;
    Vocabulary vocabulary_;
    std::vector<Index> marks_;  ///< for characters: the byte at which every kMark-th one begins
    Index symbols_ = 0, bytes_ = 0, split_ = 0;
    std::uint64_t checksum_ = 0;
};

}  // namespace gradproof
