// SVG elements as text.
#include "tools/figures/svg.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "tools/figures/colour.hpp"

namespace gradproof::figures {
namespace {

/// A coordinate with at most two decimals.
std::string px(double v) {
    std::string out = fmt::format("{:.2f}", v);
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
    return out == "-0" ? "0" : out;
}

std::string stroke_attributes(const Stroke& s) {
    return fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", s.colour, px(s.width),
                       s.dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", s.dash));
}

std::string text_attributes(const TextStyle& s) {
    static constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
    std::string out = fmt::format("font-size=\"{}\"", px(s.size));
    if (s.anchor != Anchor::start) out += fmt::format(" text-anchor=\"{}\"", kAnchors[static_cast<int>(s.anchor)]);
    if (s.bold) out += " font-weight=\"bold\"";
    if (s.halo) out += " stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"";
    return out + fmt::format(" fill=\"{}\"", s.colour);
}

/// A gradient element that shows a colour map from bottom to top.
std::string gradient(std::string_view id, Colour (*map)(double), double low) {
    constexpr int kStops = 32;
    std::string out = fmt::format("<linearGradient id=\"{}\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">", id);
    for (int i = 0; i <= kStops; ++i) {
        const double t = static_cast<double>(i) / kStops;
        out += fmt::format("<stop offset=\"{}\" stop-color=\"{}\"/>", px(t), hex(map(low + (1 - low) * t)));
    }
    return out + "</linearGradient>";
}

/// The definitions that a body refers to. A name has the same meaning in every figure, so figures on one page may repeat it.
std::string definitions(const std::string& body) {
    const auto used = [&](std::string_view id) { return body.find(fmt::format("url(#{})", id)) != std::string::npos; };
    std::string out;
    if (used("hatch"))
        out +=
            "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
            "<rect width=\"6\" height=\"6\" fill=\"#e8e8e8\"/><rect width=\"1.6\" height=\"6\" fill=\"#9a9a9a\"/></pattern>";
    if (used("dots"))
        out +=
            "<pattern id=\"dots\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><rect width=\"5\" height=\"5\" "
            "fill=\"#e8e8e8\"/>"
            "<rect x=\"1.7\" y=\"1.7\" width=\"1.6\" height=\"1.6\" fill=\"#777777\"/></pattern>";
    if (used("negative"))
        out +=
            "<pattern id=\"negative\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(-45)\">"
            "<rect width=\"4\" height=\"1\" fill=\"#222222\"/></pattern>";
    if (used("sequential")) out += gradient("sequential", sequential, 0);
    if (used("diverging")) out += gradient("diverging", diverging, -1);
    return out.empty() ? out : "<defs>" + out + "</defs>\n";
}

}  // namespace

std::string escape(std::string_view text) {
    std::string out;
    for (const char c : printable(text, text.size() * 4 + 4)) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += c;
        }
    }
    return out;
}

double text_width(std::string_view text, double size) {
    constexpr double kNarrow = 0.36, kWide = 0.98, kCapital = 0.7, kCommon = 0.6;
    double em = 0;
    for (const char c : text) {
        if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;  // inside a character
        if (std::string_view("iljtfI.,:;'|!()[] ").find(c) != std::string_view::npos)
            em += kNarrow;
        else if (std::string_view("mMW@%").find(c) != std::string_view::npos)
            em += kWide;
        else
            em += c >= 'A' && c <= 'Z' ? kCapital : kCommon;
    }
    return em * size;
}

std::string number(double value, int digits) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    const std::string out = fmt::format("{:.{}g}", value, digits);
    return out == "-0" ? "0" : out;
}

