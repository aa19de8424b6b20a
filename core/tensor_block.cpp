// The memory under a tensor: a counted block, and views of it.
#include "gradproof/core/tensor.hpp"

namespace gradproof::detail {

Block* new_block(const Shape& shape, std::size_t element_bytes) {
    const Index size = checked_size(shape);
    const std::size_t bytes = kHeaderBytes + static_cast<std::size_t>(size) * element_bytes;
    void* memory = pool::allocate(bytes);
    return new (memory) Block(nullptr, static_cast<std::byte*>(memory) + kHeaderBytes, bytes, size, shape);
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
    block->~Block();
    pool::release(block, bytes);
    drop(parent);
}

void undefined_tensor() { shape_error("tensor: it is undefined: it has no shape and no elements"); }

}  // namespace gradproof::detail
