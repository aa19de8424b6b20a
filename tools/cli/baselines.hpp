// What a language model is measured against, on the same held-out text.
#pragma once

#include "gradproof/nn/tasks/text.hpp"

namespace gradproof::cli {

inline constexpr int kNgramOrder = 5;

struct Baselines {
    double gzip = 0;   ///< bits a character of `gzip -9` over what is held out
    double ngram = 0;  ///< of an order-5 n-gram model of the training part
    Index counted =
        0;  ///< symbols the n-gram model was counted on: the last of the training part, as many as its table has room for
};
/// Errors  IoError where the text has changed.
Baselines baselines(const TextData& data);

}  // namespace gradproof::cli
