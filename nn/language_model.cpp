// The language model: forward, decoding, and the window that slides when the context is full.
#include "gradproof/nn/language_model.hpp"

#include <algorithm>
#include <cmath>

#include "gradproof/ops/matmul.hpp"

namespace gradproof {
namespace {

void at_least_one(std::string_view name, Index value, Index most = 1'000'000) {
    if (value < 1 || value > most) value_error("language model: {} is {}, expected 1 to {}", name, value, most);
}

const LanguageModelOptions& checked(const LanguageModelOptions& o) {
    validate(o);
    return o;
}
BlockOptions block_options(const LanguageModelOptions& o) {
    return {.channels = o.channels,
            .heads = o.heads,
            .hidden = o.hidden == 0 ? 4 * o.channels : o.hidden,
            .residual_gain = 1 / std::sqrt(2.0 * static_cast<double>(o.layers)),
            .positions = o.positions == PositionKind::rotary  ? HeadPositions::rotary
                         : o.positions == PositionKind::alibi ? HeadPositions::alibi
                                                              : HeadPositions::none};
}

}  // namespace

void validate(const LanguageModelOptions& o) {
    at_least_one("vocabulary", o.vocabulary);
    at_least_one("context", o.context);
    at_least_one("layers", o.layers, 1000);
    at_least_one("heads", o.heads);
    at_least_one("width", o.channels);
    if (o.hidden != 0) at_least_one("hidden", o.hidden);
    if (o.channels % o.heads != 0)
        value_error("language model: heads must divide the width: heads is {}, width is {}", o.heads, o.channels);
}

template <Scalar T>
LanguageModel<T>::Layers::Layers(const LanguageModelOptions& o)
    : embedding(o.vocabulary, o.channels, init::normal(0.02)), norm(o.channels) {
    if (o.positions == PositionKind::learned) learned.emplace(o.context, o.channels);
    if (o.positions == PositionKind::sinusoidal) sinusoidal.emplace(o.context, o.channels);
    blocks.reserve(static_cast<std::size_t>(o.layers));
    for (Index i = 0; i < o.layers; ++i) {
        blocks.emplace_back(block_options(o));
        blocks.back().attention.attrs.causal = true;
    }
}

template <Scalar T>
LanguageModel<T>::LanguageModel(const LanguageModelOptions& options, std::uint64_t seed)
    : options_(checked(options)), layers_(options_), tree_(layers_, seed) {}

template <Scalar T>
Var<T> LanguageModel<T>::embedded(const Step<T>& step, const Tensor<Index>& ids, Index offset) const {
    if (ids.rank() != 2 || ids.dim(1) < 1 || offset + ids.dim(1) > options_.context)
        shape_error("language model: ids must be [B, T] with T from 1 to {}: ids are {}, {} positions stand before them",
                    options_.context, ids.shape(), offset);
    const Var<T> x = layers_.embedding.forward(step, ids);
    if (layers_.learned) return layers_.learned->forward(step, x, offset);
    if (layers_.sinusoidal) return layers_.sinusoidal->forward(step, x, offset);
    return x;
}

template <Scalar T>
Var<T> LanguageModel<T>::readout(const Step<T>& step, const Var<T>& x) const {
    return matmul(layers_.norm.forward(step, x), step(layers_.embedding.weight), {.transpose_b = true});
}

template <Scalar T>
Var<T> LanguageModel<T>::forward(const Step<T>& step, const Tensor<Index>& ids) const {
    Var<T> x = embedded(step, ids, 0);
    for (const Block<T>& block : layers_.blocks) x = block.forward(step, x);
    return readout(step, x);
}

template <Scalar T>
void LanguageModel<T>::attention_weights(const Step<T>& step, const Tensor<Index>& ids,
                                         const std::function<void(const Tensor<T>&)>& visit) const {
    Var<T> x = embedded(step, ids, 0);
    for (const Block<T>& block : layers_.blocks) {
        visit(block.weights(step, x));
        x = block.forward(step, x);
    }
}

template <Scalar T>
std::vector<KeyValueCache<T>> LanguageModel<T>::caches(Index batch) const {
    std::vector<KeyValueCache<T>> out;
    for (const Block<T>& block : layers_.blocks) out.push_back(block.cache(batch, options_.context));
    return out;
}

template <Scalar T>
Tensor<T> LanguageModel<T>::decode(const Step<T>& step, const Tensor<Index>& ids, std::vector<KeyValueCache<T>>& caches) const {
    if (caches.size() != layers_.blocks.size())
        shape_error("language model: one cache a layer is needed: caches are {}, layers are {}", caches.size(),
                    layers_.blocks.size());
    std::vector<std::unique_ptr<CacheRollback<T>>> rollbacks;
    for (KeyValueCache<T>& cache : caches) rollbacks.push_back(std::make_unique<CacheRollback<T>>(cache));
    Tensor<T> x = embedded(step, ids, caches[0].length()).value();
    for (std::size_t i = 0; i < caches.size(); ++i) x = layers_.blocks[i].decode(step, x, caches[i]);
    return readout(step, x).value();
}

template <Scalar T>
Decoder<T>::Decoder(LanguageModel<T>& model, Decoding decoding)
    : model_(model), decoding_(decoding), step_(model.tree()), caches_(model.caches(1)) {
    step_.begin_evaluation();
}

template <Scalar T>
Tensor<T> Decoder<T>::append(std::span<const Index> ids) {
    const auto as_row = [](std::span<const Index> x) { return Tensor<Index>::from({1, static_cast<Index>(x.size())}, x); };
    window_.insert(window_.end(), ids.begin(), ids.end());
    const Tensor<T> scores = decoding_ == Decoding::cached ? model_.decode(step_, as_row(ids), caches_)
                                                           : model_.forward(step_, as_row(window_)).value();
    const Index vocabulary = model_.options().vocabulary;
    return Tensor<T>::from({vocabulary},
                           std::span<const T>(scores.data() + scores.size() - vocabulary, static_cast<std::size_t>(vocabulary)));
}

template <Scalar T>
Tensor<T> Decoder<T>::read(std::span<const Index> ids) {
    if (ids.empty()) value_error("language model: no ids to read");
    for (const Index id : ids)
        if (id < 0 || id >= model_.options().vocabulary)
            value_error("language model: id is {}, expected 0 to {}", id, model_.options().vocabulary - 1);
    const auto context = static_cast<std::size_t>(model_.options().context);
    if (window_.size() + ids.size() <= context) return append(ids);
    // The last half of the context is kept, or all new ids if they are more, up to a whole context.
    std::vector<Index> all = window_;
    all.insert(all.end(), ids.begin(), ids.end());
    const std::size_t keep = std::min(all.size(), std::max(ids.size(), std::max<std::size_t>(1, context / 2)));
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(std::min(keep, context)));
    for (KeyValueCache<T>& cache : caches_) cache.reset();
    window_.clear();
    return append(all);
}

template class LanguageModel<float>;
template class LanguageModel<double>;
template class Decoder<float>;
template class Decoder<double>;

}  // namespace gradproof
