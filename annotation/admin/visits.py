"""The review screen: who handed in what, and what shall become of it."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.admin.pages import (
    Confirmation,
    Text,
    confirm,
    done,
    page_of,
    refusals,
    show,
    study_page,
    to,
    user_of,
)
from annotation.errors import AnnotationError
from annotation.forms.listings import BonusForm, DecisionForm, NoteForm
from annotation.models import Listing, Study, Visit
from annotation.platforms import platform_of
from annotation.queries import visits as queries
from annotation.sentences import ngettext
from annotation.sentences import sentence as _
from annotation.services import decisions
from annotation.services.visits import DONE

LABELS = {
    "review": _("To decide"),
    "doubt": _("Doubtful"),
    "working": _("Working"),
    "decided": _("Decided"),
    "all": _("All"),
}
# In one request; more are on the next page.
_SIZE = 100


@study_page
@require_GET
def visits(request: HttpRequest, study: Study) -> HttpResponse:
    shown = request.GET.get("show", "review")
    if shown not in queries.SHOWN:
        shown = "review"
    page = page_of(request, queries.of_study(study, shown=shown), size=_SIZE)
    rows = queries.rows(study, page.object_list)
    counts = queries.counts(study)
    return show(
        request,
        study,
        "visits.html",
        title=_("Review"),
        section="platforms",
        page=page,
        rows=rows,
        shown=shown,
        tabs=[(name, label, counts.get(name, 0)) for name, label in LABELS.items()],
        actions=_actions(study),
        has_checks=any(row.checks for row in rows),
        has_compliance=any(row.compliance is not None for row in rows),
    )


def _actions(study: Study) -> list[tuple[str, Text]]:
    """Decisions that a platform of the study knows."""
    known = [platform_of(key).capabilities for key in {one.platform for one in _paid(study)}]
    possible = {
        "approve": bool(known),
        "exclude": bool(known),
        "reject": any(one.can_reject for one in known),
        "ask_return": any(one.can_ask_return for one in known),
    }
    return [(name, label) for name, label in DecisionForm.ACTIONS if possible[name]]


def _paid(study: Study) -> Sequence[Listing]:
    return [
        listing
        for listing in study.listings.all()
        if platform_of(listing.platform).capabilities.is_paid
    ]


@study_page
@require_POST
def decide(request: HttpRequest, study: Study) -> HttpResponse:
    """Say what will happen with the chosen visits; confirmed, do it, one by one."""
    chosen = _chosen(request, study)
    if not chosen:
        messages.warning(request, str(_("Choose at least one visit first.")))
        return to(study, "visits")
    form = DecisionForm(request.POST)
    is_confirmed = request.POST.get("confirmed") == "yes"
    is_valid = form.is_valid()
    if "action" in form.errors:
        messages.warning(request, str(_("Choose what to do with them first.")))
        return to(study, "visits")
    if is_confirmed and is_valid:
        return _decide(request, study, chosen, form.cleaned_data)
    return _confirm(request, study, chosen, form, is_confirmed=is_confirmed)


def _chosen(request: HttpRequest, study: Study) -> list[Visit]:
    wanted = [n for n in request.POST.getlist("visit") if n.isdecimal() and len(n) < 19]
    rows = queries.of_study(study, shown="all").filter(pk__in=wanted[:_SIZE])
    return list(rows)


def _confirm(
    request: HttpRequest,
    study: Study,
    chosen: list[Visit],
    form: DecisionForm,
    *,
    is_confirmed: bool,
) -> HttpResponse:
    action = form.cleaned_data.get("action", "")
    label = dict(DecisionForm.ACTIONS)[action]
    problem = "" if not is_confirmed else " ".join(str(each[0]) for each in form.errors.values())
    response = confirm(
        request,
        study,
        Confirmation(
            title=ngettext("%(what)s: %(n)s visit?", "%(what)s: %(n)s visits?", len(chosen))
            % {"what": str(label).capitalize(), "n": len(chosen)},
            consequences=_consequences(action, chosen),
            button=_("Confirm"),
            is_dangerous=action in {"reject", "exclude"},
        ),
        back="visits",
        section="platforms",
        asks_reason=action != "approve",
        reason=form.data.get("reason", ""),
        problem=problem,
        carried=[
            ("action", action),
            ("confirmed", "yes"),
            *(("visit", visit.pk) for visit in chosen),
        ],
    )
    if problem:
        response.status_code = 400
    return response


def _consequences(action: str, chosen: list[Visit]) -> list[Text]:
    sums: dict[str, Decimal] = {}
    for visit in chosen:
        if visit.listing:
            of = visit.listing.currency
            sums[of] = sums.get(of, Decimal("0.00")) + visit.listing.reward
    total = ", ".join(f"{amount} {currency}" for currency, amount in sorted(sums.items()))
    who = ", ".join(filter(None, (_pseudonym(visit) for visit in chosen)))
    named: list[Text] = [_("It is about: %(who)s.") % {"who": who}] if who else []
    if action == "approve":
        return [*named, _("They are paid: %(sum)s, and the platform's fee.") % {"sum": total}]
    if action == "exclude":
        return [
            *named,
            _("They are paid all the same: %(sum)s, and the platform's fee.") % {"sum": total},
            _("Their answers stay stored and are left out of scores; you can include them again."),
        ]
    if action == "reject":
        return [
            *named,
            _("They are not paid, and it harms their standing on the platform."),
            _("They read the reason. Where work was done, approve and exclude instead."),
        ]
    return [
        *named,
        _("The platform asks them to return it without pay; they may refuse."),
        _("They read the reason."),
    ]


def _pseudonym(visit: Visit) -> str:
    return visit.run.assignment.annotator.pseudonym if visit.run else ""


def _decide(
    request: HttpRequest, study: Study, chosen: list[Visit], wanted: dict[str, Any]
) -> HttpResponse:
    by, reason = user_of(request), wanted["reason"].strip()
    act: Callable[[Visit], object] = {
        "approve": lambda visit: decisions.approve(visit=visit, by=by),
        "exclude": lambda visit: decisions.approve(visit=visit, by=by, exclude=reason),
        "reject": lambda visit: decisions.reject(
            visit=visit, reason=reason, category=wanted["category"], by=by
        ),
        "ask_return": lambda visit: decisions.ask_return(visit=visit, message=reason, by=by),
    }[wanted["action"]]
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
        label = dict(DecisionForm.ACTIONS)[wanted["action"]]
        said = ngettext("%(what)s: %(n)s visit.", "%(what)s: %(n)s visits.", n_done)
        done(request, study, said % {"what": str(label).capitalize(), "n": n_done})
    return to(study, "visits")


@study_page
@require_http_methods(["GET", "POST"])
def visit(request: HttpRequest, study: Study, visit_id: int) -> HttpResponse:
    """One visit: what is known of it, its intents, a bonus, a note."""
    row = get_object_or_404(queries.of_study(study, shown="all"), pk=visit_id)
    sent = request.POST if request.method == "POST" else None
    does = request.POST.get("do", "")
    bonus = BonusForm(sent if does == "bonus" else None, prefix="bonus")
    note = NoteForm(sent if does == "note" else None, prefix="note", initial={"text": row.note})
    status = 200
    if sent is not None:
        status = 400
        form = {"bonus": bonus, "note": note}.get(does)
        if form is not None and form.is_valid():
            try:
                if does == "bonus":
                    decisions.bonus(visit=row, by=user_of(request), **form.cleaned_data)
                    said = _("A bonus of %(amount)s is on its way.")
                    done(request, study, said % {"amount": form.cleaned_data["amount"]})
                else:
                    decisions.note(visit=row, by=user_of(request), **form.cleaned_data)
                    done(request, study, _("Saved the note."))
            except AnnotationError as error:
                form.add_error(None, error.message)
                status = error.status
            else:
                return to(study, "visit", row.pk)
        elif does == "overturn":
            with refusals(request):
                decisions.overturn(visit=row, by=user_of(request))
                done(request, study, _("The rejection is being taken back."))
            return to(study, "visit", row.pk)
        elif does == "settle_doubt":
            with refusals(request):
                decisions.settle_doubt(visit=row, by=user_of(request))
                done(request, study, _("Nothing is in doubt about this visit any more."))
            return to(study, "visit", row.pk)
        elif does == "vouch":
            with refusals(request):
                decisions.vouch(visit=row, by=user_of(request))
                done(request, study, _("The answers of this visit count now."))
            return to(study, "visit", row.pk)
    [shown] = queries.rows(study, [row])
    assert row.listing is not None  # the query looks through the listing
    capabilities = platform_of(row.listing.platform).capabilities
    return show(
        request,
        study,
        "visit.html",
        title=_("Visit of %(who)s") % {"who": shown.pseudonym or row.submission_id or "–"},
        section="platforms",
        status=status,
        row=shown,
        bonus=bonus if capabilities.is_paid else None,
        note=note,
        events=row.events.order_by("-pk")[:50],
        may_vouch=row.verified_at is None
        and row.remote_state in {Visit.Remote.SUBMITTED, Visit.Remote.APPROVED}
        and row.outcome in DONE,
        may_overturn=capabilities.can_overturn and row.remote_state == Visit.Remote.REJECTED,
    )
