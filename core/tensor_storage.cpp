// The memory under a tensor: a counted block, and views of it.
#include "gradproof/core/platform/guards.hpp"
#include "gradproof/core/tensor.hpp"

namespace gradproof::detail {
namespace {

bool watched() { return pool::guard_scopes.load(std::memory_order_relaxed) > 0; }

}  // namespace

Storage* new_storage(const Shape& shape, std::size_t element_bytes) {
    const Index size = checked_size(shape);
    const std::size_t data_bytes = static_cast<std::size_t>(size) * element_bytes;
    const std::size_t guard = watched() && pool::guarding() ? pool::kGuardBytes : 0;
    const std::size_t bytes = kHeaderBytes + data_bytes + 2 * guard;
    void* memory = pool::allocate(bytes);
    std::byte* data = static_cast<std::byte*>(memory) + kHeaderBytes + guard;
    if (guard > 0) pool::guard(data, data_bytes);
    return new (memory) Storage(nullptr, data, bytes, size, shape);
}

Storage* new_view(Storage* parent, const Shape& shape) {
    Storage* root = parent->parent ? parent->parent : parent;
    auto* storage = new (pool::allocate(kHeaderBytes)) Storage(root, parent->data, kHeaderBytes, parent->size, shape);
    retain(root);
    return storage;
}

void free_storage(Storage* storage) noexcept {
    Storage* parent = storage->parent;
    const std::size_t bytes = storage->bytes;
    if (watched() && parent == nullptr) [[unlikely]]
        pool::unguard(storage->data);
    storage->~Storage();
    pool::release(storage, bytes);
    drop(parent);
}

void undefined_tensor() { shape_error("tensor: it is undefined: it has no shape and no elements"); }

}  // namespace gradproof::detail
