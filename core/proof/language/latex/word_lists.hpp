// Words of sentences and headings that say nothing which formulas do not, separated by blanks; each list ends with one.
#pragma once

#include <string_view>

namespace gradproof::proof::latex {

/// What values are called: "the weights $W$". No words for operations (sum, twice), for conditions on values (fixed, zero), for
/// what is not (no, instead), nor names of methods (dropout).
inline constexpr std::string_view kThings =
    "action actions activation activations attention batch batches bias biases block blocks cell channel channels class "
    "classes context covariance data delta density design direction document documents eigenvalue embedding embeddings error "
    "errors feature features filter filters gain head heads hidden image images input inputs item items kernel kernels key "
    "keys kronecker label labels language layer layers likelihood link logit logits margin memory minibatch minibatches net "
    "neuron neurons nonlinearity observation observations output outputs pair pairs parameter parameters point points policies "
    "policy position positions pre preactivation preactivations precision predicted prediction predictions preference "
    "preferences preferred probabilities probability projection projections prompt queries query rate rating ratings "
    "recurrence recurrent recursion reference rejected residual residuals response responses reward rewards sample samples "
    "score scores sequence sequences slope states statistics step steps stride student target targets teacher temperature time "
    "token tokens training true unit units user users vocabulary weight weights word words ";

/// Of headings: names of models and losses that formulas spell out, and words for parts of a text. No words for what is done to
/// values or gradients (averaged, negative, stopped), and no names of losses that differ from others by a term (ridge, huber).
inline constexpr std::string_view kTitles =
    "a adapter adapters adversarial affine algebra all an analysis and appendix approximation assignment at auto autoencoder "
    "autoencoders back background backprop backpropagate backpropagating backpropagation backward backwards based basics "
    "between binary by calculation calculus cbow case cases chain chapter cholesky classifier collaborative column columns "
    "commutators "
    "compact component components computation computing connected contrastive corollary cost cross decoder decoders deep "
    "definition definitions derivation derivations derivative derivatives derive deriving detail details differences "
    "differential differentials differentiating differentiation dimension distillation distribution do does dot down dpo dual "
    "efficient elbo element elements elman encoder encoders energy entries entry equations euclidean example examples exercise "
    "exercises explicit expression expressions factorisation factorization family feed feedback feedforward figure filtering "
    "first flow focal for form formula formulas forward four from full fully function functions gated gaussian gaussians "
    "generalised generalized global glove gp gradient gradients gram gru hadamard hand hessian hessians heteroscedastic "
    "homework hyperparameter hyperparameters identities ii iii implicit in index inference infonce intermediate into "
    "introduction its iv jacobian jacobians jordan knowledge learning least lecture lemma length level line linear lines ln "
    "log lookup lora loss losses low lstm map mapping maps marginal matching mathematical matrices matrix maximum method "
    "methods mini mixture mixtures mode model models more multi multinomial multivariate naive need network networks neural "
    "noise non nonlinear norm normalisation normalization norms notation objective objectives of on one optimisation "
    "optimization our outer page part particular pass passes path paths perceptron perceptrons pooling post practice preceding "
    "preliminaries primal problem process processes product products proof propagating propagation proposition qk quadratic "
    "quantities question questions rank ratios real recap recommendation reconstruction references regression related relative "
    "relatives remark reparametrisation reparametrised reparametrization respect result results risk rmsnorm robust row rows "
    "rule rules sampling scalar scalars second section self sensitivities setting setup several sheet short simple "
    "simplification single skip smooth solution solutions some space special squares standard statement subsection summary "
    "supplement supplementary swiglu symmetric system table tables task temporal tensor tensors term terms the theorem three "
    "through to top trick triplet triplets two type univariate unrolled unrolling up useful using value values variable "
    "variables variant variants variational vector vectors vi via warm week what with word2vec work worked you ";

/// Names of models and losses, and of what formulas are summed over: where a heading has one of these, formulas below it are of
/// that.
inline constexpr std::string_view kTopics =
    "autoencoder autoencoders batch batches bernoulli binary categorical cbow classification classifier contrastive "
    "distillation dpo elbo encoder factorisation factorization feedforward focal gated gaussian gaussians glove gru "
    "heteroscedastic infonce linear lora lstm minibatch minibatches mixture mixtures mlp multi multiclass "
    "multinomial normalisation normalization perceptron perceptrons policy pooling ppo regression rmsnorm rnn rnns robust "
    "skip swiglu triplet vae variational word2vec ";
/// What a loss may be summed over, or a model may have one of, and formulas say nothing of: "for $n$ examples", "with the
/// residual".
inline constexpr std::string_view kAdded =
    "activation activations batch batches bias biases channel channels example examples gain head heads item items margin "
    "margins minibatch minibatches neuron neurons nonlinearity observation observations pair pairs point points position "
    "positions recurrence residual residuals sample samples scale sequence sequences step steps temperature token tokens "
    "unit units weight weights ";

}  // namespace gradproof::proof::latex
