"""`DATASHEET.md`: every question with what is known and what the authors answered."""

from annotation.core.exports.markdown import block, inline
from annotation.releases.exports.documents import naming
from annotation.releases.exports.documents.known import KnownFacts
from annotation.releases.exports.documents.questions import QUESTIONS

UNANSWERED = "Not answered by the authors."


def datasheet(known: KnownFacts) -> str:
    facts = known.release
    parts = [
        f"# Datasheet: {inline(naming.title(facts))}, version {facts.version}\n",
        "The questions are a short version of *Datasheets for Datasets* (Gebru et al. 2021)."
        " Quotations are the authors' answers. The other text was written by the software that"
        f" {'released' if known.is_imported else 'collected'} the data.\n",
    ]
    heading = ""
    for question in QUESTIONS:
        if question.heading != heading:
            heading = question.heading
            parts.append(f"## {heading}\n")
        answer = facts.datasheet.get(question.key, "").strip()
        answers = [part for part in (question.known(known), block(answer)) if part]
        parts.append(f"### {question.question}\n")
        parts.append("\n\n".join(answers or [UNANSWERED]) + "\n")
    return "\n".join(parts)
