// Writing messages, and reading them with suspicion.
#include "tools/cli/frames.hpp"

namespace gradproof::cli {

void Writer::put_bytes(const void* from, std::size_t n) {
    const char* bytes = static_cast<const char*>(from);
    bytes_.insert(bytes_.end(), bytes, bytes + n);
}

const std::vector<char>& Writer::framed(std::uint64_t key) {
    const FrameHead head{key, body().size()};
    std::memcpy(bytes_.data(), &head, sizeof head);
    return bytes_;
}

void Writer::put_text(std::string_view text) {
    put<std::uint64_t>(text.size());
    put_bytes(text.data(), text.size());
}

void Writer::put_shape(const Shape& shape) {
    put<std::uint8_t>(static_cast<std::uint8_t>(shape.rank()));
    put_bytes(shape.begin(), static_cast<std::size_t>(shape.rank()) * sizeof(Index));
}

void Writer::put_attrs(const std::vector<std::pair<std::string, AttrValue>>& attrs) {
    put<std::uint64_t>(attrs.size());
    for (const auto& [name, value] : attrs) {
        put_text(name);
        put<std::uint8_t>(static_cast<std::uint8_t>(value.index()));
        if (const auto* b = std::get_if<bool>(&value)) put<bool>(*b);
        if (const auto* i = std::get_if<Index>(&value)) put<Index>(*i);
        if (const auto* d = std::get_if<double>(&value)) put<double>(*d);
        if (const auto* s = std::get_if<std::string>(&value)) put_text(*s);
        if (const auto* list = std::get_if<std::vector<double>>(&value)) {
            put<std::uint64_t>(list->size());
            put_bytes(list->data(), list->size() * sizeof(double));
        }
        if (const auto* ids = std::get_if<Tensor<Index>>(&value)) put_tensor(*ids);
        if (const auto* mask = std::get_if<Tensor<bool>>(&value)) put_tensor(*mask);
    }
}

const char* Reader::take_bytes(std::size_t n) {
    if (n > left()) throw Malformed("it ends too early");
    return body_.bytes.get() + std::exchange(at_, at_ + n);
}

int Reader::take_number(int end) {
    const int n = take<std::uint8_t>();
    if (n >= end) throw Malformed("a number is out of range");
    return n;
}

std::size_t Reader::take_count(std::size_t bytes) {
    const auto n = take<std::uint64_t>();
    if (n > (left()) / bytes) throw Malformed("it ends too early");
    return static_cast<std::size_t>(n);
}

std::string_view Reader::take_text() {
    const std::size_t n = take_count();
    return {take_bytes(n), n};
}

Shape Reader::take_shape(std::size_t element_bytes) {
    const int rank = take_number(kMaxRank + 1);
    Shape shape;
    for (int a = 0; a < rank; ++a) shape.push_back(take<Index>());
    std::size_t size = 0;
    try {
        size = static_cast<std::size_t>(checked_size(shape));
    } catch (const ShapeError&) {
        throw Malformed("a shape is none");
    }
    if (element_bytes > 0 && size > (left()) / element_bytes) throw Malformed("it ends too early");
    return shape;
}

std::vector<std::pair<std::string, AttrValue>> Reader::take_attrs() {
    std::vector<std::pair<std::string, AttrValue>> out(take_count(2));
    for (auto& [name, value] : out) {
        name = take_text();
        switch (take_number(std::variant_size_v<AttrValue>)) {
            case 0: value = take<bool>(); break;
            case 1: value = take<Index>(); break;
            case 2: value = take<double>(); break;
            case 3: value = std::string(take_text()); break;
            case 4: {
                std::vector<double> list(take_count(sizeof(double)));
                for (double& x : list) x = take<double>();
                value = std::move(list);
                break;
            }
            case 5: value = take_tensor<Index>(); break;
            default: value = take_tensor<bool>();
        }
    }
    return out;
}

void Reader::expect_end() const {
    if (left() != 0) throw Malformed("it is longer than it should be");
}

}  // namespace gradproof::cli
