"""The steps of every desk: what they are decided from, and those that all studies have."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.sentences import Said
from annotation.core.pages import counts
from annotation.core.pages.frame import url
from annotation.core.pages.navigation import Text
from annotation.core.queries import counted_answers, progress
from annotation.core.queries.held_for_review import Held, held_for_review
from annotation.kinds.registry import kind_of
from annotation.models import Design, Job, Release, Study
from annotation.models.kinds import Source
from annotation.results.queries import outdated
from annotation.studies import presets
from annotation.studies.presets import placeholders
from annotation.studies.queries import overview

DONE, NEXT, LATER, UNFINISHED, RUNNING = "done", "next", "later", "unfinished", "running"
ANY_TIME = "any-time"


@dataclass
class Step:
    """One step on the desk."""

    number: int
    title: Text
    summary: Text
    state: str
    # (label, address, whether it is what to do now)
    actions: list[tuple[Text, str, bool]] = field(default_factory=list)
    job: Job | None = None
    warnings: list[str] = field(default_factory=list)
    link: str = ""
    # How many may join by it from one network in an hour.
    joins: int = 0
    places: progress.Places | None = None
    simulated: progress.Places | None = None
    # Where nobody has completed a booklet, so that all that can be seen is simulated.
    n_simulated_booklets: int = 0
    hides_free: bool = False
    # Why it cannot be done yet.
    waits_for: Text = ""

    @property
    def state_label(self) -> Text:
        return {
            DONE: _("done"),
            NEXT: _("next"),
            LATER: _("later"),
            RUNNING: _("running"),
            UNFINISHED: _("incomplete"),
            ANY_TIME: _("any time"),
        }[self.state]


@dataclass(frozen=True)
class Facts:
    """What the steps are decided from."""

    study: Study
    design: Design | None
    # Or its incidents, where those are imported.
    n_items: int
    n_dialogues: int
    # Those of at least one answer.
    n_results: int
    # What changed since the latest of them; empty: nothing, or there is none.
    changed_since: Said
    # Whether it was scored, and never with an answer.
    has_empty_result: bool
    # What a result or a release made now would be of.
    counted: counted_answers.Basis
    # What was sent too fast, and nobody has reviewed yet.
    held: Held
    last_release: Release | None
    missing_texts: list[str]
    places: progress.Places
    simulated: progress.Places
    # Of finished answers that were imported.
    has_answers: bool
    jobs: dict[str, Job]

    @property
    def n_counted(self) -> int:
        return self.counted.n_judgments

    @property
    def all_is_held(self) -> bool:
        """Whether there are answers, and each of them waits for review."""
        return bool(self.held) and not self.n_counted

    @property
    def n_simulated_booklets(self) -> int:
        """How many a program has completed; 0 once people have answers that count or wait."""
        return 0 if self.n_counted or self.held or self.n_results else self.simulated.done

    @property
    def is_made(self) -> bool:
        return bool(self.design and self.design.is_made)


def facts_of(study: Study, of_places: Mapping[str, progress.Places]) -> Facts:
    design = study.designs.order_by("-number").first()
    consent = study.consent_texts.order_by("-version").first()
    missing = placeholders(consent.text) if consent else []
    if not study.instructions.strip():
        missing.append(_("instructions"))
    latest = overview.latest_jobs([study])
    n_judgments = list(
        study.results.filter(population="people").values_list("n_judgments", flat=True)
    )
    counted = counted_answers.basis(study, "people")
    latest_result = study.results.filter(population="people").order_by("-pk").first()
    return Facts(
        study=study,
        design=design,
        n_items=kind_of(study).studies.n_material(study),
        n_dialogues=study.pools.exclude(context=None).count(),
        n_results=sum(n > 0 for n in n_judgments),
        has_empty_result=bool(n_judgments) and not any(n_judgments),
        changed_since=(
            outdated.since_of(latest_result, "people", counted) if latest_result else ""
        ),
        counted=counted,
        held=held_for_review(design, "people"),
        last_release=study.releases.first(),
        missing_texts=missing,
        places=of_places.get(Source.REAL, progress.Places()),
        simulated=of_places.get(Source.SIMULATED, progress.Places()),
        has_answers=Source.IMPORTED in of_places,
        jobs={kind: job for (_study, kind), job in latest.items()},
    )


def wait_for_review(step: Step, facts: Facts) -> None:
    """Let a step say that all answers are held for review, with the way there."""
    step.waits_for = ngettext(
        "%(n)s answer counts only after your review.",
        "%(n)s answers count only after your review.",
        facts.held.n_answers,
    ) % {"n": facts.held.n_answers}
    step.actions.append(review_of_held(facts.study))


def review_of_held(study: Study) -> tuple[Text, str, bool]:
    return _("Review them"), f"{url(study, 'people')}?show=held", False


def items_step(facts: Facts, number: int) -> Step:
    study = facts.study
    material = kind_of(study).studies.material(facts.n_items)
    if not facts.n_items:
        summary = _("Nothing imported yet.")
    elif facts.n_dialogues:
        summary = _("%(items)s in %(dialogues)s.") % {
            "items": material,
            "dialogues": counts.dialogues(facts.n_dialogues),
        }
    else:
        summary = f"{material}."
    label, address = _("Items"), url(study, "items")
    if study.is_draft and presets.review_of(study.preset):
        label, address = _("Choose the items"), url(study, "choose")
    elif study.is_draft or study.is_imported:
        label = _("Items") if facts.n_items else _("Import items")
    return Step(
        number,
        _("Import items"),
        summary,
        DONE if facts.n_items else LATER,
        [(label, address, False)],
    )


def release_step(facts: Facts, number: int) -> Step:
    """What others can cite: whether there is a release, and what came since."""
    study, last = facts.study, facts.last_release
    step = Step(
        number,
        _("Release"),
        _("No release yet. A release is a numbered copy of the data that others can cite."),
        LATER,
    )
    if last is None and not facts.counted.n_judgments:
        if facts.all_is_held:
            wait_for_review(step, facts)
            return step
        if not study.is_imported:
            step.waits_for = _("You can make a release once somebody has completed a booklet.")
            return step
        if not facts.n_items:
            step.waits_for = _("Import the items first.")
            return step
    step.actions = [(_("Releases"), url(study, "releases"), False)]
    if last is not None:
        came = facts.counted.n_judgments - last.n_judgments
        counted = last.sources.get("counted", facts.counted.sum_of_keys)
        is_same = (came, facts.counted.last_judgment, facts.counted.sum_of_keys) == (
            0,
            last.last_judgment,
            counted,
        )
        step.state = DONE if is_same else ANY_TIME
        held = {
            "number": last.number,
            "when": date_format(localtime(last.made_at), "DATE_FORMAT"),
        }
        if not last.n_judgments:
            summary = {**held, "items": counts.items(last.n_items)}
            step.summary = _("Release %(number)s of %(when)s, with %(items)s.") % summary
        else:
            step.summary = _("Release %(number)s of %(when)s, with %(answers)s. %(since)s") % {
                **held,
                "answers": counts.answers(last.n_judgments),
                "since": _since_release(came, is_same=is_same),
            }
    return step


def _since_release(came: int, *, is_same: bool) -> str:
    """What became of the answers that count."""
    if is_same:
        return _("The same answers count now.")
    if not came:
        return _("Other answers count now.")
    summary = (
        ngettext("%(n)s more answer counts now.", "%(n)s more answers count now.", came)
        if came > 0
        else ngettext("%(n)s answer fewer counts now.", "%(n)s answers fewer count now.", -came)
    )
    return summary % {"n": abs(came)}


def emphasise(steps: list[Step], number: int | None) -> None:
    """Mark one step as the next, and its first action as what to do now."""
    for step in steps:
        if step.number == number and step.state != RUNNING:
            step.state = NEXT
            step.actions = [
                (label, address, n == 0) for n, (label, address, _now) in enumerate(step.actions)
            ]
