"""The review screen: who handed in what, and what shall become of it."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.text import capfirst
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.answering.services.visits import DONE
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.exports.columns import lines
from annotation.core.pages.frame import (
    done,
    hand_out,
    page_of,
    refusals,
    show,
    study_page,
    to,
    user_of,
)
from annotation.core.pages.navigation import Text
from annotation.core.platforms import platform_of
from annotation.crowds import exports as crowd_tables
from annotation.crowds.forms.decisions import (
    ActionForm,
    DecisionForm,
)
from annotation.crowds.pages import messages as message_part
from annotation.crowds.pages import visit_steps
from annotation.crowds.queries import visits as queries
from annotation.crowds.queries import wage_bonuses
from annotation.crowds.services import decisions
from annotation.models import Intent, Listing, Study, Visit
from annotation.models.kinds import Outcome

LABELS = {
    "review": _("Awaiting your decision"),
    "failed": _("Failed checks"),
    "asked": _("Asked to return"),
    "doubt": _("Doubtful"),
    "wrote": _("Wrote to us"),
    "working": _("Working"),
    "decided": _("Decided"),
    "all": _("All"),
}
# In one request; more are on the next page.
_SIZE = 100
# Decisions by which the reward is paid.
_PAYING = frozenset({"approve", "exclude"})


@study_page
@require_GET
def visits(request: HttpRequest, study: Study) -> HttpResponse:
    shown = request.GET.get("show", "review")
    if shown not in LABELS:
        shown = "review"
    page = page_of(request, queries.of_study(study, shown=shown), size=_SIZE)
    rows = queries.rows(study, page.object_list)
    counts = queries.counts(study)
    proposed = {"review": "approve", "failed": "exclude"}.get(shown, "")
    return show(
        request,
        study,
        "crowds/visits.html",
        title=_("Review"),
        section="platforms",
        page=page,
        rows=rows,
        shown=shown,
        tabs=[(name, label, counts.get(name, 0)) for name, label in LABELS.items()],
        page_query=f"show={shown}",
        actions=_actions(_paid(study)) if any(row.may_be_decided for row in rows) else [],
        is_paid=bool(_paid(study)),
        action=proposed or "approve",
        chosen={row.visit.pk for row in rows if proposed and row.proposes == proposed},
        earned=[(row, wage) for row in _paid(study) if (wage := wage_bonuses.earned(row))],
        has_listings=study.listings.count() > 1,
        panels=_panels(study),
        has_checks=any(row.checks for row in rows),
        has_agreement=any(row.agreement for row in rows),
        has_deadlines=any(row.approved_at for row in rows),
        passed=queries.passed(study) if shown == "review" else None,
    )


def _actions(listings: Iterable[Listing]) -> list[tuple[str, Text]]:
    """Decisions that a platform of the listings knows."""
    known = [platform_of(key).capabilities for key in {listing.platform for listing in listings}]
    possible = {
        "approve": bool(known),
        "exclude": bool(known),
        "reject": any(capabilities.can_reject for capabilities in known),
        "ask_return": any(capabilities.can_ask_return for capabilities in known),
    }
    return [(name, label) for name, label in ActionForm.ACTIONS if possible[name]]


def _paid(study: Study) -> Sequence[Listing]:
    return [
        listing
        for listing in study.listings.order_by("number")
        if platform_of(listing.platform).capabilities.is_paid
    ]


def _panels(study: Study) -> Sequence[Listing]:
    return [
        listing
        for listing in study.listings.order_by("number")
        if not platform_of(listing.platform).capabilities.is_paid
        and listing.state != Listing.State.DRAFT
    ]


@study_page
@require_GET
def credit(request: HttpRequest, study: Study, listing_id: int) -> HttpResponse:
    """Whom a panel gives credit to, as TSV by the panel's own ids."""
    listing = get_object_or_404(study.listings, pk=listing_id)
    if platform_of(listing.platform).capabilities.is_paid:
        # Ids of people whom a platform pays stay out of files.
        raise Http404
    # A person who comes chooses the id: it must be no formula where the list is opened.
    table = lines(crowd_tables.panel_credit(), queries.credit(listing), spreadsheet=True)
    text = "".join(table)
    response = HttpResponse(text, content_type="text/tab-separated-values; charset=utf-8")
    name = f"{study.slug}-listing-{listing.number}-credit.tsv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return hand_out(request, study, response)


