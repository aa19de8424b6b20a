// Element types of files, and their conversion to tensors.
#include "gradproof/core/io/array.hpp"

#include <array>
#include <cstring>

namespace gradproof {
namespace {

struct DTypeFacts {
    std::string_view name;
    std::size_t bytes;
    bool is_float = false;
    double roundoff = 0x1p-53, least = 0x1p-1074;  ///< of whole numbers those of double, which computes with them
    bool is_in_numpy = true;
};
constexpr std::array<DTypeFacts, kDTypeCount> kFacts{{{"f16", 2, true, 0x1p-11, 0x1p-24},
                                                      {"bf16", 2, true, 0x1p-8, 0x1p-133, false},
                                                      {"f32", 4, true, 0x1p-24, 0x1p-149},
                                                      {"f64", 8, true},
                                                      {"i8", 1},
                                                      {"i16", 2},
                                                      {"i32", 4},
                                                      {"i64", 8},
                                                      {"u8", 1},
                                                      {"u16", 2},
                                                      {"u32", 4},
                                                      {"u64", 8},
                                                      {"bool", 1}}};
static_assert(kFacts.back().name == "bool", "kFacts has a row for each DType, in its order");
const DTypeFacts& facts_of(DType dtype) { return kFacts[static_cast<std::size_t>(dtype)]; }

struct Half {
    std::uint16_t bits;
};
struct BFloat {
    std::uint16_t bits;
};
struct Bool {
    std::uint8_t byte;
};

float float_of(std::uint32_t bits) {
    float out;
    std::memcpy(&out, &bits, sizeof out);
    return out;
}

float value_of(Half h) {
    const std::uint32_t sign = (h.bits & 0x8000u) << 16;
    const std::uint32_t exponent = (h.bits >> 10) & 0x1Fu;
    const std::uint32_t mantissa = h.bits & 0x3FFu;
    if (exponent == 0) {  // zero and subnormals: mantissa * 2^-24, exact
        const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    const std::uint32_t rebiased = exponent == 0x1F ? 0xFFu : exponent + (127 - 15);
    return float_of(sign | rebiased << 23 | mantissa << 13);
}
float value_of(BFloat b) { return float_of(std::uint32_t{b.bits} << 16); }
bool value_of(Bool b) { return b.byte != 0; }
template <class T>
requires std::is_arithmetic_v<T> T value_of(T x) { return x; }

/// Calls f with a value of the C++ type that an element of `dtype` is stored as.
template <class F>
void with_stored_type(DType dtype, F&& f) {
    switch (dtype) {
        case DType::f16: return f(Half{});
        case DType::bf16: return f(BFloat{});
        case DType::f32: return f(float{});
        case DType::f64: return f(double{});
        case DType::i8: return f(std::int8_t{});
        case DType::i16: return f(std::int16_t{});
        case DType::i32: return f(std::int32_t{});
        case DType::i64: return f(std::int64_t{});
        case DType::u8: return f(std::uint8_t{});
        case DType::u16: return f(std::uint16_t{});
        case DType::u32: return f(std::uint32_t{});
        case DType::u64: return f(std::uint64_t{});
        case DType::boolean: return f(Bool{});
    }
}

void check_bytes(const Array& a, std::string_view name) {
    const std::size_t expected = static_cast<std::size_t>(checked_size(a.shape)) * item_size(a.dtype);
    if (a.data.size() != expected)
        shape_error("{}: bytes do not fit the shape: data is {} bytes, expected {} for {} of {}", name, a.data.size(), expected,
                    a.shape, dtype_name(a.dtype));
}

template <class Stored>
Stored element(const Array& a, Index i) {
    Stored s;
    std::memcpy(&s, a.data.data() + static_cast<std::size_t>(i) * sizeof(Stored), sizeof(Stored));
    return s;
}

template <class T>
Array copy_of(const Tensor<T>& t, DType dtype) {
    Array a{dtype, t.shape(), std::vector<std::byte>(t.bytes())};
    if (!a.data.empty()) std::memcpy(a.data.data(), t.data(), t.bytes());
    return a;
}

}  // namespace

std::size_t item_size(DType dtype) { return facts_of(dtype).bytes; }
double unit_roundoff(DType dtype) { return facts_of(dtype).roundoff; }
double least_step(DType dtype) { return facts_of(dtype).least; }
bool is_float(DType dtype) { return facts_of(dtype).is_float; }
bool is_in_numpy(DType dtype) { return facts_of(dtype).is_in_numpy; }
std::string_view dtype_name(DType dtype) { return facts_of(dtype).name; }

template <class T>
Tensor<T> to_tensor(const Array& a, std::string_view name) {
    check_bytes(a, name);
    Tensor<T> t(a.shape);
    with_stored_type(a.dtype, [&](auto kind) {
        using Stored = decltype(kind);
        for (Index i = 0; i < t.size(); ++i) t[i] = static_cast<T>(value_of(element<Stored>(a, i)));
    });
    return t;
}
template Tensor<float> to_tensor(const Array&, std::string_view);
template Tensor<double> to_tensor(const Array&, std::string_view);

Tensor<Index> to_ids(const Array& a, std::string_view name) {
    check_bytes(a, name);
    Tensor<Index> t(a.shape);
    with_stored_type(a.dtype, [&](auto kind) {
        using Stored = decltype(kind);
        if constexpr (std::is_integral_v<Stored>) {
            for (Index i = 0; i < t.size(); ++i) {
                const Stored id = element<Stored>(a, i);
                if (!std::in_range<Index>(id))
                    value_error("{}: element {} is {}, expected at most {}", name, i, id, std::numeric_limits<Index>::max());
                t[i] = static_cast<Index>(id);
            }
        } else {
            value_error("{}: element type is {}, expected integers", name, dtype_name(a.dtype));
        }
    });
    return t;
}

Tensor<bool> to_mask(const Array& a, std::string_view name) {
    check_bytes(a, name);
    if (a.dtype != DType::boolean) value_error("{}: element type is {}, expected bool", name, dtype_name(a.dtype));
    Tensor<bool> t(a.shape);
    for (Index i = 0; i < t.size(); ++i) t[i] = value_of(element<Bool>(a, i));
    return t;
}

Array from_tensor(const Tensor<float>& t) { return copy_of(t, DType::f32); }
Array from_tensor(const Tensor<double>& t) { return copy_of(t, DType::f64); }
Array from_tensor(const Tensor<Index>& t) { return copy_of(t, DType::i64); }
Array from_tensor(const Tensor<bool>& t) { return copy_of(t, DType::boolean); }

const Array* find_array(const std::vector<NamedArray>& arrays, std::string_view name) {
    for (const NamedArray& a : arrays)
        if (a.name == name) return &a.array;
    return nullptr;
}

}  // namespace gradproof
