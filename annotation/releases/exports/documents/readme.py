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
    "croissant.json": "metadata for programs, in MLCommons' Croissant format",
    "DATASHEET.md": "a datasheet: how and why the data were made",
    "METHODS.md": "the methods paragraph of a paper; `methods.tex`: the same in LaTeX",
    "tables.md": "the main tables of a paper in Markdown",
    "tables.tex": "all tables in LaTeX; they require the packages booktabs and longtable",
    "references.bib": "the references for the methods",
    "LICENSE": "how others may use the data",
    "CITATION.cff": "how to cite the data, for programs",
    "SHA256SUMS": "checksums: `sha256sum -c SHA256SUMS`",
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
        + "".join(f"| `{file}` | | {meaning} |\n" for file, meaning in _DOCUMENTS.items())
        + "| `study.json` | | design, counts and statistics |\n",
        "Every column of every table is explained at the end.\n",
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
With `datasets`: each table is a configuration of its own, whose types stand at the head of this
file.

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
With `mlcroissant`, by the metadata in `croissant.json`. It reads tables as pandas does by default:
texts such as `NA` are missing then, and `007` is 7. Take another way where that matters.

```python
import mlcroissant as mlc

dataset = mlc.Dataset("croissant.json")
data = list(dataset.records("{record_set}"))
print(data[:1])
```
"""
    return f"""\
## How to load it

Unpack the ZIP and start in its folder. With pandas, texts as they are and numbers with all their
digits; every column that is not named is text, be it `NA` or `007`:

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
        lines = "".join(f"- {inline(line)}\n" for line in change.lines) or "- Nothing was noted.\n"
        which = "After release" if change.is_later else "Release"
        sections.append(f"### {which} {change.number} ({change.at:%Y-%m-%d})\n\n{lines}")
    return "## Change log\n\n" + ("\n".join(sections) or "This is the first release.\n")


def _limitations(known: KnownFacts) -> str:
    lines = "".join(f"- {limitation}\n" for limitation in _known_limitations(known))
    answer = known.release.datasheet.get("limits", "").strip()
    return f"## Limitations\n\n{lines}" + (f"\n{block(answer)}\n" if answer else "")


def _known_limitations(known: KnownFacts) -> list[str]:
    collected = known.collected
    how = "`METHODS.md` says how it was done here."
    if known.is_imported:
        how = "this was not recorded by the software that released the data."
    limitations = [f"Judgments depend on who was asked, on what, and in which order: {how}"]
    if known.is_table:
        return limitations
    limitations.append(
        "Reliability says how well people of the same kind would reproduce the order. It says"
        " nothing about other people, texts or languages."
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