@study_page
@require_POST
def decide(request: HttpRequest, study: Study) -> HttpResponse:
    """Say what will happen with the chosen visits; confirmed, do it, one by one."""
    chosen = _chosen(request, study)
    if not chosen:
        messages.warning(request, str(_("Select at least one visit first.")))
        return to(study, "visits")
    action_form = ActionForm(request.POST)
    if not action_form.is_valid():
        messages.warning(request, str(_("Choose what to do with the selected visits.")))
        return to(study, "visits")
    action = action_form.cleaned_data["action"]
    rows = queries.rows(study, chosen)
    is_confirmed = request.POST.get("confirmed") == "yes"
    form = DecisionForm(
        action,
        [platform_of(key).capabilities for key in sorted({row.platform for row in chosen})],
        request.POST if is_confirmed else None,
        reason=_usual_reason(action, chosen),
        pays_twice=action in _PAYING and any(row.is_compensated for row in rows),
    )
    if is_confirmed and form.is_valid():
        return _decide(request, study, chosen, action, form.cleaned_data)
    return show(
        request,
        study,
        "crowds/decide.html",
        title=ngettext("%(what)s: %(n)s visit?", "%(what)s: %(n)s visits?", len(chosen))
        % {"what": capfirst(_label(action)), "n": len(chosen)},
        section="platforms",
        status=400 if is_confirmed else 200,
        form=form,
        action=action,
        chosen=chosen,
        consequences=[*_consequences(action, chosen), *_paid_before(rows)],
        is_dangerous=action in {"reject", "exclude"},
        is_dry_run=study.dry_run,
    )


def _label(action: str) -> str:
    return str(dict(ActionForm.ACTIONS)[action])


def _usual_reason(action: str, chosen: list[Visit]) -> str:
    """Of those who failed the checks; anything else is to be said in words of one's own."""
    if action == "exclude" and all(row.outcome == Outcome.FAILED_CHECKS for row in chosen):
        return str(_("Failed the checks."))
    return ""


def _chosen(request: HttpRequest, study: Study) -> list[Visit]:
    wanted = [n for n in request.POST.getlist("visit") if n.isdecimal() and len(n) < 19]
    rows = queries.of_study(study, shown="all").filter(pk__in=wanted[:_SIZE])
    return list(rows)


def _consequences(action: str, chosen: list[Visit]) -> list[Text]:
    sums: dict[str, Decimal] = {}
    for visit in chosen:
        if visit.listing:
            unit = visit.listing.currency
            sums[unit] = sums.get(unit, Decimal("0.00")) + visit.listing.reward
    total = ", ".join(f"{amount} {currency}" for currency, amount in sorted(sums.items()))
    who = ", ".join(filter(None, (_pseudonym(visit) or visit.submission_id for visit in chosen)))
    named: list[Text] = [_("This concerns: %(who)s.") % {"who": who}] if who else []
    if action == "approve":
        return [*named, _("They are paid %(sum)s, plus the platform's fee.") % {"sum": total}]
    if action == "exclude":
        return [
            *named,
            _("They are still paid: %(sum)s, plus the platform's fee.") % {"sum": total},
            _(
                "Their answers stay stored but do not count towards any score. You "
                "can include them again."
            ),
        ]
    if action == "reject":
        return [
            *named,
            _("They are not paid, and the rejection harms their record on the platform."),
            _("They read your reason. If they did the work, approve it and exclude the answers."),
        ]
    return [
        *named,
        _("The platform asks them to return it without pay. They may refuse."),
        _("They read your reason."),
    ]


def _paid_before(rows: Iterable[queries.VisitRow]) -> list[Text]:
    """What those of whom it is about were paid already."""
    return [
        _("%(who)s has received or will receive a payment: %(what)s.")
        % {"who": row.pseudonym or row.visit.submission_id, "what": _sums(row)}
        for row in rows
        if row.payments
    ]


def _sums(row: queries.VisitRow) -> str:
    return ", ".join(
        f"{payment.get_kind_display()} {payment.pays} {payment.currency} ({payment.state_label})"
        for payment in row.payments
    )


