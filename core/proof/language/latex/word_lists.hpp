// Words that say nothing which formulas do not, by where they may stand. They are separated by blanks, and end with one.
#pragma once

#include <string_view>

namespace gradproof::proof::latex {

/// What is done to derive something, what parts of a text are called, and what formulas are made of. No words for operations
/// (sum, twice, clipped), for conditions on values (fixed, zero, only), for what is not (no, instead), nor names of methods
/// (dropout).
inline constexpr std::string_view kDeriving =
    "a above abstract accordingly adjoint adjoints after all also among an analogously and answer any appendix apply "
    "applying are argument arguments arrive as assume at back background backprop backpropagate backpropagated "
    "backpropagates backpropagation backward backwards be because become becomes before below between both brief by "
    "calculate calculation calculus call called calls can chain chapter check checks claim claims clearly collect "
    "collecting column columns combine combining compact complete component components componentwise computation compute "
    "computed computes computing conclusion consequently consider considering considers contribution contributions "
    "convenient convention coordinate coordinates corollary corresponding cost criterion current define defined defines "
    "definition denote denoted denotes denoting derivation derivative derivatives derive derived derives deriving detail "
    "details differentiable differential differentials differentiate differentiated differentiates differentiating "
    "differentiation dimension dimensional dimensions directly do downstream during each easily either element elements "
    "elementwise end ends energy entries entry entrywise equal equals equation equations equivalently evaluated every "
    "example examples exercise exp expand expanding explicit explicitly expression expressions figure final finally find "
    "finds first follow following follows for form forms formula formulae formulas forward found from full function "
    "functions general generally get gets give given gives giving gradient gradients hand have hence here hessian hessians "
    "hold holds how however identities identity if ii iii immediate immediately implicit important in incoming index "
    "indices insert inserting intermediate into introduction is it its iv jacobian jacobians know known last later latter "
    "lecture left lemma let likewise line lines loss losses map maps matrices matrix may mode model models moreover namely "
    "need needed needs network networks next notation note notes now number numbers objective obtain obtained obtains of "
    "often on one onto or order our out page paragraph partial particular pass passes path paths per pointwise "
    "preliminaries previous problem proceed proof propagated proposition prove proves put putting quantities quantity "
    "question quotient reads real rearrange rearranging recall recalls references remaining remark respect respective "
    "respectively result results right row rows rule rules say says scalar scalars section see seen sensitivity set setting "
    "setup several shape shapes sheet short show shown shows side sides signal similarly simple simplification simplifies "
    "simplify simplifying simply since size sizes smooth so solution some standard state stated statement straightforward "
    "subsection substitute substituting such summary suppose table take taking task tensor term terms text th that the them "
    "then theorem there therefore these they this those through thus to turn turning typically upstream us use useful using "
    "usual usually value values variable variables vector vectors vi want we what when whence where which while whole whose "
    "will with work works write writes writing written yield yielded yields you ";
/// What values are called: "the gradient with respect to the weights".
inline constexpr std::string_view kThings =
    "action actions activation activations attention batch batches bias biases block blocks cell channel channels class "
    "classes context covariance data delta density design document documents eigenvalue embedding embeddings error errors "
    "feature features filter filters gain head heads hidden image images input inputs item items kernel kernels key keys "
    "kronecker label labels language layer layers likelihood link logit logits margin memory minibatch minibatches net "
    "neuron neurons nonlinearity observation observations output outputs pair pairs parameter parameters point points "
    "policies policy position positions pre preactivation preactivations precision predicted prediction predictions "
    "preference preferences preferred probabilities probability projection projections prompt queries query rate rating "
    "ratings recurrence recurrent recursion reference rejected residual residuals response responses reward rewards sample "
    "samples score scores sequence sequences slope states statistics step steps stride student target targets teacher time "
    "token tokens training true unit units user users vocabulary weight weights word words ";
/// What describes a value where a formula says what it is: "each sample goes through the layer $z = W x$".
inline constexpr std::string_view kDescribing =
    "across affine analysis begin begins belongs bernoulli calculus case categorical classification classifier collect "
    "collects come comes common contrastive decoder deep definite direction distillation distribution does dpo encoder "
    "enter enters exists feed flow flows focal free fully gaussian global go goes going gru has infonce information "
    "invertible knowledge knows learn learned learning learns length level linear look looks lora lstm mapping marginal "
    "method minimise minimises minimize minimizes mlp multi multiclass multivariate neural nonlinear obey obeys "
    "parameterized parametrised parametrized ppo practice predict predicts process propagate quadratic rank receive "
    "received receives reconstruction regression risk rnn rnns sampling satisfies satisfy semidefinite single space stand "
    "stands start starts symmetric system takes throughout train trained transformation transformer trick under univariate "
    "used uses vae variant version want wants way well ";

/// "two paths", "the second layer": what may be counted.
inline constexpr std::string_view kCounted =
    "cases contribution contributions derivative equality equation equations expressions factor factors formulas functions "
    "identity layer layers line lines matrices matrix order paragraph parts path paths part results section sides step "
    "steps sum sums term terms theorem things values variables vectors ways ";

/// Of a sentence without a formula that is read: what only leads from one formula to the next. No words for what something is, or
/// is made of (row, term, one, identity), and no verbs that may set something (take, write, apply, put).
inline constexpr std::string_view kOnlyLeading =
    "a above again all also an and answer appendix as back backprop backpropagate backpropagation backward backwards "
    "background before below between both brief by calculate calculation calculus can chain chapter check checks claim "
    "claims clearly computation compute computed computes computing conclusion consequently consider corollary derivation "
    "derivations derivative derivatives derive derived derives deriving detail details differentiate differentiating "
    "differentiation do during each easily equation equations equivalently every example examples exercise explicit "
    "explicitly figure finally find finds first follow following follows for forward from get gets gradient gradients hence "
    "here hessian hessians how however ii iii in introduction it iv jacobian jacobians later layer layers lecture lemma let "
    "line lines loss mini batch moreover namely need needed needs next note notation notes now obtain obtained obtains of "
    "on or our page paragraph pass passes preliminaries problem proceed proof proposition prove proves question recall "
    "remark respect respectively result results rule rules section see seen show shown shows similarly simple "
    "simplification simplify simplifies simply since size so solution start statement step steps straightforward subsection "
    "summary table task text that the them then theorem there therefore these they this those thus to us use uses using vi "
    "want we what where which will with work works you ";

/// Of headings: names of models and losses that formulas spell out, and words for parts of a text. No words for what is done to
/// values or gradients (averaged, negative, stopped), and no names of losses that differ from others by a term (ridge, huber).
inline constexpr std::string_view kTitles =
    "adapter adapters adversarial approximation assignment auto autoencoder autoencoders based binary cbow cholesky "
    "collaborative commutators cross decoders derivations differences dot down dual efficient elbo elman encoders euclidean "
    "factorisation factorization feedback feedforward filtering four gated gaussians generalised generalized glove gp gram "
    "hadamard heteroscedastic homework hyperparameter hyperparameters inference jordan level ln log lookup low matching "
    "mathematical maximum methods mini mixture mixtures more multinomial naive noise non norm normalisation normalization "
    "norms objectives optimisation optimization outer perceptron perceptrons pooling post preceding primal process "
    "processes product products propagating propagation qk ratios recommendation related relative relatives "
    "reparametrisation reparametrised reparametrization rmsnorm robust self sensitivities skip solutions special squares "
    "supplement supplementary swiglu tables temperature temporal three through time top triplet triplets two type unrolled "
    "unrolling variants variational via week word2vec worked ";

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
