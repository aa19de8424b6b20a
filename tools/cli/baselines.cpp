// The baselines of a text: DEFLATE at its best level, and the n-gram model in pieces.
#include "tools/cli/baselines.hpp"

#include <zlib.h>

#include <algorithm>

#include "gradproof/core/errors.hpp"
#include "gradproof/nn/tasks/ngram.hpp"

namespace gradproof::cli {
namespace {

constexpr Index kCountedMost = 1 << 22;  // symbols: seconds
constexpr Index kPiece = 1 << 16;
constexpr std::size_t kEntriesMost = 9 << 19;  // 2^23 places of 16 bytes hold them, and those of one more piece

/// Bytes of the file that `gzip -9` makes of `text`, without a name in its header.
double gzip_bytes(const std::string& text) {
    z_stream z{};
    if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
    std::vector<Bytef> out(deflateBound(&z, static_cast<uLong>(text.size())));
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = out.data();
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    const auto bytes = static_cast<double>(z.total_out);
    deflateEnd(&z);
    return bytes;
}

std::vector<Index> ids_of(const TextData& data, Index begin, Index end) {
    std::vector<Index> ids(static_cast<std::size_t>(end - begin));
    data.read(begin, ids);
    return ids;
}

}  // namespace

Baselines baselines(const TextData& data) {
    Baselines out;
    const SymbolRange held_out = data.held_out(), training = data.training();
    const auto characters = static_cast<double>(data.characters(held_out));
    out.gzip = 8 * gzip_bytes(data.text(held_out)) / characters;
    NgramModel ngram(kNgramOrder, data.vocabulary().size());
    for (Index end = training.end; end > training.begin && out.counted < kCountedMost && ngram.entries() < kEntriesMost;
         end -= kPiece) {
        const Index at = std::max(training.begin, end - kPiece);
        ngram.read(ids_of(data, std::max(training.begin, at - kNgramOrder), at), ids_of(data, at, end));
        out.counted += end - at;
    }
    out.ngram = ngram.bits(ids_of(data, std::max(training.begin, training.end - kNgramOrder), training.end),
                           ids_of(data, held_out.begin, held_out.end)) /
                characters;
    return out;
}

}  // namespace gradproof::cli
