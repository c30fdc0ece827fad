"""Finished answers in the file of any tool: looked at, then imported as a whole."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User

from annotation.basics.categories import Categories
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.scale import Scale, plain
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services import jobs
from annotation.items.imports.foreign import reading
from annotation.items.imports.foreign.parsed_answers import Answer, Pair, ParsedAnswers
from annotation.items.imports.foreign.reading import FORMATS, Reading, ReadOptions, StudyContents
from annotation.items.imports.foreign.roles import named
from annotation.items.imports.judged_items import KnownItem
from annotation.items.imports.parsed_judgments import ParsedJudgment, ParsedJudgments
from annotation.items.imports.problems import shown
from annotation.items.services import imported_judgments, imported_pairs
from annotation.items.services.answer_rows import READ, ImportedJudgments, check_can_take
from annotation.kinds.contract.items import AnswerForm
from annotation.kinds.registry import kind_of
from annotation.models import Job, Study
from scoring import connected_items

Progress = Callable[[float, Said], None]


@dataclass(frozen=True)
class Source:
    """A file, and what has to be said of it."""

    path: str | Path | IO[bytes]
    format: str = "nrc"
    # The role of each field whose name does not tell it.
    columns: Mapping[str, str] = field(default_factory=dict)
    # Whose answers they are, if the file names nobody.
    person: str = ""
    pool_column: str = ""
    # Whether answers count that a requester of Mechanical Turk rejected.
    with_rejected: bool = False


@dataclass(frozen=True)
class AnswerPreview:
    """One answer of a file: the texts it is about, and what was best and worst, or the answer."""

    shown: list[str]
    answer: str
    worst: str = ""


@dataclass(frozen=True)
class FinishedFile:
    """A file that was read, and what its answers are about."""

    parsed: ParsedJudgments | ParsedAnswers
    # Primary keys of the items that the study has; empty: they come from the file.
    known: list[int]
    # What each field of the file was taken for.
    roles: list[tuple[str, str]]
    left_out: Mapping[str, int]
    # Times that could not be read, and where the first of them stands.
    n_unread: int
    first_unread: Said
    # Names of people who are in the file and answered nothing.
    without_answers: Sequence[str]
    # Target and candidate of each item, as its number says.
    texts: list[tuple[str, str]]
    _store: Callable[..., ImportedJudgments]

    @property
    def summary(self) -> dict[str, Any]:
        parsed = self.parsed
        compared = isinstance(parsed, ParsedJudgments)
        return {
            "n_judgments": len(parsed),
            "n_annotators": len(parsed.annotators or []) or len(parsed),
            "n_tuples": len(parsed.tuples) if isinstance(parsed, ParsedJudgments) else 0,
            "n_items": len(self.known) or len(parsed.items),
            "items_from_file": not self.known,
            "columns": dict(self.roles),
            "left_out": dict(self.left_out),
            "people_without_answers": list(self.without_answers),
            "unread_times": self.n_unread,
            "first_unread_time": str(self.first_unread),
            **({} if compared else {"categories": list(getattr(parsed, "categories", []))}),
        }

    @property
    def n_parts(self) -> int:
        """Into how many parts without a common item a pool falls; 1: none of them does.

        Items that the study had keep their pools, which the file cannot change.
        """
        parsed = self.parsed
        if self.known or not isinstance(parsed, ParsedJudgments):
            return 1
        parts = connected_items(np.array(parsed.tuples[:]), n_items=len(parsed.items))
        n = len(set(parts.tolist()) - {-1})
        return n if n > max(len(parsed.pools), 1) else 1

    def first(self, n: int = 5) -> list[AnswerPreview]:
        """The first answers that would be stored."""
        if isinstance(self.parsed, ParsedJudgments):
            return [self._compared(answer, self.parsed) for answer in islice(self.parsed, n)]
        return [self._answered(answer) for answer in islice(self.parsed, n)]

    def _compared(self, judged: ParsedJudgment, parsed: ParsedJudgments) -> AnswerPreview:
        shown = [self.texts[item][1] for item in parsed.tuples[judged.tuple]]
        return AnswerPreview(shown, self.texts[judged.best][1], self.texts[judged.worst][1])

    def _answered(self, answer: Answer) -> AnswerPreview:
        value = answer.value
        answer_text = " | ".join(value) if isinstance(value, tuple) else plain(value)
        return AnswerPreview([text for text in self.texts[answer.item] if text], answer_text)

    def store(self, study: Study, **how: Any) -> ImportedJudgments:
        return self._store(study, **how)


def _quietly(share: float, message: Said) -> None:
    """No progress is shown."""


def look(study: Study, source: Source, progress: Progress = _quietly) -> FinishedFile:
    """Read a file of finished answers to what a draft asks, and store nothing.

    Raises ImportProblemsError with every problem of the file, StateError if the study takes
    no finished answers.
    """
    check_can_take(study)
    if source.format not in FORMATS:
        raise AnnotationError(
            _("The format %(name)s is unknown: choose one of %(known)s.")
            % {"name": source.format, "known": ", ".join(FORMATS)}
        )
    kind = kind_of(study).items
    if kind.why_no_finished_answers:
        raise StateError(kind.why_no_finished_answers)
    if source.format == "nrc":
        if not kind.compares_items:
            raise StateError(
                _(
                    "A table with BestItem and WorstItem has best-worst answers, but this "
                    "is another kind of study. Create a best-worst study, or choose "
                    "another format."
                )
            )
        known, parsed = imported_judgments.read(
            study, source.path, pool_column=source.pool_column, progress=progress
        )
        return FinishedFile(
            parsed,
            [pk for pk, _item in known],
            [],
            {},
            0,
            "",
            [],
            [("", item.text) for item in [i for _pk, i in known] or parsed.items],
            lambda study, **how: imported_judgments.store(
                study=study, known=known, parsed=parsed, **how
            ),
        )
    if source.pool_column:
        raise StateError(_("Only a table with BestItem and WorstItem has a column of pools."))
    return _look_at_foreign(study, source, progress)


def _look_at_foreign(study: Study, source: Source, progress: Progress) -> FinishedFile:
    kind = kind_of(study).items
    items = imported_judgments.known_items(study) if kind.compares_items else []
    pairs = [] if kind.compares_items else imported_pairs.known_pairs(study)
    has_names = kind.answer_form == AnswerForm.NAMES and study.categories.get("names")
    read = reading.read(
        source.path,
        source.format,
        StudyContents(
            kind,
            [item for _pk, item in items],
            [pair for _pk, pair in pairs],
            _scale(study) if kind.answer_form == AnswerForm.NUMBER else None,
            Categories.of(study.categories) if has_names else None,
        ),
        ReadOptions(
            settings.IMPORT_LIMIT_BYTES, source.columns, source.person, source.with_rejected
        ),
        progress,
    )
    parsed = read.parsed

    def store(study: Study, **how: Any) -> ImportedJudgments:
        how["left_out"] = read.remarks.left_out
        if isinstance(parsed, ParsedJudgments):
            return imported_judgments.store(study=study, known=items, parsed=parsed, **how)
        return imported_pairs.store(study=study, known=pairs, parsed=parsed, **how)

    return FinishedFile(
        parsed,
        [pk for pk, _item in items] or [pk for pk, _pair in pairs],
        named(read.roles),
        read.remarks.left_out,
        read.remarks.n_unread,
        _unread(read),
        read.remarks.without_answers,
        _texts([item for _pk, item in items], [pair for _pk, pair in pairs], parsed),
        store,
    )


def _unread(read: Reading) -> Said:
    if not read.remarks.first_unread:
        return ""
    _line, name, value = read.remarks.first_unread
    return _("%(place)s: %(field)s is %(value)s") % {
        "place": read.unread_at,
        "field": name,
        "value": shown(value),
    }


def _texts(
    items: list[KnownItem], pairs: list[Pair], parsed: ParsedJudgments | ParsedAnswers
) -> list[tuple[str, str]]:
    if isinstance(parsed, ParsedJudgments):
        return [("", item.text) for item in items or parsed.items]
    return [(pair.target, pair.candidate) for pair in pairs or parsed.items]


def _scale(study: Study) -> Scale:
    if not study.scale:
        raise StateError(
            _(
                "The study has no scale yet, so ratings cannot be checked. Describe the "
                "scale first."
            )
        )
    return Scale.of(study.scale)


def forget_categories(study: Study) -> None:
    """Of a label study that is made for a file: its categories are those that the file names."""
    if study.categories:
        study.categories = {}
        study.save(update_fields=["categories"])


def import_finished(
    *,
    study: Study,
    source: Source,
    progress: Progress = _quietly,
    run: jobs.Run | None = None,
) -> dict[str, Any]:
    """Fill a draft with the answers of a file, which makes it imported; says what there was.

    All or nothing. A second time it is refused: answers are never replaced.
    """
    finished = look(study, source, lambda share, message: progress(READ * share, message))
    imported = finished.store(study, progress=progress, run=run)
    return {**finished.summary, **asdict(imported)}


def request(
    *, study: Study, upload: Mapping[str, str], read_options: Mapping[str, Any], by: User
) -> Job:
    """Queue the import of a file that `uploads.store_upload` keeps.

    `read_options` are the fields of `Source` besides its path, as the job stores them.
    """
    check_can_take(study)
    parameters = {
        **{name: upload[name] for name in ("path", "filename")},
        "finished": dict(read_options),
    }
    job = jobs.start(study=study, kind=Job.Kind.IMPORT_ITEMS, parameters=parameters, by=by)
    if job.parameters.get("path") != upload["path"]:
        raise AnnotationError(_("Another import is still running, so this file was not imported."))
    return job
