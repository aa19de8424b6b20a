// The experiments of tools/experiments, compiled into the module: their results as dictionaries, texts and files.
#include "gradproof/core/errors.hpp"
#include "tools/experiments/report.hpp"
#include "tools/python/src/calls.hpp"

namespace gradproof::python {
namespace {

using namespace experiments;

/// None for what is not finite, as in the program's JSON.
nb::object to_python(double x) { return std::isfinite(x) ? nb::object(nb::float_(x)) : nb::object(nb::none()); }
nb::object to_python(Index i) { return nb::int_(i); }
nb::object to_python(const std::string& text) { return nb::cast(text); }

nb::dict to_dict(const Finding& f) {
    nb::dict out;
    out["claim"] = f.claim;
    out["quantity"] = f.quantity;
    out["measured"] = to_python(f.measured.value);
    out["error"] = to_python(f.measured.error);
    out["low"] = to_python(f.low);
    out["high"] = to_python(f.high);
    out["held"] = f.held();
    out["verdict"] = nb::str(text(f.outcome()).data());
    return out;
}

nb::dict to_dict(const Table& t) {
    nb::list rows;
    for (const std::vector<Value>& row : t.rows) {
        nb::list values;
        for (const Value& v : row) values.append(std::visit([](const auto& x) { return to_python(x); }, v));
        rows.append(values);
    }
    nb::dict out;
    out["name"] = t.name;
    out["title"] = t.title;
    out["columns"] = t.columns;
    out["rows"] = rows;
    return out;
}

nb::dict described(const Experiment& e) {
    nb::dict out;
    out["schema"] = 1;
    out["number"] = e.number;
    out["experiment"] = std::string(e.name);
    out["title"] = std::string(e.title);
    out["setting"] = std::string(e.setting);
    return out;
}

nb::dict run(const std::string& name, std::uint64_t seed, bool quick, const Stop& stop) {
    const Context context{.seed = seed, .effort = quick ? Effort::quick : Effort::whole};
    const Experiment& e = find_experiment(name);
    Result result;
    std::vector<File> files;
    std::string terminal;
    {
        const nb::gil_scoped_release free;
        const ControlScope control(stop.control(), "experiment");
        result = e.run(context);
        files = files_of(e, context, result);
        terminal = terminal_text(e, result);
    }
    nb::dict out = described(e), written;
    nb::list findings, tables;
    for (const Finding& f : result.findings) findings.append(to_dict(f));
    for (const Table& t : result.tables) tables.append(to_dict(t));
    for (const File& f : files) written[f.name.string().c_str()] = f.text;
    out["findings"] = findings;
    out["tables"] = tables;
    out["files"] = written;
    out["text"] = terminal;
    return out;
}

}  // namespace

void bind_experiments(nb::module_& m) {
    m.def("experiments", [] {
        nb::list out;
        for (const Experiment& e : all_experiments()) out.append(described(e));
        return out;
    });
    m.def("run_experiment", run);
}

}  // namespace gradproof::python
