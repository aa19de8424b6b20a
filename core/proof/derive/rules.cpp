// The rules by which gradients go back, each with the sentence that says it.
#include "gradproof/core/proof/derive/backward.hpp"

namespace gradproof::proof {

const std::vector<DerivativeRule>& derivative_rules() {
    static const std::vector<DerivativeRule> all{
        {"a + b", "sum rule",
         "each term gets the gradient of the sum, with its sign, summed over the axes it was broadcast along"},
        {"-a", "sign", "the sign stays"},
        {"a ⊙ b", "product rule",
         "each factor gets the gradient times the other factor, summed over the axes it was broadcast along"},
        {"a / b", "quotient rule",
         "what is divided gets the gradient divided by the same; what it is divided by gets minus the "
         "gradient times the quotient, divided by the same once more"},
        {"A B", "matrix product",
         "the left factor gets the gradient times the right one transposed, the right factor the left one "
         "transposed times the gradient"},
        {"A^T", "transpose", "the gradient is transposed"},
        {"x^p", "power rule", "the exponent comes down and is one less"},
        {"f(x)", "chain rule", "the gradient is multiplied by the slope of the function, entry by entry"},
        {"sum(x)", "sum over an axis", "each entry that was summed gets the gradient of the sum"},
        {"mean(x)", "mean over an axis", "each entry gets the gradient of the mean divided by how many there are"},
        {"max(x)", "largest of an axis", "the gradient goes to the largest entry"},
        {"max(a, b)", "larger of two", "the gradient goes to the one that was taken"},
        {"var(x)", "variance", "the slope is twice the distance from the mean, divided by how many there are"},
        {"norm(x)", "norm", "the slope of a length is the unit vector"},
        {"logsumexp(x)", "log-sum-exp", "the slope of the log-sum-exp is the softmax"},
        {"softmax(x)", "softmax", "the weights times what the gradient has above its weighted mean along the axis"},
        {"log_softmax(x)", "log-softmax", "the gradient less the weights times the sum of the gradient along the axis"},
        {"diag(x)", "diagonal", "only the diagonal is reached"},
        {"trace(A)", "trace", "each entry of the diagonal gets the gradient of the trace"},
        {"A^{-1}", "inverse", "minus the inverse transposed, the gradient, and the inverse transposed once more"},
        {"det(A), logdet(A)", "determinant", "the slope of the logarithm of a determinant is the inverse transposed"},
        {"cumsum(x)", "running sum", "each entry gets the gradients from there on"},
        {"cumprod(x)", "running product",
         "each entry gets the gradients from there on, each times its product divided by the entry, where that is not 0"},
        {"kron(A, B)", "Kronecker product", "each factor gets the gradient times the other, summed over the axes of the other"},
        {"outer(u, v)", "outer product", "each vector gets the gradient times the other"},
        {"concat(a, b)", "concatenation", "each part gets its own slice of the gradient"},
        {"x[a:b]", "part of an array", "the gradient stands where the part was taken, zeros elsewhere"},
        {"where(c, a, b)", "choice", "each side gets the gradient where it was taken"},
        {"reshape(x)", "reshape", "the gradient is brought back into the old shape"},
        {"transpose(x, perm)", "permutation", "the axes of the gradient are put back into their order"},
        {"mod(a, b)", "remainder", "the slope is 1 but at jumps"},
        {"Σ_k x[k]", "sum over an index",
         "each summand gets the gradient of the sum; an index of the value that is not summed any more "
         "stays, all others are summed"},
    };
    return all;
}

}  // namespace gradproof::proof
