// The memory under a tensor: a counted block, and views of it.
#include "gradproof/core/platform/guards.hpp"
#include "gradproof/core/tensor.hpp"

namespace gradproof::detail {
namespace {

bool watched() { return pool::guard_scopes.load(std::memory_order_relaxed) > 0; }

}  // namespace

Block* new_block(const Shape& shape, std::size_t element_bytes) {
    const Index size = checked_size(shape);
    const std::size_t data_bytes = static_cast<std::size_t>(size) * element_bytes;
    const std::size_t guard = watched() && pool::guarding() ? pool::kGuardBytes : 0;
    const std::size_t bytes = kHeaderBytes + data_bytes + 2 * guard;
    void* memory = pool::allocate(bytes);
    std::byte* data = static_cast<std::byte*>(memory) + kHeaderBytes + guard;
    if (guard > 0) pool::guard(data, data_bytes);
    return new (memory) Block(nullptr, data, bytes, size, shape);
}

Block* new_view(Block* parent, const Shape& shape) {
    Block* root = parent->parent ? parent->parent : parent;
    auto* block = new (pool::allocate(kHeaderBytes)) Block(root, parent->data, kHeaderBytes, parent->size, shape);
    retain(root);
    return block;
}

void free_block(Block* block) noexcept {
    Block* parent = block->parent;
    const std::size_t bytes = block->bytes;
    if (watched() && parent == nullptr) [[unlikely]]
        pool::unguard(block->data);
    block->~Block();
    pool::release(block, bytes);
    drop(parent);
}

void undefined_tensor() { shape_error("tensor: it is undefined: it has no shape and no elements"); }

}  // namespace gradproof::detail
