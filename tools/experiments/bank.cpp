// Experiment 18: one word in two contexts. What attention does to the vector of "bank", in two dimensions that can be drawn.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/random.hpp"
#include "gradproof/ops/arithmetic.hpp"
#include "gradproof/ops/attention.hpp"
#include "gradproof/ops/linear.hpp"
#include "gradproof/ops/reshape.hpp"
#include "gradproof/ops/slice.hpp"
#include "tools/experiments/measure.hpp"
#include "tools/experiments/probe.hpp"
#include "tools/figures/plane.hpp"

namespace gradproof::experiments {
namespace {

constexpr Index kSenses = 2, kOfASense = 3, kPlain = 3, kLength = 5, kWidth = 2;
const std::vector<std::string> kWords = {"bank", "river", "water", "shore", "loan", "money", "account", "the", "of", "near"};

/// Sentences of "bank", one word that tells its sense, and three that do not; the sense is the answer.
Examples sentences(Index rows, Random random) {
    Examples out{Tensor<Index>({rows, kLength}), Tensor<Index>({rows})};
    for (Index r = 0; r < rows; ++r) {
        const Index sense = random.below(kSenses), at = 1 + random.below(kLength - 1);
        out.answers[r] = sense;
        for (Index i = 0; i < kLength; ++i)
            out.ids[r * kLength + i] = i == 0    ? 0
                                       : i == at ? 1 + kOfASense * sense + random.below(kOfASense)
                                                 : 1 + kSenses * kOfASense + random.below(kPlain);
    }
    return out;
}
Index teller(std::span<const Index> sentence) {
    for (std::size_t i = 1; i < sentence.size(); ++i)
        if (sentence[i] <= kSenses * kOfASense) return static_cast<Index>(i);
    return 0;
}

/// How the vector that attention adds is made: by a trained matrix, or as the words themselves are.
enum class Values { trained, words };

/// x + attention(x) in two dimensions; the sense is read from "bank".
class BankModel final : public Learner {
  public:
    BankModel(Values values, std::uint64_t seed)
        : values_(values),
          embedding_(static_cast<Index>(kWords.size()), kWidth, init::normal(0.7)),
          wq_(Shape{kWidth, kWidth}, init::xavier()),
          wk_(Shape{kWidth, kWidth}, init::xavier()),
          wv_(Shape{kWidth, kWidth}, init::xavier()),
          readout_(kWidth, kSenses),
          tree_(*this, seed) {}
    void parameters(auto&& visit) {
        visit("embedding", embedding_), visit("wq", wq_), visit("wk", wk_);
        if (values_ == Values::trained) visit("wv", wv_);
        visit("readout", readout_);
    }
    /// "bank" and the others with what attention adds, [B, T, 2].
    Var<Real> shifted(const Step<Real>& step, const Tensor<Index>& ids) const {
        const Var<Real> x = embedding_.forward(step, ids);
        AttentionAttrs one;
        one.q_heads = one.kv_heads = 1;
        const Var<Real> v = values_ == Values::trained ? linear(x, step(wv_)) : x;
        return add(x, attention(linear(x, step(wq_)), linear(x, step(wk_)), v, one));
    }
    Var<Real> scores(const Step<Real>& step, const Tensor<Index>& ids) const override {
        const Var<Real> bank = slice(shifted(step, ids), {.axis = 1, .start = 0, .stop = 1});
        return readout_.forward(step, reshape(bank, {.shape = {ids.dim(0), kWidth}}));
    }
    ParameterTree<Real>& tree() override { return tree_; }
    const ParameterTree<Real>& tree() const override { return tree_; }

    figures::Place word(Index id) const { return place(embedding_.weight.value, id); }
    figures::Place query(Index id) const { return times(word(id), wq_.value); }
    figures::Place key(Index id) const { return times(word(id), wk_.value); }
    figures::Place value(Index id) const { return values_ == Values::trained ? times(word(id), wv_.value) : word(id); }

