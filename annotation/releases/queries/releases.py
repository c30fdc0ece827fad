"""Releases of a study: what they hold, what changed between them, what happened since."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import translation

from annotation.basics.cells import iso
from annotation.basics.sentences import Said, Sentence, read, stored
from annotation.basics.sentences import sentence as _
from annotation.core.exports.release_facts import Change, ReleaseFacts
from annotation.core.queries import counted_answers, material, run_sums
from annotation.kinds.contract.releases import ReleasesPart
from annotation.kinds.registry import kind_of
from annotation.models import Assignment, Design, Exclusion, Judgment, Release, Study
from annotation.releases.queries.release_events import told, told_next
from annotation.releases.queries.released_measures import Released, changes, released_measures
from annotation.releases.release_description import Description

STATES: dict[str, Sentence] = {
    Study.State.DRAFT: _("draft"),
    Study.State.OPEN: _("open"),
    Study.State.PAUSED: _("paused"),
    Study.State.CLOSED: _("closed"),
    Study.State.FINISHED: _("finished"),
    Study.State.IMPORTED: _("imported"),
}


@dataclass(frozen=True)
class Contents:
    """What a release that is made now would hold, in numbers."""

    n_items: int
    # Answers that count, and whose they are.
    n_judgments: int
    n_people: int
    last_judgment: int | None
    # Answers in its files by assignment, whether or not they count.
    shares: dict[int, int]
    # Measures, leaderboards, trained models, comparisons.
    measures: Released
    # What else files are made of, in numbers that change with it: which answers count, answers of
    # other rounds, and how many pairs there are to train on.
    sources: dict[str, Any]


def contents(study: Study) -> Contents:
    """Of the answers of people: simulated ones are never released."""
    design = study.design
    basis = counted_answers.basis(design, "people")
    return Contents(
        n_items=material.n_items(study),
        n_judgments=basis.n_judgments,
        n_people=len(counted_answers.n_answers_by_person(design, "people")),
        last_judgment=basis.last_judgment,
        shares=_shares(design),
        measures=released_measures(study),
        sources={
            "counted": basis.sum_of_keys,
            "other_rounds": kind_of(study).results.other_sources(study, "people"),
            **kind_of(study).releases.sources(study),
        },
    )


def _shares(design: Design) -> dict[int, int]:
    """Standing answers of people by assignment, also of those that are left out of the scores."""
    answers = Judgment.objects.current().filter(assignment=OuterRef("pk"))
    answered = Assignment.objects.filter(
        Exists(answers),
        booklet__design=design,
        annotator__source__in=counted_answers.SOURCES["people"],
    )
    # Whoever answered nothing but checks is in its files, too.
    shares = dict.fromkeys(answered.order_by().values_list("pk", flat=True), 0)
    runs = counted_answers.runs_of(design, "people")
    return shares | run_sums.n_answers_by("assignment", runs)


def releases_of(study: Study) -> QuerySet[Release]:
    """Latest first."""
    return study.releases.select_related("design", "by").prefetch_related("events")


def latest(study: Study) -> Release | None:
    return study.releases.select_related("design").first()


def usual_description(study: Study) -> Description:
    """As the last release; else the study's title, and its owner as the author.

    Comments, which would be published unread, and exact times are asked for each time. Raises
    DescriptionError where nobody can be named.
    """
    if last := latest(study):
        return replace(Description.of_release(last), comments=False, exact_times=False)
    return Description.of(
        {"title": study.title, "authors": [{"name": study.owner.get_full_name()}]}
    )


# -- What changed -------------------------------------------------------------------------------


def differences(
    study: Study, now: Contents, last: Release | None, description: Description | None = None
) -> list[Said]:
    """What a release made now would change, a line for each.

    `description`: how it will be described, if that is known.
    """
    if last is None and study.is_imported_table:
        return [
            _("First release. Items with imported values: %(items)s.") % {"items": now.n_items}
        ]
    part = kind_of(study).releases
    if last is None:
        return [
            part.first_release(
                study,
                n_items=now.n_items,
                n_judgments=now.n_judgments,
                n_people=now.n_people,
            )
        ]
    lines = [*_of_answers(now, last), *(told_next(event) for event in last.events.all())]
    lines += _of_study(study, now, last, description)
    lines += part.later_rounds(study, last)
    lines += _of_sources(part, now, last)
    if not lines:
        same = _("Items and answers are the same as those of release %(number)s.")
        lines.append(same % {"number": last.number})
    return lines + changes(now.measures, last.measures)


def _of_answers(now: Contents, last: Release) -> list[Said]:
    before = dict(last.shares.values_list("assignment", "n_judgments"))
    added = sum(max(0, n - before.get(pk, 0)) for pk, n in now.shares.items())
    lines: list[Said] = []
    if added:
        new = set(_annotators(set(now.shares))) - set(_annotators(set(before)))
        lines.append(
            _("Answers added: %(judgments)s; people added: %(people)s.")
            % {"judgments": added, "people": len(new)}
        )
        standing = Exclusion.objects.in_force()
        n_excluded = sum(standing.filter(annotator__in=some).count() for some in _batches(new))
        if n_excluded:
            lines.append(_("Of the people added, excluded: %(n)s.") % {"n": n_excluded})
    # Also where the totals are the same by chance: what counts now may not have counted before.
    if added or (now.n_judgments, now.n_people) != (last.n_judgments, last.n_people):
        lines.append(
            _(
                "Answers that count: %(judgments)s (people: %(people)s). In release "
                "%(number)s: %(before)s (people: %(people_before)s)."
            )
            % {
                "judgments": now.n_judgments,
                "people": now.n_people,
                "number": last.number,
                "before": last.n_judgments,
                "people_before": last.n_people,
            }
        )
    return lines


def _of_sources(part: ReleasesPart, now: Contents, last: Release) -> list[Said]:
    """What changed in files though the study's own answers and items may be the same."""
    lines: list[Said] = []
    if not last.sources:
        return lines
    if now.n_judgments == last.n_judgments and now.sources["counted"] != last.sources["counted"]:
        lines.append(
            _("Different answers count than in release %(number)s.") % {"number": last.number}
        )
    if now.sources["other_rounds"] != last.sources["other_rounds"]:
        lines.append(_("Answers of other rounds have changed; files and figures use them."))
    return lines + part.changed_sources(now.sources, last.sources)


