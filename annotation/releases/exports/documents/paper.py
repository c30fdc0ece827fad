"""What goes into a paper: the methods in Markdown and LaTeX, tables, and the references."""

from collections.abc import Sequence

from annotation.core.exports.markdown import inline
from annotation.core.exports.paper_tables import PaperTable
from annotation.core.exports.prose import Paragraph, keys_of, markdown, tex
from annotation.items.exports.lexical_methods import lexical_tex
from annotation.releases.exports.documents import methods, naming
from annotation.releases.exports.documents.known import KnownFacts
from annotation.releases.exports.documents.references import REFERENCES, bibtex
from annotation.releases.queries.collected import Collected

_INPUT = (
    "% In UTF-8. Scripts other than Latin need XeLaTeX or LuaLaTeX with a font that has them.\n"
)


def methods_markdown(known: KnownFacts, paragraphs: Sequence[Sequence[Paragraph]]) -> str:
    keys = keys_of([sentence for paragraph in paragraphs for sentence in paragraph])
    references = "".join(f"- [@{key}] {inline(REFERENCES[key].in_words)}\n" for key in keys)
    return "\n".join(
        [
            f"# Methods: {inline(naming.title(known.release))}, version {known.release.version}\n",
            *(
                " ".join(markdown(sentence) for sentence in paragraph) + "\n"
                for paragraph in paragraphs
            ),
            *([f"## References\n\n{references}"] if keys else []),
        ]
    )


def methods_tex(paragraphs: Sequence[Sequence[Paragraph]]) -> str:
    text = "\n\n".join(
        "\n".join(tex(sentence) for sentence in paragraph) for paragraph in paragraphs
    )
    return f"{_INPUT}% The keys are those of references.bib.\n{text}\n"


def references_bib(paragraphs: Sequence[Sequence[Paragraph]]) -> str:
    keys = keys_of([sentence for paragraph in paragraphs for sentence in paragraph])
    return "\n".join(bibtex(key) for key in keys)


def tables_tex(known: KnownFacts) -> str:
    tables = [table.tex for table in _tables(known)]
    tables += known.leaderboards
    tables += [table.tex for table in known.of_result]
    tables += known.further
    if known.lexical:
        tables.append(lexical_tex(known.lexical))
    return f"% Needs \\usepackage{{booktabs,longtable}}.\n{_INPUT}\n" + "\n".join(tables)


def tables_markdown(known: KnownFacts) -> str:
    """Size, reliability, leaderboards and the tables of the result."""
    tables = [*_tables(known), *known.leaderboards_in_short, *known.of_result]
    return "\n".join(table.markdown for table in tables)


def _tables(known: KnownFacts) -> list[PaperTable]:
    facts = known.facts
    counts = [
        (name.replace("_", " "), f"{n:,}")
        for name, n in facts["counts"].items()
        # The rows of people add up; this one would be another count of them.
        if isinstance(n, int) and (name != "annotators" or known.is_table)
    ]
    tables = [
        PaperTable(
            f"{naming.title(known.release)}, version {known.release.version}: size.",
            "tab:size",
            ["", "n"],
            [*counts, *(() if known.is_table else _of_people(known.collected))],
        )
    ]
    if agreement := methods.agreement_rows(facts):
        caption = (
            "Reliability and agreement. The methods say what the intervals are over, and why some"
            " are missing. No interval is computed for the other rows; they are uncertain, too."
        )
        header = ["", "value", "95 % interval"]
        tables.append(PaperTable(caption, "tab:reliability", header, agreement))
    return tables


def _of_people(collected: Collected) -> list[tuple[str, str]]:
    return [
        ("answers that count", f"{collected.n_answers:,}"),
        ("annotators whose answers count", f"{collected.n_people:,}"),
        ("annotators excluded", f"{collected.n_excluded:,}"),
        ("annotators whose place was given to somebody else", f"{collected.n_surplus:,}"),
        ("annotators who withdrew", f"{collected.n_withdrawn:,}"),
    ]