  private:
    static figures::Place place(const Tensor<Real>& x, Index row) {
        return {static_cast<double>(x[row * kWidth]), static_cast<double>(x[row * kWidth + 1])};
    }
    static figures::Place times(const figures::Place& x, const Tensor<Real>& w) {
        const figures::Place first = place(w, 0), second = place(w, 1);
        return {x.first * first.first + x.second * second.first, x.first * first.second + x.second * second.second};
    }
    Values values_;
    Embedding<Real> embedding_;
    Parameter<Real> wq_, wk_, wv_;
    Linear<Real> readout_;
    ParameterTree<Real> tree_;
};

/// What attention does to "bank" in one sentence.
struct Shift {
    std::vector<double> weights{};  ///< of the five words
    figures::Place to{};            ///< where "bank" goes
};
Shift shift_of(const BankModel& model, std::span<const Index> sentence) {
    Shift out;
    const figures::Place q = model.query(0);
    double sum = 0;
    for (const Index id : sentence) {
        const figures::Place k = model.key(id);
        out.weights.push_back(std::exp((q.first * k.first + q.second * k.second) / std::sqrt(2.0)));
        sum += out.weights.back();
    }
    out.to = model.word(0);
    for (std::size_t i = 0; i < out.weights.size(); ++i) {
        out.weights[i] /= sum;
        const figures::Place v = model.value(sentence[i]);
        out.to = {out.to.first + out.weights[i] * v.first, out.to.second + out.weights[i] * v.second};
    }
    return out;
}

/// The mean of the words of a sense.
figures::Place centre(const BankModel& model, Index sense) {
    figures::Place out{};
    for (Index i = 0; i < kOfASense; ++i) {
        const figures::Place w = model.word(1 + kOfASense * sense + i);
        out = {out.first + w.first / kOfASense, out.second + w.second / kOfASense};
    }
    return out;
}

/// The numbers that decide, of one seed.
struct Context2d {
    double accuracy = 0, without = 0;  ///< with attention, and where "bank" alone is read
    double weight = 0;                 ///< of the word that tells the sense
    double toward = 0;  ///< share of sentences where the shift points more to the words of its sense than to the others
};
Context2d measure(const BankModel& model, const Examples& test) {
    Context2d out{.accuracy = evaluate(model, test).accuracy};
    const double one = 1 / static_cast<double>(test.count());
    std::array<double, kSenses> count{};
    for (Index r = 0; r < test.count(); ++r) {
        const std::span<const Index> sentence = test.row(r);
        const Shift s = shift_of(model, sentence);
        const figures::Place bank = model.word(0), own = centre(model, test.answers[r]),
                             other = centre(model, 1 - test.answers[r]);
        const auto along = [&](const figures::Place& c) {
            const double x = c.first - bank.first, y = c.second - bank.second;
            return ((s.to.first - bank.first) * x + (s.to.second - bank.second) * y) / std::hypot(x, y);
        };
        out.weight += one * s.weights[static_cast<std::size_t>(teller(sentence))];
        out.toward += along(own) > along(other) ? one : 0;
        count[static_cast<std::size_t>(test.answers[r])] += one;
    }
    // The same vector in every sentence gets the same answer, at best the commoner one.
    out.without = std::max(count[0], count[1]);
    return out;
}

/// A sentence in two planes: where "bank" looks, and what it takes and where it goes.
struct Planes {
    figures::Plane looks, takes;
};
Planes planes_of(const BankModel& model, const std::vector<Index>& sentence, const std::string& text) {
    const Shift s = shift_of(model, sentence);
    const figures::Axis x{.label = "first dimension"}, y{.label = "second dimension"};
    Planes out{{.title = text + ": query and keys",
                .x = x,
                .y = y,
                .kinds = {"", "query of bank", "key, and its weight"},
                .points = {},
                .arrows = {{.to = model.query(0), .label = "q", .kind = 1}},
                .size = 230},
               {.title = text + ": values and shift",
                .x = x,
                .y = y,
                .kinds = {"word", "", "", "value", "shift", "bank in context"},
                .points = {},
                .arrows = {},
                .size = 230}};
    std::vector<Index> seen;
    for (const Index id : sentence) {
        if (std::count(seen.begin(), seen.end(), id) > 0) continue;
        seen.push_back(id);
        const std::string& word = kWords[static_cast<std::size_t>(id)];
        double weight = 0;
        for (std::size_t j = 0; j < sentence.size(); ++j) weight += sentence[j] == id ? s.weights[j] : 0;
        out.looks.arrows.push_back({.to = model.key(id), .label = fmt::format("{} {:.2f}", word, weight), .kind = 2});
        out.takes.points.push_back({.at = model.word(id), .label = word});
        out.takes.arrows.push_back({.to = model.value(id), .label = "v " + word, .kind = 3});
    }
    out.takes.arrows.push_back({.from = model.word(0), .to = s.to, .kind = 4});
    out.takes.points.push_back({.at = s.to, .kind = 5});
    return out;
}

/// The same ends for both planes, so that they can be compared.
void share_ends(figures::Plane& a, figures::Plane& b) {
    for (const auto member : {&figures::Place::first, &figures::Place::second}) {
        double low = INFINITY, high = -INFINITY;
        const auto take = [&](const figures::Place& p) { low = std::min(low, p.*member), high = std::max(high, p.*member); };
        for (const figures::Plane* plane : {&a, &b}) {
            for (const figures::PlanePoint& p : plane->points) take(p.at);
            for (const figures::PlaneArrow& arrow : plane->arrows) take(arrow.from), take(arrow.to);
        }
        const double margin = 0.12 * (high - low) + 0.1;
        for (figures::Plane* plane : {&a, &b}) {
            figures::Axis& axis = member == &figures::Place::first ? plane->x : plane->y;
            axis.low = low - margin, axis.high = high + margin;
        }
    }
}

figures::Figure picture(const BankModel& model, Values values) {
    Planes river = planes_of(model, {0, 7, 8, 7, 1}, "the bank of the river"),
           loan = planes_of(model, {0, 7, 8, 7, 4}, "the bank of the loan");
    share_ends(river.looks, loan.looks);
    share_ends(river.takes, loan.takes);
    return figures::grid(
        fmt::format("One word, two contexts: {}", values == Values::trained ? "W_v trained" : "values are the words"),
        {figures::draw(river.looks), figures::draw(river.takes), figures::draw(loan.looks), figures::draw(loan.takes)}, 2);
}

Result run_bank(const Context& context) {
    Result out;
    Table table{"bank",
                "The sense of \"bank\" from five words, in two dimensions; held-out sentences",
                {"seed", "values", "accuracy", "without attention", "weight on the telling word", "shifts toward its sense"},
                {}};
    std::vector<Context2d> trained, plain;
    for (Index n = 0; n < context.repeats(); ++n)
        for (const Values values : {Values::trained, Values::words}) {
            const std::uint64_t seed = context.repeat(n).seed;
            const Examples examples = sentences(context.pick<Index>(2000, 1000, 64), Random(seed).stream(1800)),
                           test = sentences(400, Random(seed).stream(1801));
            BankModel model(values, seed);
            train(model, examples, {.epochs = context.pick<Index>(60, 40, 1), .rate = 3e-2, .weight_decay = 0.02}, seed);
            const Context2d m = measure(model, test);
            (values == Values::trained ? trained : plain).push_back(m);
            table.rows.push_back({static_cast<Index>(seed), std::string(values == Values::trained ? "trained W_v" : "the words"),
                                  m.accuracy, m.without, m.weight, m.toward});
            if (n > 0) continue;
            out.figures.push_back({values == Values::trained ? "shift" : "shift_of_words", picture(model, values)});
        }
    out.findings = {
        at_most("Without attention \"bank\" has one vector, whatever its context",
                "accuracy of the better constant answer, mean over seeds", estimate(trained, &Context2d::without), 0.6),
        at_least("Attention tells its senses apart, in two dimensions too", "held-out accuracy, mean over seeds",
                 estimate(trained, &Context2d::accuracy), 0.99),
        at_least("... as \"bank\" listens most to the word that tells", "weight of that word among five, mean over seeds",
                 estimate(trained, &Context2d::weight), 0.5),
        at_least("... and its vector shifts toward the words of its sense", "share of sentences, trained W_v, mean over seeds",
                 estimate(trained, &Context2d::toward), 0.95),
        at_least("... where the values are the words themselves", "share of sentences, mean over seeds",
                 estimate(plain, &Context2d::toward), 0.95),
    };
    out.tables.push_back(std::move(table));
    return out;
}

const NewExperiment kExperiment(
    {.number = 18,
     .name = "bank",
     .title = "One word in two contexts",
     .setting =
         "Sentences of \"bank\", a word that tells its sense and three that do not; a model of two dimensions with one attention "
         "layer and a residual path learns the sense, with a trained W_v and with the words themselves as values.",
     .run = run_bank});

}  // namespace

}  // namespace gradproof::experiments
