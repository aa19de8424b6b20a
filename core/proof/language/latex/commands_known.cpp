// Commands of text.
#include "gradproof/core/proof/language/latex/commands_known.hpp"

#include <algorithm>

#include "gradproof/core/proof/language/characters.hpp"

namespace gradproof::proof::latex {
namespace {

/// Of LaTeX and of packages in common use. Those that define commands anew are not among them, but for the ones that are read.
constexpr std::string_view kCommands =
    "AA AE Aboxed Alph Arabic BibTeX Cref DeclareMathOperator DeclarePairedDelimiter HUGE Huge L LARGE LaTeX LaTeXe Large "
    "MakeLowercase MakeUppercase O OE P Roman S TODO TeX aa acknowledgements addbibresource addcontentsline address "
    "addtocounter addtolength ae affil affiliation allowbreak allowdisplaybreaks alph and appendix arabic author "
    "authorrunning "
    "autocite autoref backmatter baselineskip begin begingroup bf bfseries bibitem bibliography bibliographystyle bigskip "
    "bigbreak "
    "blacksquare bottomrule break c caption captionof captionsetup cc centering centerline chapter chaptermark "
    "checkmark cite citealp citealt citeauthor citenum citep citepos citet citetitle citeyear citeyearpar cleardoublepage "
    "clearpage cline cmidrule color colorbox columnbreak copyright cref crefname crefrange d dag date ddag def definecolor "
    "dedicatory discretionary documentclass documentstyle dots dotfill doublespacing egroup else em email emph "
    "end endgroup equation eqref evensidemargin excludecomment fbox fboxsep fi figurename flushbottom "
    "flushleft footnote footnotemark footnotesize footnotetext frame framebox framesubtitle frametitle frenchspacing "
    "frontmatter fontsize fullcite geometry global gradproof graphicspath group guillemotleft guillemotright hbox headheight "
    "hfil hfill hfilneg hline hrule hrulefill hskip hspace href huge hyperref hypersetup hyphenation i icmltitle iffalse iftrue "
    "ignorespaces include includegraphics includeonly indent index input institute it item itemsep itshape j keywords l label "
    "labelcref labelenumi labelitemi large ldots leavevmode leftmargin let linebreak linespread linewidth lipsum "
    "listoffigures "
    "listoftables listfiles lq lstinline lstset lstinputlisting mainmatter makeatletter makeatother makebox maketitle marginpar "
    "markboth markright mbox mdseries medskip medbreak microtypesetup midrule minipage multicolumn multirow "
    "nameref newblock newcommand newcounter newenvironment newif newline newpage newtheorem nobreak nocite nofiles noindent "
    "nolinebreak nolinkurl nonumber nopagebreak normalfont normalsize notag null numberwithin o oddsidemargin oe onecolumn "
    "onehalfspacing overfullrule pagebreak pagenumbering pagestyle paper paperwidth par paragraph paragraphs parbox "
    "parencite parindent parsep parskip part path phantomsection pounds printbibliography printindex protect providecommand "
    "qedhere qed qedsymbol qquad quad quotedblbase r raggedbottom raggedleft raggedright raisebox raggedcolumns ref refname "
    "relax renewcommand renewenvironment resizebox rightmargin rm rmfamily roman rotatebox rowcolor rq rule runningtitle "
    "sc scalebox scriptsize scshape section sectionmark selectfont selectlanguage setcitestyle setcounter setlength "
    "setlist setstretch sf sffamily singlespacing sl slshape small smallbreak smallskip smash ss stepcounter strut subcaption "
    "subparagraph subref subsection subsubsection subtitle t tableofcontents tabcolsep tabularnewline tag tagform textasciitilde "
    "textbackslash textbar textbf textbullet textcite textcolor textdegree textellipsis textemdash textendash textgreater "
    "textheight textit textless textmd textnormal textquotedblleft textquotedblright textquoteleft textquoteright "
    "textquotesingle textregistered textrm textsc textsf textsl textstyle textsuperscript textsubscript texttrademark texttt "
    "textunderscore textup textwidth thanks the theequation thefootnote theoremstyle thepage thesection thispagestyle "
    "tiny title titlerunning tmp today topmargin topsep toprule triangleright tt ttfamily twocolumn u unboldmath underline "
    "unskip uppercase upshape url usepackage usetheme usetikzlibrary v vbox verb vfil vfill vline vphantom vref vrule vskip "
    "vspace wrapfigure xspace xrightarrow "
    "todo sout st xout hcancel missingfigure phantom footcite footcitetext citealp subjclass MSC pacs texorpdfstring "
    "leftskip rightskip hangindent hangafter penalty newlength smallbreak settowidth arraystretch arraybackslash newcolumntype "
    "ding faGithub orcid orcidlink And AND iclrfinalcopy icmlauthor icmlaffiliation abstract enquote textquote blockquote "
    "foreignlanguage "
    "bm dotso dotsc gls glspl acrshort acrlong acrfull ac acp acs acl ";
constexpr std::string_view kEnvironments =
    "abstract acknowledgements acknowledgments algorithm algorithmic align alignat aligned answer appendices appendix array "
    "assumption "
    "axiom block boxed cases center claim code columns column comment conjecture corollary definition description displaymath "
    "displayquote dmath document empheq enumerate eqnarray equation example exercise fact figure filecontents flalign "
    "flushleft flushright footnotesize frame framed gather gathered hint itemize IEEEeqnarray landscape large lemma "
    "listing list longtable lstlisting math mdframed minipage minted multicols multline note notation numcases observation "
    "otherlanguage problem proof property proposition python question quotation quote remark samepage scriptsize "
    "sidewaysfigure sidewaystable small solution split subequations subfigure subnumcases subtable supplement table tabbing "
    "tabular tabularx tabulary tcolorbox thebibliography theorem threeparttable tikzpicture titlepage verbatim Verbatim verse "
    "wrapfigure wraptable xalignat aside titleblock keywords shaded oframed leftbar summary result step problems exercises "
    "lemmabox theorembox highlight important warning info tip ";

std::set<std::string_view> words_in(std::string_view list) {
    std::set<std::string_view> out;
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(' ', at), list.size());
        out.insert(list.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

/// The name behind \newcommand{\name} and \newtheorem{name}.
std::string_view name_behind(std::string_view text, std::size_t at) {
    while (at < text.size() && (text[at] == '*' || text[at] == '{' || text[at] == '\\' || text[at] == ' ')) ++at;
    std::size_t end = at;
    while (end < text.size() && small_letter(text[end]) != '\0') ++end;
    return text.substr(at, end - at);
}

}  // namespace

KnownCommands::KnownCommands(const Source& source) {
    const std::string_view text = source.text();
    const auto add_behind = [&](std::string_view command, std::set<std::string, std::less<>>& to) {
        for (std::size_t at = text.find(command); at != text.npos; at = text.find(command, at + 1))
            to.emplace(name_behind(text, at + command.size()));
    };
    for (const std::string_view command : {"\\newcommand", "\\renewcommand", "\\providecommand", "\\def", "\\let",
                                           "\\DeclareMathOperator", "\\NewDocumentCommand", "\\newif"})
        add_behind(command, commands_);
    for (const std::string_view command :
         {"\\newtheorem", "\\newenvironment", "\\renewenvironment", "\\newtcolorbox", "\\excludecomment", "\\declaretheorem"})
        add_behind(command, environments_);
}

bool KnownCommands::command(std::string_view name) const {
    static const std::set<std::string_view> kAll = words_in(kCommands);
    return name.empty() || kAll.contains(name) || commands_.contains(name);
}

bool KnownCommands::environment(std::string_view name) const {
    static const std::set<std::string_view> kAll = words_in(kEnvironments);
    if (name.ends_with('*')) name.remove_suffix(1);
    return kAll.contains(name) || environments_.contains(name);
}

}  // namespace gradproof::proof::latex
