// In the process of plugins: what a call keeps, and what can be asked of it.
#pragma once

#include <new>
#include <optional>

#include "gradproof/core/registry.hpp"

namespace gradproof::cli {

/// The payload of one call, as a tape would keep it, with the attributes it was made from.
template <class T>
class Payload {
  public:
    Payload(const OpEntry& op, AnyAttrs attrs) : table_(op.table<T>()), attrs_(std::move(attrs)) {
        memory_ = ::operator new(table_.payload_bytes, std::align_val_t(table_.payload_alignment));
        table_.construct(memory_, attrs_.get());
    }
    Payload(const Payload&) = delete;
    Payload& operator=(const Payload&) = delete;
    ~Payload() {
        table_.destroy(memory_);
        ::operator delete(memory_, std::align_val_t(table_.payload_alignment));
    }
    void* get() const { return memory_; }
    const OpTable<T>& table() const { return table_; }

  private:
    const OpTable<T>& table_;
    AnyAttrs attrs_;
    void* memory_;
};

template <class T>
struct Fields final : SavedVisitor<T> {
    struct One {
        std::string name;
        std::optional<Tensor<T>> tensor;
        std::size_t bytes = 0;  ///< of what is none
    };
    std::vector<One> all;
    void tensor(std::string_view name, const Tensor<T>& value) override { all.push_back({std::string(name), value}); }
    void other(std::string_view name, std::size_t bytes) override { all.push_back({std::string(name), std::nullopt, bytes}); }
};

inline std::vector<std::pair<std::string, AttrValue>> values_of(const AnyAttrs& attrs) {
    std::vector<std::pair<std::string, AttrValue>> out;
    for (const std::string& name : attrs.names()) out.emplace_back(name, attrs.get(name));
    return out;
}

}  // namespace gradproof::cli
