"""The questions of a datasheet [Gebru2021] in our words, and what the system can say to each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotation.core.exports.figures import count, days
from annotation.core.exports.markdown import block, inline
from annotation.core.exports.release_facts import ReleaseFacts
from annotation.core.queries.further_columns import listed
from annotation.releases.exports.documents import licences, methods, naming
from annotation.releases.exports.documents.methods import left_out_of_file

if TYPE_CHECKING:
    from annotation.releases.exports.documents.known import KnownFacts

Answer = Callable[["KnownFacts"], str]


@dataclass(frozen=True)
class Question:
    # Of the answer in `ReleaseFacts.datasheet`.
    key: str
    heading: str
    question: str
    # What is known without asking; empty: nothing.
    known: Answer = lambda known: ""


def _funding(known: "KnownFacts") -> str:
    return inline(known.release.funding)


def _authors(known: "KnownFacts") -> str:
    return "; ".join(
        inline(
            f"{author.name} ({author.affiliation})" if author.affiliation.strip() else author.name
        )
        for author in naming.authors(known.release)
    )


def _instances(known: "KnownFacts") -> str:
    name, table = known.main
    if known.is_table:
        return f"{known.about} `{name}` has {count(table.n_rows, 'row')}."
    counts = known.facts["counts"]
    given = sum(counts["judgments"]["by_status"].values())
    return (
        f"{known.about} `{name}` has {count(table.n_rows, 'row')}. `judgments.tsv` has"
        f" {count(given, 'answer')}; {known.collected.n_answers:,} of them count."
    )


def _columns(known: "KnownFacts") -> str:
    name, table = known.main
    named = ", ".join(f"`{column.name}`" for column in table.columns)
    return f"`{name}`: {named}. The README explains every column of every table."


def _missing(known: "KnownFacts") -> str:
    if known.is_table:
        return "The individual answers behind the values are not in these files."
    counts = known.facts["counts"]["judgments"]
    left = [
        f"{n:,} {status}"
        for status, n in counts["by_status"].items()
        if n and status not in ("counted",)
    ]
    # As answers that somebody gave they count; they are in tables of their own.
    rows = {name: table.n_rows for name, table in known.tables}
    apart = [
        f"{rows[name]:,} {what}"
        for name, what in (
            ("calibration.tsv", "for calibration"),
            ("repeats.tsv", "repeated by the same person"),
        )
        if rows.get(name)
    ]
    if of_file := left_out_of_file(known.collected):
        left.append(f"and from the imported file {of_file}")
    answer = f"Answers that do not count: {', '.join(left) or 'none'}."
    if apart:
        answer += f" Of those that count, {' and '.join(apart)} are not part of any score."
    if counts["withdrawn"]:
        answer += f" Deleted, because people withdrew: {count(counts['withdrawn'], 'answer')}."
    return f"{answer} A score that cannot be computed is empty, not 0."


def _splits(known: "KnownFacts") -> str:
    files = [
        name for name, _table in known.tables if name.startswith(("train", "test", "held_out"))
    ]
    if not files:
        return "The data set is not divided."
    return f"These files: {', '.join(f'`{name}`' for name in files)}. The README explains them."


def _noise(known: "KnownFacts") -> str:
    return known.said(methods.reliability(known.facts))


def _personal(known: "KnownFacts") -> str:
    return personal_in_words(known, written=inline)


def personal_in_words(known: "KnownFacts", *, written: Callable[[str], str]) -> str:
    """What the files have of people, as far as Likeness knows; `written` escapes names."""
    of_columns = _columns_in_words(known, written)
    if known.is_table:
        return f"Likeness did not collect these data and adds nothing about people. {of_columns}"
    sentence = (
        "Annotators appear under random pseudonyms. Likeness writes no name, address or platform"
        f" id of an annotator into any file. {comments_in_words(known.release)}"
    )
    return f"{sentence} {of_columns}".strip()


def _columns_in_words(known: "KnownFacts", written: Callable[[str], str]) -> str:
    """What becomes of columns that were imported and that nobody was shown."""
    if not known.further_columns:
        return ""
    if not known.release.metadata:
        return "Other columns of the imported file are left out."
    named = written(listed(known.further_columns))
    return (
        f"These columns, which annotators did not see, are published: {named}. Only the authors"
        " know whether they reveal something about people."
    )


def comments_in_words(release: ReleaseFacts) -> str:
    if release.comments:
        return (
            "Comments of annotators are published word for word. If a comment is only “…”, the"
            " researchers removed its text."
        )
    return "Comments that annotators wrote beside their answers are left out."


def _collection(known: "KnownFacts") -> str:
    procedure = methods.asked(known.facts) + methods.annotations(known.facts)
    if known.is_imported:
        return known.said(procedure)
    return f"People answered in the browser, with the software Likeness. {known.said(procedure)}"


def _people(known: "KnownFacts") -> str:
    return known.said(methods.people(known))


def _paid(known: "KnownFacts") -> str:
    collected = known.collected
    payments = [
        f"{paid} {currency} were paid to people, and {fees} {currency} to platforms"
        for currency, paid, fees in collected.paid
    ]
    return f"According to the platforms, {'; '.join(payments)}." if payments else ""


def _time(known: "KnownFacts") -> str:
    collected = known.collected
    if not (collected.began_at and collected.ended_at):
        return ""
    return f"They were collected {days(collected.began_at, collected.ended_at)}."


def _consent(known: "KnownFacts") -> str:
    versions = [
        f"{count(consent.n_people, 'annotator')} agreed to version {consent.version}"
        " of the consent text"
        + (f" ({consent.n_withdrawn} withdrew later)" if consent.n_withdrawn else "")
        + (f":\n\n{block(consent.text)}\n" if consent.text.strip() else ", which is empty.")
        for consent in known.collected.consents
    ]
    if len(versions) > 1:
        versions.append("People who agreed to several versions are counted with each of them.")
    return "\n".join(versions)


def _withdrawal(known: "KnownFacts") -> str:
    if known.is_imported:
        return ""
    beginning = "Yes, annotators could withdraw on every page. "
    if n := known.collected.n_withdrawn:
        gone = "Their answers are deleted and are not in any later file."
        return f"{beginning}{count(n, 'annotator')} withdrew. {gone}"
    return f"{beginning}Nobody withdrew."


def _processing(known: "KnownFacts") -> str:
    return known.said(methods.scoring(known.facts))


def _raw(known: "KnownFacts") -> str:
    if known.is_table:
        return "No, only the values."
    return (
        "Yes. `judgments.tsv` contains every answer with its status, including answers that do not"
        " count. Answers of people who withdrew are deleted."
    )


def _software(known: "KnownFacts") -> str:
    versions = known.facts["versions"]
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"Yes. Likeness is free software. These versions were used: {named}. `README.md` lists"
        " commands that compute statistics from the files. Statistics that use random draws, such"
        " as split-half reliability and intervals, may differ in the third decimal."
    )


def _where(known: "KnownFacts") -> str:
    url, doi = naming.url(known.release), naming.doi(known.release)
    return " ".join(place for place in (url and f"<{url}>", doi and f"doi:{doi}") if place)


def _when(known: "KnownFacts") -> str:
    facts = known.release
    return f"Release {facts.number} (version {facts.version}): {facts.made_at:%Y-%m-%d}."


def _licence(known: "KnownFacts") -> str:
    return licences.statement(known.release)


def _contact(known: "KnownFacts") -> str:
    return inline(known.release.contact)


def _versions(known: "KnownFacts") -> str:
    return (
        "Releases are numbered and do not change. The change log in the README lists the"
        " differences, including withdrawals after a release."
    )


MOTIVATION, COMPOSITION = "Motivation", "Composition"
COLLECTION, PROCESSING = "Collection process", "Preprocessing, cleaning and labelling"
USES, DISTRIBUTION, MAINTENANCE = "Uses", "Distribution", "Maintenance"

QUESTIONS: tuple[Question, ...] = (
    Question("purpose", MOTIVATION, "What was the data set made for, and which gap does it fill?"),
    Question("creators", MOTIVATION, "Who made the data set, and on whose behalf?", _authors),
    Question("funding", MOTIVATION, "Who funded it?", _funding),
    Question(
        "instances", COMPOSITION, "What is one instance, and how many are there?", _instances
    ),
    Question("sampling", COMPOSITION, "How were the texts chosen, and from which larger set?"),
    Question("fields", COMPOSITION, "What does each instance consist of?", _columns),
    Question("missing", COMPOSITION, "Is anything missing, and why?", _missing),
    Question("relations", COMPOSITION, "How are instances related to one another?"),
    Question("splits", COMPOSITION, "Which parts are meant for training and testing?", _splits),
    Question("noise", COMPOSITION, "How noisy are the data, and are there errors?", _noise),
    Question("external", COMPOSITION, "Does it depend on external resources?"),
    Question("confidential", COMPOSITION, "Does it contain anything confidential or offensive?"),
    Question("personal", COMPOSITION, "Can people be identified from it?", _personal),
    Question("acquisition", COLLECTION, "How were the judgments collected?", _collection),
    Question("texts", COLLECTION, "Where do the texts come from, and how were they collected?"),
    Question("who_collected", COLLECTION, "Who gave the judgments, and for what reward?", _people),
    Question("pay", COLLECTION, "What were people paid?", _paid),
    Question("timeframe", COLLECTION, "When were the judgments collected?", _time),
    Question("ethics", COLLECTION, "Was there an ethical review?"),
    Question("consent", COLLECTION, "What did people agree to?", _consent),
    Question("withdrawal", COLLECTION, "Could they withdraw their consent?", _withdrawal),
    Question("impact", COLLECTION, "How may the data affect the people behind them or in them?"),
    Question("preprocessing", PROCESSING, "How did answers become scores?", _processing),
    Question("cleaning", PROCESSING, "How were the texts prepared?"),
    Question("raw", PROCESSING, "Are the raw answers available?", _raw),
    Question("software", PROCESSING, "Is the software available?", _software),
    Question("used", USES, "What has it been used for so far?"),
    Question("uses", USES, "What else could it be used for?"),
    Question("limits", USES, "What may make some uses unfair or unsound?"),
    Question("not_for", USES, "What should it not be used for?"),
    Question("distribution", DISTRIBUTION, "Where is it available?", _where),
    Question("released", DISTRIBUTION, "Since when?", _when),
    Question("licence", DISTRIBUTION, "Under which terms?", _licence),
    Question("third_parties", DISTRIBUTION, "Do others hold rights in the texts?"),
    Question("contact", MAINTENANCE, "Who maintains it, and how can they be reached?", _contact),
    Question(
        "updates", MAINTENANCE, "How is it updated, and where are updates announced?", _versions
    ),
    Question("retention", MAINTENANCE, "How long are identifying data kept?"),
    Question("contribute", MAINTENANCE, "How can others add to it or report an error?"),
)
