"""The README of a release: what it is, how to load it, how to cite it, and every column."""

from annotation.core.exports.markdown import block, inline
from annotation.core.exports.members import Table
from annotation.kinds.best_worst.exports import tables as best_worst_tables
from annotation.kinds.rating.exports import items_latex
from annotation.releases.exports.documents import citation, licences, naming
from annotation.releases.exports.documents.croissant import set_name
from annotation.releases.exports.documents.front_matter import front_matter
from annotation.releases.exports.documents.known import KnownFacts
from annotation.releases.exports.documents.questions import comments_in_words

_DOCUMENTS = {
    "study.json": "the questions, the design, counts and statistics",
    "DATASHEET.md": "a datasheet: why and how the data were collected",
    "METHODS.md": "a description of the methods for a paper; `methods.tex` is the same in LaTeX",
    "tables.md": "the main tables for a paper in Markdown",
    "tables.tex": "all tables for a paper in LaTeX; they require the packages booktabs and"
    " longtable",
    "references.bib": "the references for `METHODS.md` in BibTeX",
    "LICENSE": "how others may use the data",
    "CITATION.cff": "how to cite the data, for programs",
    "CHANGELOG.md": "what changed from release to release",
    "croissant.json": "metadata for programs, in MLCommons' Croissant format",
    "SHA256SUMS": "checksums of the files",
}


def readme(known: KnownFacts) -> str:
    facts = known.release
    name, table = known.main
    _heading, _line, rest = known.readme_text.partition("\n")
    summary = [block(facts.summary) + "\n"] if facts.summary.strip() else []
    simulated = [] if known.is_of_people else ["**No human being gave these answers.**\n"]
    parts = [
        front_matter(known),
        f"# {inline(naming.title(facts))}\n",
        *summary,
        *simulated,
        f"{known.about} This is release {facts.number} (version {facts.version}) of"
        f" {facts.made_at:%Y-%m-%d}, by {inline(naming.people(facts))}.\n",
        "## Files\n",
        "| file | rows | |\n|---|---:|---|\n"
        + "".join(
            f"| `{file}` | {table.n_rows:,} |{' **the data set itself**' * (file == name)} |\n"
            for file, table in known.tables
        )
        + "".join(
            f"| `{file}` | | {meaning} |\n"
            for file, meaning in (best_worst_tables.DOCUMENTS | items_latex.DOCUMENTS).items()
            if any(member.name == file for member in known.members)
        )
        + "".join(f"| `{file}` | | {meaning} |\n" for file, meaning in _DOCUMENTS.items()),
        f"Open `{name}` first. The last part of this README, *About the tables*, explains every"
        " table and every column.\n",
        _loading(name, table),
        f"## Licence\n\n{licences.statement(facts)}\n",
        _citation(known),
        _changes(known),
        _limitations(known),
        # What every export of the study says.
        f"## About the tables\n{rest}",
    ]
    return "\n".join(parts)


def _loading(name: str, table: Table) -> str:
    named = "\n    ".join(f"{column.name!r}," for column, kind in table.typed if kind != "text")
    record_set = set_name(name)
    split = "test" if name.startswith("test_") else "train"
    by_datasets = f"""\
With the library `datasets`, each table is a separate configuration. The head of this file defines
the types of its columns.

```python
from pathlib import Path

from datasets import load_dataset

data = load_dataset(str(Path.cwd()), "{record_set}", split="{split}")
print(data[0] if len(data) else data)
```

"""
    # An empty table is refused there.
    by_datasets = by_datasets if table.n_rows else ""
    by_croissant = f"""\
With the library `mlcroissant`, which uses `croissant.json`. It reads tables as pandas does by
default: a text such as `NA` becomes a missing value, and `007` becomes 7. If this matters for your
texts, use one of the other ways.

```python
import mlcroissant as mlc

dataset = mlc.Dataset("croissant.json")
data = list(dataset.records("{record_set}"))
print(data[:1])
```
"""
    return f"""\
## How to load it

Unpack the ZIP and run the code in its folder. With pandas, this code reads texts exactly as they
are (even `NA` or `007`) and converts the columns in the list to numbers:

```python
import pandas as pd

data = pd.read_csv("{name}", sep="\\t", dtype=str, keep_default_na=False)
for column in [
    {named}
]:
    data[column] = data[column].replace("", "nan").astype(float)
print(data.head())
```

{by_datasets}{by_croissant}"""


def _citation(known: KnownFacts) -> str:
    facts = known.release
    entry = f"```bibtex\n{citation.bibtex(facts)}```\n"
    return f"## Citation\n\n{inline(citation.line(facts))}\n\n{entry}"


def _changes(known: KnownFacts) -> str:
    changes = known.release.changes
    sections = []
    for change in changes:
        lines = (
            "".join(f"- {inline(line)}\n" for line in change.lines)
            or "- No changes were recorded.\n"
        )
        which = "After release" if change.is_later else "Release"
        sections.append(f"### {which} {change.number} ({change.at:%Y-%m-%d})\n\n{lines}")
    return "## Change log\n\n" + ("\n".join(sections) or "This is the first release.\n")


def _limitations(known: KnownFacts) -> str:
    lines = "".join(f"- {limitation}\n" for limitation in _known_limitations(known))
    answer = known.release.datasheet.get("limits", "").strip()
    return f"## Limitations\n\n{lines}" + (f"\n{block(answer)}\n" if answer else "")


def _known_limitations(known: KnownFacts) -> list[str]:
    collected = known.collected
    how = "`METHODS.md` describes this."
    if known.is_imported:
        how = "The software that released the data did not record this."
    limitations = [
        "Judgments depend on the people, on the question, and on the order of the questions."
        f" {how}"
    ]
    if known.is_table:
        return limitations
    limitations.append(
        "Reliability says how well more answers from the same people would reproduce the results."
        " Other people may agree less, and it says nothing about other texts or languages."
    )
    limitations.append(comments_in_words(known.release))
    if collected.n_excluded:
        limitations.append(
            "The researchers excluded annotators. Their answers are in `judgments.tsv` with the"
            " status `excluded` and do not count towards any score."
        )
    if collected.n_withdrawn:
        limitations.append(
            "Annotators withdrew. Their answers are deleted and are not in any later file."
        )
    return limitations
