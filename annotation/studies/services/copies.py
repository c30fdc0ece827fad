"""A copy of a study: a new draft with its texts, numbers and settings, with or without its items.

Nothing comes along that has to do with people: no answers, rosters, listings, links or log lines.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.queries.withdrawals import n_withdrawn
from annotation.core.services import jobs, repeated_jobs
from annotation.core.services.bounded_writes import Insert
from annotation.kinds.services import copied_material
from annotation.models import Item, Job, Study, Turn
from annotation.studies import presets
from annotation.studies.services import studies
from annotation.studies.services.filling import filling, last_keys, start_over

ITEMS_ARE_THERE = _("This study already has its items. Nothing was copied again.")
# Settings of collecting, beside those of every draft that is like another study.
_SETTINGS = ("link_open", "retention_days")


def proposed_title(study: Study) -> str:
    return str(_("%(study)s (copy)") % {"study": study.title})[: studies.MAX_TITLE_LENGTH]


def begin(*, study: Study, title: str, with_items: bool, by: User) -> Study:
    """Make the draft, which belongs to the person who copies; a job copies the items into it.

    Raises StateError if the study cannot be copied as it is now.
    """
    with transaction.atomic():
        draft = make_draft(study=study, title=title, with_items=with_items, by=by)
        if with_items and study.has_material:
            jobs.start(study=draft, kind=Job.Kind.COPY, parameters=job_parameters(study), by=by)
    return draft


@transaction.atomic
def make_draft(*, study: Study, title: str, with_items: bool, by: User, slug: str = "") -> Study:
    """The draft without its items, which a job with `job_parameters` copies."""
    if with_items:
        studies.refuse_filling(study)
    # Somebody may see a later round alone, or only read the earlier one: a round after it is its
    # editors' to make.
    earlier = Study.objects.edited_by(by).filter(later_rounds=study).first()
    if earlier is None and presets.review_of(study.preset):
        raise StateError(
            _(
                "This study uses items of another study that you cannot edit. Ask the "
                "owner of that study to make you an editor."
            )
        )
    return studies.create_like(
        study,
        owner_id=by.pk,
        slug=slug or studies.new_slug(title),
        title=title,
        parameters=_parameters(study, with_items=with_items, is_continuing=earlier is not None),
        earlier_round=earlier,
        **{name: getattr(study, name) for name in _SETTINGS},
    )


def job_parameters(study: Study) -> dict[str, Any]:
    return {"copied": study.pk}


@repeated_jobs.repeats(Job.Kind.COPY)
def repeat(job: Job, by: User) -> Job:
    """Queue the last copying again, which failed or was cancelled."""
    study = job.study
    last = study.jobs.filter(kind=Job.Kind.COPY).order_by("-pk").first()
    if last is None or study.has_material:
        raise StateError(ITEMS_ARE_THERE)
    if last.state in Job.UNFINISHED:
        return last
    if not Study.objects.seen_by(by).filter(pk=last.parameters["copied"]).exists():
        raise _gone()
    return jobs.start(
        study=study, kind=Job.Kind.COPY, parameters={"copied": last.parameters["copied"]}, by=by
    )


@jobs.does(Job.Kind.COPY)
def copy_job(run: jobs.Run) -> None:
    """Copy the items in short transactions; all of them, or none stays."""
    job = run.job
    source = jobs.seen_by_requester(job).filter(pk=job.parameters["copied"]).first()
    if source is None:
        raise _gone()
    start_over(run)
    n_done, n_all = 0, _n_rows(source)

    def begin_filling(study: Study) -> None:
        if not study.is_draft:
            raise StateError(_("The items have been frozen since the study was opened."))
        studies.refuse_filling(source)

    def on_rows(n: int) -> None:
        nonlocal n_done
        n_done += n
        run.progress(min(n_done / max(n_all, 1), 1.0), _("copying the items"))

    with filling(
        job.study, run, begin=begin_filling, keeps_material=False, on_rows=on_rows
    ) as draft:
        draft.delete_material()
        with _unchanged(source):
            _copy(draft.study, source, draft.insert)
        with draft.finish():
            """The items are there: from now on they count."""


def _copy(study: Study, source: Study, insert: Insert) -> None:
    items = list(source.items.select_related("pool").order_by("number"))
    contexts = copied_material.contexts(study, source, insert=insert)
    turns = copied_material.turns(source, contexts, insert=insert)
    pools = copied_material.pools(study, items, contexts, insert=insert)
    is_continuing = study.earlier_round_id is not None

    def columns(item: Item) -> dict[str, Any]:
        return {
            "earlier_rating": item.earlier_rating,
            "score_of_id": item.score_of_id,
            "derived_from_id": item.derived_from_id if is_continuing else None,
        }

    copies = copied_material.items(
        study, items, turns=turns, pools=pools, columns=columns, insert=insert
    )
    copied_material.checks(study, source, items=copies, pools=pools, insert=insert)


@contextmanager
def _unchanged(source: Study) -> Iterator[None]:
    """Raise StateError if the items were replaced, or lost an answer, while they were copied."""
    before = _stamp(source)
    changed = StateError(
        _("The items of %(study)s were changed while they were being copied. Try again.")
        % {"study": source.title}
    )
    try:
        yield
    except KeyError as error:
        # One kind of rows was read before the change, and another one after it.
        if _stamp(source) != before:
            raise changed from error
        raise
    if _stamp(source) != before:
        raise changed


def _stamp(source: Study) -> tuple[object, ...]:
    source.refresh_from_db(fields=["filling_job"])
    return last_keys(source), _n_rows(source), source.filling_job_id, n_withdrawn(source.pk)


def _n_rows(source: Study) -> int:
    n_turns = Turn.objects.filter(context__study=source).count()
    rows = (source.context_groups, source.contexts, source.pools, source.items, source.checks)
    return n_turns + sum(each.count() for each in rows)


def _parameters(study: Study, *, with_items: bool, is_continuing: bool) -> dict[str, Any]:
    """The numbers of the design without those that name what the draft does not have."""
    preset = presets.PRESETS.get(study.preset)
    if study.is_imported and preset is not None:
        # Its design only says what was imported.
        return dict(preset.parameters)
    parameters = dict(study.design.parameters)
    if not with_items and "calibration" in parameters:
        parameters["calibration"] = []
    if not is_continuing and parameters.get("repeat_from") == "earlier_round":
        parameters["repeat_from"] = "booklet"
    return parameters


def _gone() -> StateError:
    return StateError(_("The study to copy items from no longer exists. Import items instead."))
