"""Linked rounds: a rating study whose items were rated, or selected, in an earlier study."""

from dataclasses import asdict

from django.contrib.auth.models import User
from django.db import transaction

from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import snapshots
from annotation.core.queries.withdrawals import n_withdrawn
from annotation.core.services import jobs, repeated_jobs
from annotation.core.services.locks import lock_study
from annotation.items.services.imports import drop_items
from annotation.kinds.registry import KINDS, kind_of
from annotation.kinds.services.design_rows import insert
from annotation.kinds.services.drawn_groups import EVERYTHING, Part, refuse_more
from annotation.kinds.services.earlier_rounds import Continued, EarlierRound
from annotation.models import Job, Study
from annotation.studies.services.copies import ITEMS_ARE_THERE
from annotation.studies.services.filling import filling, start_over

# -- In the background --------------------------------------------------------------------------


def refuse(
    *,
    earlier: Study,
    part: Part = EVERYTHING,
    kind: str,
) -> None:
    """Raise what would be refused of a draft of this kind, before anything is made.

    A job does the rest.
    """
    earlier_round = _check_earlier(earlier, kind=kind)
    part.check()
    n = earlier_round.count_groups(earlier)
    # What calibrates or checks is in no group, and taken as it is.
    if not n and not earlier.items.exists():
        raise earlier_round.nothing_in(earlier)
    refuse_more(n, part.n_groups)


def request(*, study: Study, earlier: Study, part: Part = EVERYTHING, by: User) -> Job:
    """Queue the job that replaces the items of a draft by those of an earlier study."""
    _check(study, earlier)
    part.check()
    return jobs.start(
        study=study,
        kind=Job.Kind.CONTINUE,
        parameters={"earlier": earlier.pk, **asdict(part)},
        by=by,
    )


@repeated_jobs.repeats(Job.Kind.CONTINUE)
def repeat(job: Job, by: User) -> Job:
    """Queue the last copying again, which failed or was cancelled."""
    study = job.study
    last = study.jobs.filter(kind=Job.Kind.CONTINUE).order_by("-pk").first()
    if last is None or study.earlier_round is None or study.has_material:
        raise StateError(ITEMS_ARE_THERE)
    if last.state not in Job.UNFINISHED:
        if not Study.objects.edited_by(by).filter(pk=study.earlier_round.pk).exists():
            raise StateError(_("The study to continue no longer exists."))
        last = request(
            study=study,
            earlier=study.earlier_round,
            part=Part.of(last.parameters),
            by=by,
        )
    return last


@jobs.does(Job.Kind.CONTINUE)
def continue_job(run: jobs.Run) -> None:
    """Copy the items of an earlier study in short transactions; all of them, or none stays."""
    job = run.job
    earlier = jobs.seen_by_requester(job).filter(pk=job.parameters["earlier"]).first()
    if earlier is None:
        raise StateError(_("The study to continue no longer exists."))
    start_over(run)
    run.progress(0.0, _("reading the earlier round"))
    n_done, n_all = 0, 1

    def begin(study: Study) -> None:
        _check(study, earlier)
        study.earlier_round = earlier
        study.save(update_fields=["earlier_round"])

    def on_rows(n: int) -> None:
        nonlocal n_done
        n_done += n
        run.progress(0.05 + 0.9 * min(n_done / n_all, 1.0), _("copying the items"))

    with filling(job.study, run, begin=begin, keeps_material=False, on_rows=on_rows) as draft:
        run.progress(0.02, _("deleting this draft's earlier items"))
        draft.delete_material()
        study = draft.study
        # All that people said is of one moment; contexts and items are frozen.
        with snapshots.snapshot():
            n_before = n_withdrawn(earlier.pk)
            earlier_round = _round_of(earlier, kind=study.kind)
            material = earlier_round.read(study, earlier, Part.of(job.parameters))
            n_all = material.n_rows
        material.copy(study, draft.insert)
        # A withdrawal holds the earlier round first, too: it comes before, and is noticed here,
        # or after, and finds every pair.
        with transaction.atomic():
            lock_study(earlier.pk)
            if n_withdrawn(earlier.pk) != n_before:
                raise StateError(
                    _("Somebody withdrew from %(study)s while it was being copied. Try again.")
                    % {"study": earlier.title}
                )
            with draft.finish() as study:
                material.finish(study)


# -- At once ------------------------------------------------------------------------------------


@transaction.atomic
def begin(*, study: Study, earlier: Study, part: Part = EVERYTHING) -> Continued:
    """Give a draft the items that an earlier study has for it, or a part of them.

    In one transaction: of a large study a job does it, see `request`. Raises StateError unless
    the study is a draft and the earlier one is closed or finished.
    """
    part.check()
    earlier = lock_study(earlier.pk)
    study = lock_study(study.pk)
    material = _check(study, earlier).read(study, earlier, part)
    _make_room(study, earlier)
    material.copy(study, insert)
    material.finish(study)
    return material.continued


def _make_room(study: Study, earlier: Study) -> None:
    drop_items(study)
    study.context_groups.all().delete()
    study.earlier_round = earlier
    study.save(update_fields=["earlier_round"])


def _check(study: Study, earlier: Study) -> EarlierRound:
    if not study.is_draft:
        raise StateError(
            _(
                "The items have been frozen since the study was opened. To continue, create a new"
                " study."
            )
        )
    if study.pk == earlier.pk:
        raise StateError(_("A study cannot continue itself."))
    return _check_earlier(earlier, kind=study.kind)


def _check_earlier(earlier: Study, *, kind: str) -> EarlierRound:
    """What a draft of this kind can take. Raises StateError if that is nothing, or not yet."""
    earlier_round = _round_of(earlier, kind=kind)
    if earlier.state not in Study.OVER:
        raise StateError(
            _("%(study)s is not closed yet. Close it first, so that its answers are complete.")
            % {"study": earlier.title}
        )
    return earlier_round


def _round_of(earlier: Study, *, kind: str) -> EarlierRound:
    earlier_round = kind_of(earlier).designs.earlier_round
    if earlier_round is None or not KINDS[kind].designs.continues_rounds:
        raise StateError(
            _(
                "Only a rating study can continue an earlier study, and that must be a "
                "rating or selection study."
            )
        )
    return earlier_round