void Canvas::rect(Point at, double width, double height, std::string_view fill, std::string_view stroke) {
    body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"{}/>\n", px(at.x), px(at.y), px(width),
                         px(height), fill, stroke == "none" ? "" : fmt::format(" stroke=\"{}\"", stroke));
}
void Canvas::line(Point from, Point to, const Stroke& stroke) {
    body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", px(from.x), px(from.y), px(to.x), px(to.y),
                         stroke_attributes(stroke));
}
void Canvas::polyline(const std::vector<Point>& points, const Stroke& stroke) {
    std::string list;
    for (const Point& p : points) list += fmt::format("{}{},{}", list.empty() ? "" : " ", px(p.x), px(p.y));
    body_ +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke-linejoin=\"round\" {}/>\n", list, stroke_attributes(stroke));
}
void Canvas::path(std::string_view data, std::string_view fill, std::string_view stroke) {
    body_ += fmt::format("<path d=\"{}\" fill=\"{}\"{}/>\n", data, fill,
                         stroke == "none" ? "" : fmt::format(" stroke=\"{}\"", stroke));
}
void Canvas::circle(Point centre, double radius, std::string_view fill, std::string_view stroke) {
    body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"{}/>\n", px(centre.x), px(centre.y), px(radius), fill,
                         stroke == "none" ? "" : fmt::format(" stroke=\"{}\"", stroke));
}
void Canvas::text(Point at, std::string_view text, const TextStyle& s) {
    body_ += fmt::format("<text x=\"{}\" y=\"{}\" {}", px(at.x), px(at.y), text_attributes(s));
    if (s.turn != 0) body_ += fmt::format(" transform=\"rotate({} {} {})\"", px(s.turn), px(at.x), px(at.y));
    body_ += fmt::format(">{}</text>\n", escape(text));
}
void Canvas::open_texts(const TextStyle& s) { body_ += fmt::format("<g {}>\n", text_attributes(s)); }
void Canvas::plain_text(Point at, std::string_view text) {
    body_ += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", px(at.x), px(at.y), escape(text));
}
void Canvas::place(const Figure& figure, Point at) {
    body_ += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", px(at.x), px(at.y), figure.body);
}
void Canvas::open_cells(Point at, double sx, double sy) {
    body_ += fmt::format("<g transform=\"translate({} {}) scale({} {})\" shape-rendering=\"crispEdges\">\n", px(at.x), px(at.y),
                         number(sx, 8), number(sy, 8));
}
void Canvas::close() { body_ += "</g>\n"; }
Figure Canvas::finish(double width, double height, std::string title, Point plot) && {
    return {width, height, std::move(title), std::move(body_), plot};
}

std::string svg_element(const Figure& f) {
    const std::string w = px(std::ceil(f.width)), h = px(std::ceil(f.height));
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
        "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n<title>{2}</title>\n{3}"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n{4}</svg>\n",
        w, h, escape(f.title), definitions(f.body), f.body);
}
std::string svg_document(const Figure& figure) { return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svg_element(figure); }

Figure grid(const std::string& title, const std::vector<Figure>& figures, int columns) {
    if (figures.empty() || columns < 1)
        value_error("grid: figures are {}, columns are {}; expected at least one of each", figures.size(), columns);
    constexpr double kTitle = 30, kGap = 12, kTitleSize = 15;
    const auto n = static_cast<std::size_t>(columns);
    struct Span {
        double before = 0, after = 0;  // the beginning of the plots, and what follows it
        void take(double plot, double size) {
            before = std::max(before, plot);
            after = std::max(after, size - plot);
        }
    };
    std::vector<Span> across(std::min(n, figures.size())), down((figures.size() + n - 1) / n);
    for (std::size_t i = 0; i < figures.size(); ++i) {
        across[i % n].take(figures[i].plot.x, figures[i].width);
        down[i / n].take(figures[i].plot.y, figures[i].height);
    }
    Canvas canvas;
    double y = title.empty() ? 0 : kTitle, width = text_width(title, kTitleSize) * 1.1 + 2 * kGap;
    if (!title.empty()) canvas.text({kGap, 21}, title, {.size = kTitleSize, .bold = true});
    for (std::size_t row = 0; row < down.size(); ++row) {
        double x = 0;
        for (std::size_t c = 0; c < across.size() && row * n + c < figures.size(); ++c) {
            const Figure& f = figures[row * n + c];
            canvas.place(f, {x + across[c].before - f.plot.x, y + down[row].before - f.plot.y});
            x += across[c].before + across[c].after + kGap;
        }
        width = std::max(width, x - kGap);
        y += down[row].before + down[row].after + kGap;
    }
    return std::move(canvas).finish(width, y - kGap, title.empty() ? figures.front().title : title);
}

}  // namespace gradproof::figures
