// `gradproof heads`: what the heads of a language model attend to over a text, as numbers and pictures.
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/nn/head_statistics.hpp"
#include "gradproof/nn/train/checkpoint.hpp"
#include "tools/cli/help.hpp"
#include "tools/cli/out_folder.hpp"
#include "tools/experiments/report.hpp"
#include "tools/figures/heatmap.hpp"
#include "tools/figures/page.hpp"

namespace gradproof::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct HeadsCommand {
    std::string checkpoint{}, text{}, out{};
    bool json = false;
};

/// The heads of a layer, two in a row.
figures::Figure layer_figure(const Tensor<double>& weights, const std::vector<std::string>& symbols, Index layer) {
    const Index heads = weights.dim(0), length = weights.dim(1);
    std::vector<figures::Figure> maps;
    for (Index h = 0; h < heads; ++h) {
        const std::span<const double> head(weights.data() + h * length * length, static_cast<std::size_t>(length * length));
        maps.push_back(figures::draw(figures::Heatmap{.title = fmt::format("layer {}, head {}", layer, h),
                                                      .values = Tensor<double>::from({length, length}, head),
                                                      .cells = figures::causal_cells(length, length),
                                                      .row_labels = symbols,
                                                      .column_labels = symbols,
                                                      .row_axis = "query",
                                                      .column_axis = "key",
                                                      .unit = "weight"}));
    }
    return figures::grid(fmt::format("Attention of layer {}", layer), maps, 2);
}

/// The numbers of a head by their names in tables, CSV and JSON.
std::vector<std::pair<std::string, double>> numbers_of(const HeadStatistics& s) {
    return {
        {"entropy", s.entropy},    {"distance", s.distance}, {"itself", s.itself.weight},        {"previous", s.previous.weight},
        {"first", s.first.weight}, {"same", s.same.weight},  {"after_same", s.after_same.weight}};
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

int run_heads(const HeadsCommand& c) {
    const std::unique_ptr<TextModel> model = load_text_model(c.checkpoint);
    const std::vector<Tensor<double>> layers = model->attention(c.text);
    const std::vector<Index> ids = model->vocabulary().encode(c.text);
    if (ids.size() < 2) value_error("heads: the text has 1 symbol, expected at least 2");
    OutFolder folder("heads", c.out, {"index.html", "heads.csv"});
    std::vector<std::string> symbols;
    for (const Index id : ids) symbols.push_back(model->vocabulary().label(id));
    std::vector<HeadStatistics> all;
    figures::Page page("What the heads attend to");
    page.paragraph(
        fmt::format("Text of {} symbols; {} layers of {} heads. Each row of a map is a query, each column a key it may see.",
                    ids.size(), layers.size(), layers[0].dim(0)));
    std::vector<std::pair<std::filesystem::path, std::string>> files;
    std::vector<figures::Figure> pictures;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::vector<HeadStatistics> some = head_statistics(layers[i], ids, static_cast<Index>(i));
        all.insert(all.end(), some.begin(), some.end());
        pictures.push_back(layer_figure(layers[i], symbols, static_cast<Index>(i)));
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
        fmt::print("{}",
                   check::json_line({{"schema", 1}, {"symbols", ids.size()}, {"heads", heads}, {"out", folder.path().string()}}));
        return kOk;
    }
    fmt::print("{}\n", experiments::table_text(columns(), rows));
    for (const auto& file : files)
        fmt::print("{}  {}\n", &file == files.data() ? "files" : "     ", printable((folder.path() / file.first).string(), 400));
    return kOk;
}

void set_up_heads(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Runs a text through a trained language model and reports for each head how evenly and how far back it attends, and how
much of its weight goes to the symbol itself, the one before, the first, an earlier place of the same symbol, and the
symbol that followed it there. Heatmaps of all heads go into index.html and one SVG per layer.)page",
         .exit_status = R"page(0 done
2 bad usage, a bad checkpoint, or a text with symbols the model does not know)page",
         .examples = "gradproof heads --checkpoint runs/text --text 'the same and the same' --out heads",
         .json = "schema symbols heads[{layer head role entropy distance itself previous first same after_same}] out"});
    auto c = std::make_shared<HeadsCommand>();
    command.option("--checkpoint", c->checkpoint, "Folder written by gradproof train").takes("FOLDER").required();
    command.option("--text", c->text, "What the model reads: at most its context").required();
    command.option("--out", c->out, "Folder for index.html, heads.csv and the pictures").takes("FOLDER").required();
    command.flag("--json", c->json, "One JSON object on stdout");
    command.runs([c] { return run_heads(*c); });
}
const NewCommand kHeads("heads", "What each head of a trained language model attends to, as numbers and pictures", set_up_heads);

}  // namespace

}  // namespace gradproof::cli
