// `gradproof heads`: what the heads of a trained model attend to over a text or an expression, as numbers and pictures.
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/nn/head_statistics.hpp"
#include "gradproof/nn/tasks/expressions.hpp"
#include "gradproof/nn/train/checkpoint.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/out_folder.hpp"
#include "tools/experiments/report.hpp"
#include "tools/figures/heatmap.hpp"
#include "tools/figures/page.hpp"
#include "tools/figures/text_chart.hpp"

namespace gradproof::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct HeadsCommand {
    std::string checkpoint{}, text{}, out{};
    bool json = false;
};

/// What a model read, and what it attended to.
struct Reading {
    std::vector<std::string> symbols{};
    std::vector<Index> ids{};
    std::vector<Tensor<double>> layers{};  ///< the weights of each, [heads, T, T]
    Keys keys = Keys::up_to_query;
};

Reading read_text(const HeadsCommand& c) {
    const std::unique_ptr<TextModel> model = load_text_model(c.checkpoint);
    Reading out{.layers = model->attention(c.text)};
    out.ids = model->vocabulary().encode(c.text);
    if (out.ids.size() < 2) value_error("heads: the text has 1 symbol, expected at least 2");
    for (const Index id : out.ids) out.symbols.push_back(model->vocabulary().label(id));
    return out;
}

Reading read_expression(const HeadsCommand& c) {
    const Index row = find_expression(c.text);
    const Examples all = all_expressions();
    const std::span<const Index> ids = all.row(row);
    return {.symbols = token_texts(ids),
            .ids = {ids.begin(), ids.end()},
            .layers = {load_expression_checkpoint(c.checkpoint)->attention(row)},
            .keys = Keys::all};
}

/// The size of a cell: that of heatmaps, or what a label needs as long as the picture does not become too wide for that.
double cell_size(Index length) {
    constexpr Index kWide = 160;
    return figures::label_step(length) > 1 && length <= kWide ? 9 : 0;
}

/// The heads of a layer, two in a row.
figures::Figure layer_figure(const Reading& r, Index layer) {
    const Tensor<double>& weights = r.layers[static_cast<std::size_t>(layer)];
    const Index heads = weights.dim(0), length = weights.dim(1);
    std::vector<figures::Figure> maps;
    for (Index h = 0; h < heads; ++h)
        maps.push_back(figures::draw(
            figures::Heatmap{.title = fmt::format("layer {}, head {}", layer, h),
                             .values = figures::head_of(weights, h),
                             .cells = r.keys == Keys::all ? std::vector<figures::Cell>{} : figures::causal_cells(length, length),
                             .row_labels = r.symbols,
                             .column_labels = r.symbols,
                             .row_axis = "query",
                             .column_axis = "key",
                             .unit = "weight",
                             .cell_size = cell_size(length)}));
    return figures::grid(fmt::format("Attention of layer {}", layer), maps, 2);
}

/// Which symbols the pictures do not label; "" if they label all.
std::string unlabelled(const Reading& r) {
    const auto length = static_cast<Index>(r.symbols.size());
    const Index every = figures::label_step(length, cell_size(length)), labelled = (length + every - 1) / every;
    if (every == 1) return "";
    return fmt::format("the pictures label every {}. of the {} symbols, from the first, and leave out the names of the other {}",
                       every, length, length - labelled);
}

/// The numbers of a head by their names in tables, CSV and JSON.
std::vector<std::pair<std::string, double>> numbers_of(const HeadStatistics& s) {
    return {{"entropy", s.entropy},  {"distance", s.distance},  {"itself", s.itself.weight}, {"previous", s.previous.weight},
            {"next", s.next.weight}, {"first", s.first.weight}, {"same", s.same.weight},     {"after_same", s.after_same.weight}};
}

std::vector<std::string> columns() {
    std::vector<std::string> out = {"layer", "head", "role"};
    for (const auto& [name, value] : numbers_of({})) out.push_back(name);
    return out;
}
std::vector<std::string> row_of(const HeadStatistics& s) {
    std::vector<std::string> out = {std::to_string(s.layer), std::to_string(s.head), s.role()};
    for (const auto& [name, value] : numbers_of(s)) out.push_back(fmt::format("{:.3f}", value));
    return out;
}

std::string csv_of(const std::vector<HeadStatistics>& all) {
    std::string out = fmt::format("{},even_previous,even_same,even_after_same\n", fmt::join(columns(), ","));
    for (const HeadStatistics& s : all) {
        out += fmt::format("{},{},{}", s.layer, s.head, s.role());
        for (const auto& [name, value] : numbers_of(s)) out += fmt::format(",{}", value);
        out += fmt::format(",{},{},{}\n", s.previous.even, s.same.even, s.after_same.even);
    }
    return out;
}

