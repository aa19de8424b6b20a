// What this program and the process of a plugin say to each other: words, numbers, attributes and arrays. Whatever is read is
// held to what it may be, for the plugin's code may have written it.
//
//   Writer out;                          Reader in(body);
//   out.put<std::int32_t>(3);            in.take<std::int32_t>();
//   out.put_text("softmax");             in.take_text();
//                                        in.expect_end();
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gradproof/core/attrs.hpp"

namespace gradproof::cli {

/// What was read is not what was to be read.
class Malformed : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Before each message. `key` is drawn by this program and counted up by both.
struct FrameHead {
    std::uint64_t key = 0, bytes = 0;
};

/// A message as it grows, with room for its head in front.
class Writer {
  public:
    Writer() : bytes_(sizeof(FrameHead)) {}
    template <class N>
    void put(std::type_identity_t<N> n) {
        static_assert(std::is_arithmetic_v<N>);
        put_bytes(&n, sizeof n);
    }
    void put_bytes(const void* from, std::size_t n);
    void put_text(std::string_view text);
    void put_shape(const Shape& shape);
    void put_attrs(const std::vector<std::pair<std::string, AttrValue>>& attrs);
    /// Undefined ones too.
    template <class T>
    void put_tensor(const Tensor<T>& x) {
        put<bool>(x.defined());
        if (!x.defined()) return;
        put_shape(x.shape());
        put_bytes(x.data(), x.bytes());
    }
    /// The message under its head.
    const std::vector<char>& framed(std::uint64_t key);
    std::span<const char> body() const { return std::span(bytes_).subspan(sizeof(FrameHead)); }
    /// For what is about to be put.
    void expect(std::size_t bytes) {
        if (const std::size_t n = bytes_.size() + bytes; n > bytes_.capacity()) bytes_.reserve(2 * n);
    }
    /// Takes back what was put.
    void clear() { bytes_.resize(sizeof(FrameHead)); }

  private:
    std::vector<char> bytes_;
};

/// What was read of a message, as it came: not written before.
struct Body {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
    explicit Body(std::size_t n = 0) : bytes(std::make_unique_for_overwrite<char[]>(n)), size(n) {}
    explicit Body(std::span<const char> from) : Body(from.size()) { std::copy(from.begin(), from.end(), bytes.get()); }
};

/// Errors, of all: Malformed.
class Reader {
  public:
    explicit Reader(Body body) : body_(std::move(body)) {}
    template <class N>
    N take() {
        if constexpr (std::is_same_v<N, bool>) {
            return take_number(2) == 1;
        } else {
            N n;
            std::memcpy(&n, take_bytes(sizeof n), sizeof n);
            return n;
        }
    }
    /// A byte below `end`.
    int take_number(int end);
    /// How many of something follow, each of `bytes` bytes at least.
    std::size_t take_count(std::size_t bytes = 1);
    const char* take_bytes(std::size_t n);
    std::string_view take_text();
    /// Of a tensor whose elements, of `element_bytes` each, follow unless that is 0.
    Shape take_shape(std::size_t element_bytes);
    std::vector<std::pair<std::string, AttrValue>> take_attrs();
    template <class T>
    Tensor<T> take_tensor() {
        if (!take<bool>()) return {};
        Tensor<T> x(take_shape(sizeof(T)));
        if constexpr (std::is_same_v<T, bool>)
            for (bool& v : x) v = take<bool>();
        else
            std::memcpy(x.data(), take_bytes(x.bytes()), x.bytes());
        return x;
    }
    void expect_end() const;

  private:
    std::size_t left() const { return body_.size - at_; }
    Body body_;
    std::size_t at_ = 0;
};

/// The tensors of one call, counted as they come; both sides count alike. One that shares its buffer with an earlier one is
/// written as such.
template <class T>
class Arrays {
  public:
    void put(Writer& to, const Tensor<T>& x) {
        const int same = x.defined() ? find(x.data()) : -1;
        to.put<std::uint8_t>(!x.defined() ? kNone : same >= 0 ? kShared : kOwn);
        all_.push_back(x);
        if (!x.defined()) return;
        to.put<bool>(x.is_view());
        to.put_shape(x.shape());
        if (same >= 0) return to.put<std::int32_t>(same);
        to.expect(x.bytes());
        to.put_bytes(x.data(), x.bytes());
    }
    Tensor<T> take(Reader& from) {
        const int how = from.take_number(kShared + 1);
        const char* as_read = nullptr;
        Tensor<T> x;
        if (how != kNone) {
            const bool view = from.take<bool>();
            const Shape shape = from.take_shape(how == kOwn ? sizeof(T) : 0);
            if (how == kOwn) {
                x = view ? Tensor<T>(Shape{shape.size()}).reshape(shape) : Tensor<T>(shape);
                as_read = from.take_bytes(x.bytes());
                std::memcpy(static_cast<void*>(x.data()), as_read, x.bytes());
            } else {
                const Tensor<T>& of = at(from.take<std::int32_t>());
                if (!of.defined() || of.size() != shape.size()) throw Malformed("a view has another size than what it views");
                x = !view && of.shape() == shape ? of : of.reshape(shape);
            }
        }
        all_.push_back(x);
        read_.resize(all_.size());
        read_.back() = as_read;
        return x;
    }
    int count() const { return static_cast<int>(all_.size()); }
    /// Errors: Malformed where there is no such tensor.
    const Tensor<T>& at(int i) const {
        if (i < 0 || i >= count()) throw Malformed("there is no such tensor");
        return all_[static_cast<std::size_t>(i)];
    }
    Tensor<T>& at(int i) { return const_cast<Tensor<T>&>(std::as_const(*this).at(i)); }
    /// -1 where none has this buffer.
    int find(const void* data) const {
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (all_[i].defined() && all_[i].data() == data) return static_cast<int>(i);
        return -1;
    }
    /// Whether tensor i, which was taken, holds other bytes than then.
    bool changed(int i) const {
        const auto n = static_cast<std::size_t>(i);
        return n < read_.size() && read_[n] != nullptr &&
               std::memcmp(static_cast<const void*>(all_[n].data()), read_[n], all_[n].bytes()) != 0;
    }

  private:
    enum : std::uint8_t { kNone, kOwn, kShared };
    std::vector<Tensor<T>> all_;
    std::vector<const char*> read_;  // where the Reader has them; null for what is not its own
};

}  // namespace gradproof::cli
