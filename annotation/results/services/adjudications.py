"""An expert's judgment of an item: it stands in the place of the people's, and theirs are kept."""

from collections.abc import Collection
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction

from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services import release_events
from annotation.core.services.imported_rules import NO_ANSWERS
from annotation.core.services.locks import lock_study
from annotation.kinds.queries.adjudications import in_words
from annotation.kinds.registry import kind_of
from annotation.models import Adjudication, Block, Item, Phase, Question, Study
from annotation.results.queries.disputes import rules_of


class AdjudicatedMeanwhileError(AnnotationError):
    """Another expert decided since the page was shown; nothing of theirs is replaced unseen."""

    status = 409


def refusal(study: Study) -> Said:
    """Why nothing of a study can be adjudicated; empty if something can."""
    if reason := kind_of(study).results.not_adjudicated:
        return reason
    if study.is_imported_table:
        return NO_ANSWERS
    if study.is_draft:
        return _("Open the study first: there are no answers to adjudicate yet.")
    return ""


@transaction.atomic
def adjudicate(
    *,
    study: Study,
    item: Item,
    phase: Phase,
    reason: str,
    by: User,
    rating: Decimal | None = None,
    categories: Collection[str] = (),
    seen: int | None = None,
) -> Adjudication:
    """Decide what an item's value in a phase is; an earlier decision is kept as taken back.

    `seen` is the key of the adjudication that the expert saw, 0 if there was none: where another
    one stands by now, AdjudicatedMeanwhileError is raised.
    """
    study = lock_study(study.pk)
    if refused := refusal(study):
        raise StateError(refused)
    reason = _reason(reason)
    _refuse_unasked(study, item, phase)
    chosen = rules_of(study).possible(study, rating, categories)
    standing = Adjudication.objects.current().filter(item=item, phase=phase).first()
    if standing:
        is_same = (standing.rating, standing.categories) == (rating, chosen)
        if is_same and (standing.reason, standing.by_id) == (reason, by.pk):
            return standing  # a double click
    if seen is not None and seen != (standing.pk if standing else 0):
        raise AdjudicatedMeanwhileError(_meanwhile(study, standing))
    now = clock.now()
    if standing:
        standing.lifted_at = now
        standing.save(update_fields=["lifted_at"])
    release_events.adjudicated(study, item=item.key, reason=reason, now=now)
    return Adjudication.objects.create(
        study=study,
        item=item,
        phase=phase,
        rating=rating,
        categories=chosen,
        reason=reason,
        by=by,
        made_at=now,
    )


@transaction.atomic
def lift(*, adjudication: Adjudication) -> Adjudication:
    """Take an adjudication back: the people's judgments stand again. That it was, is kept."""
    study = lock_study(adjudication.study_id)
    adjudication = Adjudication.objects.get(pk=adjudication.pk)
    if adjudication.lifted_at is None:
        adjudication.lifted_at = clock.now()
        adjudication.save(update_fields=["lifted_at"])
        release_events.lifted(study, item=adjudication.item.key, now=adjudication.lifted_at)
    return adjudication


def _reason(reason: str) -> str:
    if not reason.strip():
        raise AnnotationError(_("Enter a reason. It is stored with your decision."))
    if "\x00" in reason:
        raise AnnotationError(_("The reason contains a character that cannot be stored (NUL)."))
    return reason.strip()


def _refuse_unasked(study: Study, item: Item, phase: Phase) -> None:
    """Refuse what is no data: of another study or design, or asked to calibrate or to check."""
    of_design = phase.design_id == study.design.pk and phase.design.is_frozen
    questions = Question.objects.filter(
        item=item, block__phase=phase, block__purpose=Block.Purpose.MAIN
    )
    if item.study_id != study.pk or not of_design or not questions.exists():
        raise StateError(
            _("%(item)s is not in the main block of phase %(n)s, so it cannot be adjudicated.")
            % {"item": item.key, "n": phase.number}
        )


def _meanwhile(study: Study, standing: Adjudication | None) -> Said:
    if standing is None:
        return _(
            "Somebody took back the decision while you were on this page. Save again to enter "
            "yours."
        )
    return _(
        "While you were on this page, %(who)s decided: %(value)s. Save again to replace that "
        "decision with yours."
    ) % {"who": standing.by.get_username(), "value": in_words(standing, study)}