def _pseudonym(visit: Visit) -> str:
    return visit.run.assignment.annotator.pseudonym if visit.run else ""


def _decide(
    request: HttpRequest, study: Study, chosen: list[Visit], action: str, wanted: dict[str, Any]
) -> HttpResponse:
    by, reason = user_of(request), wanted.get("reason", "")
    twice = wanted.get("although_compensated", False)
    act: Callable[[Visit], object] = {
        "approve": lambda visit: decisions.approve(visit=visit, by=by, although_compensated=twice),
        "exclude": lambda visit: decisions.approve(
            visit=visit, by=by, exclude=reason, although_compensated=twice
        ),
        "reject": lambda visit: decisions.reject(
            visit=visit, reason=reason, category=wanted.get("category", ""), by=by
        ),
        "ask_return": lambda visit: decisions.ask_return(visit=visit, message=reason, by=by),
    }[action]
    n_done = 0
    for visit in chosen:
        try:
            act(visit)
        except AnnotationError as error:
            # One by one: what is wrong with one visit stops none of the others.
            who = _pseudonym(visit) or visit.submission_id
            messages.error(request, f"{who}: {error.message}")
        else:
            n_done += 1
    if n_done:
        sentence = ngettext("%(what)s: %(n)s visit.", "%(what)s: %(n)s visits.", n_done)
        done(request, study, sentence % {"what": capfirst(_label(action)), "n": n_done})
    return to(study, "visits")


@study_page
@require_http_methods(["GET", "POST"])
def visit(request: HttpRequest, study: Study, visit_id: int) -> HttpResponse:
    """One visit: what is known of it, what was asked of its platform, a bonus, a note."""
    row = get_object_or_404(queries.of_study(study, shown="all"), pk=visit_id)
    assert row.listing is not None  # the query looks through the listing
    does = request.POST.get("do", "") if request.method == "POST" else ""
    if does in visit_steps.STEPS:
        with refusals(request):
            step = visit_steps.STEPS[does]
            if does == "overturn" and request.POST.get("although_compensated") == "on":
                step = partial(visit_steps.overturn, although_compensated=True)
            done(request, study, step(row, user_of(request)))
        return to(study, "visit", row.pk)
    forms = {
        name: form(request.POST if does == name else None, prefix=name, **options)
        for name, (form, options) in visit_steps.forms(row.listing).items()
    }
    status = 200
    if request.method == "POST":
        status = 400
        form = forms.get(does)
        if form is not None and form.is_valid():
            try:
                done(
                    request,
                    study,
                    visit_steps.ACTS[does](row, user_of(request), form.cleaned_data),
                )
            except AnnotationError as error:
                form.add_error(None, error.message)
                status = error.status
            else:
                return to(study, "visit", row.pk)
    [shown] = queries.rows(study, [row])
    capabilities = platform_of(row.platform).capabilities
    # A dry run sends nothing that pays or decides.
    may_pay = capabilities.is_paid and not study.dry_run
    return show(
        request,
        study,
        "crowds/visit.html",
        title=_("Visit: %(who)s") % {"who": shown.pseudonym or row.submission_id or "–"},
        section="platforms",
        status=status,
        row=shown,
        paid_before=_sums(shown),
        actions=_actions([row.listing]) if shown.may_be_decided and may_pay else [],
        action=shown.likeliest_decision,
        bonus=forms["bonus"] if may_pay else None,
        compensation=forms["compensation"] if shown.may_be_compensated and may_pay else None,
        is_held_back=capabilities.is_paid and study.dry_run,
        note=forms["note"],
        **message_part.section(row, forms["message"]),
        events=row.events.order_by("-pk")[:50],
        may_forget_key=row.key_hash is not None and decisions.is_open_to_next(row),
        may_vouch=row.verified_at is None
        and row.remote_state in {Visit.Remote.SUBMITTED, Visit.Remote.APPROVED}
        and row.outcome in DONE
        and row.run is not None,
        may_overturn=capabilities.can_overturn
        and not study.dry_run
        and row.remote_state == Visit.Remote.REJECTED
        and not any(intent.reason_code == Intent.OVERTURN for intent in shown.intents),
    )
