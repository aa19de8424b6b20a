"""Reports as HTML for notebooks: escaped, formulas in MathML, what is long folded away."""

from html import escape

import latex2mathml.converter

from . import _core
from ._source import kind_of

_COLOUR = {
    "right": "#1a7f37",
    "wrong": "#cf222e",
    "cannot tell": "#9a6700",
    "not read": "#9a6700",
    "not asked": "#6e7781",
}


def mathml(latex, otherwise):
    """The formula in MathML, or the text as code where there is no LaTeX of it."""
    if latex:
        try:
            return latex2mathml.converter.convert(latex)
        except Exception:  # a formula that it does not know is shown as text
            pass
    return f"<code>{escape(otherwise)}</code>"


def verdict(word):
    return f'<b style="color:{_COLOUR.get(word, "inherit")}">{escape(word)}</b>'


def folded(summary, text, is_open=False):
    return (
        f"<details{' open' if is_open else ''}><summary>{summary}</summary>"
        f'<pre style="white-space:pre-wrap">{escape(text)}</pre></details>'
    )


def table(rows):
    cells = "".join("<tr>" + "".join(f'<td style="text-align:left">{c}</td>' for c in row) + "</tr>" for row in rows)
    return f"<table>{cells}</table>"


def page(report):
    data = report.to_dict()
    if "contracts" in data:
        rows = [(verdict(c["verdict"]), escape(c["name"]), escape(c["told"])) for c in data["contracts"]]
        return f"<div>{verdict(report.verdict)} {escape(data['kernel'])}{table(rows)}{folded('report', str(report))}</div>"
    if "lines" not in data or report._source is None:
        return f"<div>{verdict(report.verdict)}{folded('report', str(report), True)}</div>"
    return f"<div>{_derivation(report, data)}{folded('report', str(report))}</div>"


def _derivation(report, data):
    lines = data["lines"]
    repairs = [line.get("diagnosis", {}).get("repair", "") for line in lines]
    texts = [line["text"] for line in lines]
    formulas = _core.latex_of(report._source.name, report._source.text, texts + repairs)
    if kind_of(report._source.name) == "tex":  # what is not a formula of the notation is LaTeX already
        formulas = [latex or text for latex, text in zip(formulas, texts + repairs, strict=True)]
    rows = []
    for line, repair, latex, repair_latex in zip(lines, repairs, formulas[: len(lines)], formulas[len(lines) :], strict=True):
        why = escape(line.get("diagnosis", {}).get("text", "") or line.get("reason", ""))
        if repair:
            why += "; write " + mathml(repair_latex, repair)
        rows.append((verdict(line["verdict"]), mathml(latex, line["text"]), why))
    title = f"<b>{escape(data.get('title') or data['file'])}</b> " if data.get("title") or data.get("file") else ""
    return f"{title}{verdict(report.verdict)}{table(rows)}"
