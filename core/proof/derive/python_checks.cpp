// Each agrees with what the framework has, or with central differences.
#include "gradproof/core/proof/derive/python_checks.hpp"

#include <fmt/format.h>

namespace gradproof::proof {

std::string check_by_gradcheck(const std::string& function, const std::string& moving) {
    return fmt::format(R"page(

def check(seed=0):
    torch.set_default_dtype(torch.float64)
    given = draw(seed)
    for name in [{}]:
        given[name].requires_grad_()
    assert torch.autograd.gradcheck({}.apply, list(given.values()), eps=1e-6, atol=1e-6, rtol=1e-5)


if __name__ == "__main__":
    for seed in range(3):
        check(seed)
    print("agrees with finite differences")
)page",
                       moving, function);
}

std::string check_by_check_grads(const std::string& function, const std::string& moving) {
    return fmt::format(R"page(

def check(seed=0):
    jax.config.update("jax_enable_x64", True)
    given = {{name: jnp.asarray(x) for name, x in draw(seed).items()}}
    moving = [{}]

    def of_moving(*x):
        return {}(**{{**given, **dict(zip(moving, x))}})

    check_grads(of_moving, [given[name] for name in moving], order=1, modes=["rev"], eps=1e-5, atol=1e-6, rtol=1e-6)


if __name__ == "__main__":
    for seed in range(3):
        check(seed)
    print("agrees with finite differences")
)page",
                       moving, function);
}

std::string check_by_differences(const std::string& result, const std::string& weights, const std::string& upstream,
                                 const std::string& left_out) {
    return fmt::format(R"page(

def check(seed=0, h=1e-5):
    given = draw(seed)
    values = forward(**given)
    {0}
    gradients = backward(**given, **values{1})

    def loss(name, x):
        here = {{**given, name: x}} if name in given else given
        moved = {{}} if name in given else {{name: x}}
        return np.sum(weights * forward(**here, moved=moved)["{2}"])

    worst = 0.0
    for name, gradient in gradients.items():
{3}        x = np.array({{**given, **values}}[name[1:]], dtype=float)
        assert np.shape(gradient) == x.shape, (name, np.shape(gradient), x.shape)
        true = np.zeros_like(x)
        middle = loss(name[1:], x)
        for at in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[at] = h
            above, below = loss(name[1:], x + step), loss(name[1:], x - step)
            true[at] = (above - below) / (2 * h)
            # Where the slopes to either side differ, as at min(a, b) with a = b, any between them will do.
            sides = sorted([(above - middle) / h, (middle - below) / h])
            if sides[1] - sides[0] > 1e-2 * max(1, abs(true[at])):
                true[at] = np.clip(np.asarray(gradient)[at], *sides)
        error = np.max(np.abs(gradient - true)) / max(1e-3, np.max(np.abs(true)))
        print(f"{{name:12}} {{error:.1e}}")
        worst = max(worst, error)
    assert worst < 1e-6, worst


if __name__ == "__main__":
    for seed in range(3):
        check(seed)
)page",
                       weights, upstream, result, left_out);
}

std::string check_of_hessian(PythonTarget target, const std::string& of, const std::string& direction) {
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