/// Every head of an expression model as a table of its weights.
void print_heads(const Reading& r) {
    for (const Tensor<double>& weights : r.layers)
        for (Index h = 0; h < weights.dim(0); ++h)
            fmt::print("head {}\n{}\n", h, figures::heat_table(figures::head_of(weights, h), r.symbols, r.symbols));
}

int run_heads(const HeadsCommand& c) {
    const Reading r = checkpoint_task(c.checkpoint) == Task::expressions ? read_expression(c) : read_text(c);
    OutFolder folder("heads", c.out, {"index.html", "heads.csv"});
    const std::vector<Tensor<double>>& layers = r.layers;
    const std::string dropped = unlabelled(r);
    std::vector<HeadStatistics> all;
    figures::Page page("What the heads attend to");
    page.paragraph(
        fmt::format("Text of {} symbols; {} layers of {} heads. Each row of a map is a query, each column a key it may see.",
                    r.ids.size(), layers.size(), layers[0].dim(0)));
    if (!dropped.empty()) page.paragraph("For want of room " + dropped + ".");
    std::vector<std::pair<std::filesystem::path, std::string>> files;
    std::vector<figures::Figure> pictures;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::vector<HeadStatistics> some = head_statistics(layers[i], r.ids, static_cast<Index>(i), r.keys);
        all.insert(all.end(), some.begin(), some.end());
        pictures.push_back(layer_figure(r, static_cast<Index>(i)));
        files.emplace_back(fmt::format("layer{}.svg", i), figures::svg_document(pictures.back()));
    }
    std::vector<std::vector<std::string>> rows;
    for (const HeadStatistics& s : all) rows.push_back(row_of(s));
    page.table(columns(), rows,
               "Shares of the weight by what the key is to the query; entropy over its largest, distance in symbols");
    for (const figures::Figure& picture : pictures) page.figure(picture);
    files.emplace_back("heads.csv", csv_of(all));
    files.emplace_back("index.html", page.html());
    folder.write(files);
    std::error_code none;
    for (std::size_t i = layers.size(); fs::remove(folder.path() / fmt::format("layer{}.svg", i), none);)
        ++i;  // of a deeper model
    if (c.json) {
        Json heads = Json::array();
        for (const HeadStatistics& s : all) {
            Json head{{"layer", s.layer}, {"head", s.head}, {"role", s.role()}};
            for (const auto& [name, value] : numbers_of(s)) head[name] = value;
            heads.push_back(head);
        }
        fmt::print("{}", check::json_line({{"schema", 1},
                                           {"symbols", r.ids.size()},
                                           {"unlabelled", dropped},
                                           {"heads", heads},
                                           {"out", folder.path().string()}}));
        return kOk;
    }
    if (r.keys == Keys::all) print_heads(r);
    fmt::print("{}\n", experiments::table_text(columns(), rows));
    if (!dropped.empty()) fmt::print("{}\n\n", dropped);
    for (const auto& file : files)
        fmt::print("{}  {}\n", &file == files.data() ? "files" : "     ", printable((folder.path() / file.first).string(), 400));
    return kOk;
}

void set_up_heads(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Runs a text through a trained model, or an expression such as Max(1,6,2) through one of expressions, and reports for each
head how evenly and how far it attends, and how much of its weight goes to the symbol itself, the ones before and after,
the first, another place of the same symbol, and the symbol that followed it there. Heatmaps of all heads go into index.html
and one SVG per layer; which symbols they have no room to label is said.)page",
         .exit_status = R"page(0 done
2 bad usage, a bad checkpoint, a text with symbols the model does not know, or one that is no expression)page",
         .examples = R"page(gradproof heads --checkpoint runs/text --text 'the same and the same' --out heads
gradproof heads --checkpoint runs/multi-head --text 'Max(1,6,2)' --out heads)page",
         .json = "schema symbols unlabelled heads[{layer head role entropy distance itself previous next first same after_same}] "
                 "out"});
    auto c = std::make_shared<HeadsCommand>();
    command.option("--checkpoint", c->checkpoint, "Folder written by gradproof train").takes("FOLDER").required();
    command.option("--text", c->text, "What the model reads: at most its context, or an expression").required();
    command.option("--out", c->out, "Folder for index.html, heads.csv and the pictures").takes("FOLDER").required();
    command.flag("--json", c->json, "One JSON object on stdout");
    command.runs([c] { return run_heads(*c); });
}
const NewCommand kHeads("heads", "What each head of a trained model attends to, as numbers and pictures", set_up_heads);

}  // namespace

}  // namespace gradproof::cli