def _annotators(assignments: set[int]) -> Iterable[int]:
    for keys in _batches(assignments):
        batch = Assignment.objects.filter(pk__in=keys)
        yield from batch.values_list("annotator", flat=True)


def _batches(keys: set[int]) -> Iterator[list[int]]:
    """A database takes only so many values in one question."""
    wanted = sorted(keys)
    for start in range(0, len(wanted), 500):
        yield wanted[start : start + 500]


def _of_study(
    study: Study, now: Contents, last: Release, description: Description | None
) -> list[Said]:
    pairs: list[tuple[Sentence, Said | int, Said | int]] = [
        (_("Items: %(now)s; before: %(before)s."), last.n_items, now.n_items),
        (
            _("Number of the design: %(now)s; before: %(before)s."),
            last.design.number,
            study.design.number,
        ),
        (
            _("State of the study: %(now)s; before: %(before)s."),
            STATES[last.state],
            STATES[study.state],
        ),
    ]
    if description:
        before = last.description
        pairs += [
            (
                _("Title: “%(now)s”; before: “%(before)s”."),
                before["title"],
                description.title,
            ),
            (
                _("Licence: %(now)s; before: %(before)s."),
                before["licence"] or _("none"),
                description.licence or _("none"),
            ),
        ]
    return [
        sentence % {"before": was, "now": is_now}
        for sentence, was, is_now in pairs
        if str(was) != str(is_now)
    ]


# -- What happened since ------------------------------------------------------------------------


def change_log(release: Release) -> tuple[Change, ...]:
    """A release and the earlier ones, latest first, with what happened since; in English."""
    newest = latest(release.study)
    return _changes(release, newest.number if newest else release.number, until=None)


def changes_before(study: Study, number: int) -> tuple[Change, ...]:
    """The change log that a release of this number begins from; in English."""
    last = latest(study)
    return _changes(last, number, until=None) if last else ()


def facts_of(release: Release) -> ReleaseFacts:
    """What the documents of a release were written from: the same whenever it is asked."""
    return facts(
        Description.of_release(release),
        number=release.number,
        made_at=release.made_at,
        changes=_changes(release, release.number, until=release.number),
    )


def facts(
    description: Description, *, number: int, made_at: datetime, changes: tuple[Change, ...]
) -> ReleaseFacts:
    return ReleaseFacts(
        number=number,
        made_at=made_at,
        title=description.title,
        summary=description.summary,
        authors=description.authors,
        licence=description.licence,
        url=description.url,
        doi=description.doi,
        keywords=description.keywords,
        funding=description.funding,
        contact=description.contact,
        changes=changes,
        datasheet=dict(description.datasheet),
        exact_times=description.exact_times,
        comments=description.comments,
        metadata=description.metadata,
    )


def _changes(release: Release, newest: int, *, until: int | None) -> tuple[Change, ...]:
    """`until`: what happened before the release of that number was made."""
    changes: list[Change] = []
    earlier = releases_of(release.study).filter(number__lte=release.number)
    for release_before in earlier:
        events = [
            e for e in release_before.events.all() if until is None or e.latest_number < until
        ]
        changes += (
            Change(
                release_before.number,
                event.at,
                _in_english([told(event, newest=newest)]),
                is_later=True,
            )
            # In the order in which they happened: of one person the last one holds.
            for event in events
        )
        changes.append(
            Change(
                release_before.number, release_before.made_at, _in_english(release_before.changes)
            )
        )
    return tuple(changes)


def own_change(number: int, made_at: datetime, lines: Sequence[str]) -> Change:
    """Of a release that is being made; `lines` as they will be stored."""
    return Change(number, made_at, _in_english(lines))


def _in_english(lines: Iterable[Said]) -> tuple[str, ...]:
    """Sentences, or lines as they are stored: files are in English for everybody."""
    with translation.override("en"):
        return tuple(read(line) if isinstance(line, str) else str(line) for line in lines)


def stored_lines(notes: str, lines: Iterable[Said]) -> list[str]:
    """The researcher's own words first, a line each."""
    own = [" ".join(line.split()) for line in notes.splitlines() if line.strip()]
    return [stored(line) for line in [*own, *lines]]


def described(release: Release) -> dict[str, Any]:
    """A release as JSON, with its change log."""
    return {
        "study": release.study.slug,
        "number": release.number,
        "made_at": iso(release.made_at),
        "state": release.state,
        "design": release.design.number,
        "n_items": release.n_items,
        "n_judgments": release.n_judgments,
        "n_people": release.n_people,
        "n_bytes": release.n_bytes,
        "sha256": release.digest,
        "code_version": release.code_version,
        "description": release.description,
        "notes": release.notes,
        "options": release.options,
        "changes": [
            {
                "release": change.number,
                "at": iso(change.at),
                "is_later": change.is_later,
                "lines": list(change.lines),
            }
            for change in change_log(release)
        ],
    }
