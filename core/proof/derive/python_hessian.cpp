// The gradient and the Hessian against differences of the loss and of the gradient.
#include "gradproof/core/proof/derive/python_hessian.hpp"

#include <fmt/format.h>

namespace gradproof::proof {

std::string python_hessian_check(PythonTarget target, const std::string& of, const std::string& direction) {
    const std::string_view type = target == PythonTarget::torch ? "    torch.set_default_dtype(torch.float64)\n"
                                  : target == PythonTarget::jax ? "    jax.config.update(\"jax_enable_x64\", True)\n"
                                                                : "";
    const std::string_view drawn =
        target == PythonTarget::jax ? "{name: jnp.asarray(x) for name, x in draw(seed).items()}" : "draw(seed)";
    return fmt::format(R"page(

def check(seed=0, h=1e-5):
{0}    given = {1}
    direction = given.pop("{2}")
    above, below = ({{**given, "{3}": given["{3}"] + step * direction}} for step in (h, -h))
    slope = (loss(**above) - loss(**below)) / (2 * h)
    change = (gradient(**above) - gradient(**below)) / (2 * h)
    along = (gradient(**given) * direction).sum()
    product = hessian_product(**given, {2}=direction)
    for name, found, true in [("gradient", along, slope), ("hessian_product", product, change)]:
        found, true = np.asarray(found), np.asarray(true)
        assert found.shape == true.shape, (name, found.shape, true.shape)
        error = np.max(np.abs(found - true)) / max(1e-3, np.max(np.abs(true)))
        print(f"{{name:16}} {{error:.1e}}")
        assert error < 1e-6, (name, error)


if __name__ == "__main__":
    for seed in range(3):
        check(seed)
)page",
                       type, drawn, direction, of);
}

}  // namespace gradproof::proof
