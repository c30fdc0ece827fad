"""What a study may spend: the cap, and the switch before it."""

from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.errors import RefusedError
from annotation.core.queries import commitments
from annotation.core.queries.commitments import CENT, NOTHING
from annotation.core.services import audit_log
from annotation.core.services.locks import lock_study
from annotation.models import Budget, Intent, Study

_FIRST_CAP = _(
    "Cap set to %(cap)s %(currency)s. Until then, there was no cap in this currency, so nothing "
    "could be spent in it."
)
_RAISED = _("Cap raised from %(before)s to %(cap)s %(currency)s.")
_LOWERED = _("Cap lowered from %(before)s to %(cap)s %(currency)s.")
_DRY = _("This study is in a dry run: nothing more is published or paid.")
_WET = _("This study may publish and pay, up to its cap.")
# What the history says of who let money be spent.
SAID_OF_LIMITS = (_FIRST_CAP, _RAISED, _LOWERED, _DRY, _WET)


class BudgetError(AnnotationError):
    """It would cost more than the study may spend."""

    status = 409
    code = "over_budget"


@transaction.atomic
def set_cap(*, study: Study, currency: str, cap: Decimal, by: User | None) -> Budget:
    """Say how much a study may spend at most; raising and lowering are the same.

    A cap below what is committed already stops everything that costs more, and takes nothing back.
    """
    lock_study(study.pk)
    cap = in_cents(cap)
    if cap < 0:
        raise AnnotationError(_("A cap cannot be negative; 0 means that nothing may be spent."))
    before = Budget.objects.filter(study=study, currency=currency).first()
    budget, _made = Budget.objects.update_or_create(
        study=study, currency=currency, defaults={"cap": cap}
    )
    values = {"before": before.cap if before else "", "cap": cap, "currency": currency}
    if before is None:
        audit_log.write(study=study, message=_FIRST_CAP % values, by=by)
    elif before.cap != cap:
        sentence = _RAISED if cap > before.cap else _LOWERED
        audit_log.write(study=study, message=sentence % values, by=by)
    return budget


@transaction.atomic
def set_dry_run(*, study: Study, dry_run: bool, by: User | None) -> Study:
    """Let a study ask platforms for things, or keep it from that."""
    study = lock_study(study.pk)
    if study.dry_run == dry_run:
        return study
    study.dry_run = dry_run
    study.save(update_fields=["dry_run"])
    audit_log.write(study=study, message=_DRY if dry_run else _WET, by=by)
    return study


def cap_of(study: Study, currency: str) -> Decimal:
    """The cap; 0 if nobody has set one."""
    budget = Budget.objects.filter(study=study, currency=currency).first()
    return budget.cap if budget else NOTHING


def other_currencies(study: Study, currency: str) -> list[str]:
    """The currencies of the study's caps if it has none in this one; else none."""
    capped = Budget.objects.filter(study=study, cap__gt=0).order_by("currency")
    currencies = list(capped.values_list("currency", flat=True))
    return [] if currency in currencies else currencies


def left(study: Study, currency: str) -> Decimal:
    """What may still be committed; negative if the cap was lowered below what is."""
    return cap_of(study, currency) - commitments.committed(study, currency)


def at_price(intent: Intent, cost: Decimal, study: Study) -> dict[str, Decimal]:
    """What an intent commits, and its fee, at the platform's own price; the study is locked.

    Raises RefusedError if the cap does not allow it. A price below what somebody gets is not
    believed.
    """
    more = cost - intent.commits
    if cost < intent.pays:
        return {}
    if more > 0 and more > left(study, intent.currency):
        raise RefusedError(
            _(
                "According to the platform, this costs %(cost)s %(currency)s, which the study's "
                "cap does not allow. Raise the cap, and request it again."
            )
            % {"cost": cost, "currency": intent.currency}
        )
    return {"commits": cost, "fee": cost - intent.pays}


def in_cents(amount: Decimal) -> Decimal:
    """The same amount with two places; refused if that would change it."""
    if not amount.is_finite():
        raise AnnotationError(_("Write the amount as a number, such as 12.50."))
    cents = amount.quantize(CENT)
    if cents != amount:
        raise AnnotationError(
            _("%(amount)s has too many decimals; write at most two.") % {"amount": amount}
        )
    return cents
