// A kernel as the engine calls it: its functions for one element type, the shapes they may decide by, and the tensors they save.
// To write a kernel, include core/kernel.hpp.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "gradproof/core/attrs.hpp"
#include "gradproof/core/op.hpp"

namespace gradproof {

template <class T>
struct OpTable;
template <class T>
struct KernelTable;

/// Whether an element type can have kernels. Dual numbers cannot: they run the page.
template <class T>
inline constexpr bool takes_kernels = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// The shapes of a call's inputs. A kernel decides by these and the attributes whether it fits a call.
class InputShapes {
  public:
    template <class T>
    explicit InputShapes(const Inputs<T>& x) : count_(x.size()), many_(count_ > kFew ? static_cast<std::size_t>(count_) : 0) {
        const Shape** out = many_.empty() ? few_.data() : many_.data();
        for (int i = 0; i < count_; ++i) out[i] = x.has(i) ? &x[i].shape() : nullptr;
        shapes_ = out;
    }
    InputShapes(const InputShapes&) = delete;
    InputShapes& operator=(const InputShapes&) = delete;
    int size() const { return count_; }
    /// False for an optional input that was not passed.
    bool has(int i) const { return i < count_ && shapes_[i] != nullptr; }
    const Shape& operator[](int i) const { return *shapes_[i]; }

  private:
    static constexpr int kFew = 8;
    int count_;
    const Shape* const* shapes_;
    std::array<const Shape*, kFew> few_;
    std::vector<const Shape*> many_;
};

/// The tensors a call keeps for its backward, by name: those of the page (OpInfo::saves), or the kernel's own
/// (KernelInfo::saves). A forward fills them, a backward reads them.
template <class T>
class SavedTensors {
  public:
    SavedTensors(const OpTable<T>& op, void* payload) : op_(&op), payload_(payload) {}
    SavedTensors(const OpTable<T>& op, const KernelTable<T>& kernel, Tensor<T>* own) : op_(&op), kernel_(&kernel), own_(own) {}
    /// Errors: ValueError where nothing of that name is saved.
    Tensor<T>& operator[](std::string_view name) { return *find(name); }
    const Tensor<T>& operator[](std::string_view name) const { return *find(name); }

  private:
    Tensor<T>* find(std::string_view name) const;
    const OpTable<T>* op_;
    void* payload_ = nullptr;
    const KernelTable<T>* kernel_ = nullptr;
    Tensor<T>* own_ = nullptr;
};

/// One kernel for one element type. A null function is left to the page.
template <class T>
struct KernelTable {
    std::string_view name;
    std::vector<std::string_view> own{};  ///< names of the tensors of its own that it saves; empty: it uses those of the page
    bool (*fits)(const KernelTable& kernel, const void* attrs, const InputShapes& x) = nullptr;  ///< null: always
    Tensor<T> (*forward)(const KernelTable& kernel, const void* attrs, Inputs<T> x, SavedTensors<T>& saved) = nullptr;
    void (*backward)(const KernelTable& kernel, const void* attrs, const SavedTensors<T>& saved, const Tensor<T>& dy,
                     Cotangents<T> dx) = nullptr;
    AnyAttrs (*view_attrs)(const void* attrs) = nullptr;  ///< of the op it is attached to
    KernelTable* next = nullptr;                          ///< tried if this one does not fit
};

/// The kernels of one op for one element type; the op's table points to this list.
template <class T>
struct KernelList {
    KernelTable<T>* first = nullptr;
    int required = 0, most = 0;  ///< how many inputs a call may have; the page refuses other calls, with its own message
};

/// The names of a kernel. core/kernel.hpp says how one is written.
struct KernelInfo {
    std::string_view op;       ///< the name of the op whose page it follows
    std::string_view name;     ///< its own: "fused"
    std::string_view saves{};  ///< tensors of its own that it saves, space separated; "" if it uses those of the page
};

/// One attached kernel.
struct KernelEntry {
    KernelInfo info;
    std::string file;
    KernelTable<float>* f32 = nullptr;  ///< null: not for this type
    KernelTable<double>* f64 = nullptr;
    const std::type_info* attrs = nullptr;  ///< the type it expects the op's Attrs to have; null if it reads them by name

    template <class T>
    KernelTable<T>* table() const {
        if constexpr (std::is_same_v<T, float>)
            return f32;
        else
            return f64;
    }
    bool has_forward() const { return (f32 && f32->forward) || (f64 && f64->forward); }
    bool has_backward() const { return (f32 && f32->backward) || (f64 && f64->backward); }
};

namespace detail {

/// The kernels that carry out one call; null: the page does.
template <class T>
struct Chosen {
    const KernelTable<T>* forward = nullptr;
    const KernelTable<T>* backward = nullptr;
};
/// The kernels for a call, by the KernelScope in force. Errors: ValueError if a kernel cannot tell whether it fits.
template <class T>
Chosen<T> choose_kernels(const OpTable<T>& op, const void* attrs, const Inputs<T>& x);

}  // namespace detail

}  // namespace gradproof
