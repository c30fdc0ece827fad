"""The ledger: every step that was asked of a platform, and what a person must settle."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET, require_http_methods

from annotation.basics import clock
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.exports.columns import lines
from annotation.core.pages.frame import hand_out, page_of, refusals, show, study_page, to, user_of
from annotation.core.pages.navigation import Text
from annotation.core.platforms import platform_of
from annotation.crowds import exports as crowd_tables
from annotation.crowds.forms.listings import SettleForm
from annotation.crowds.queries import ledger as queries
from annotation.crowds.services import decisions, manual_settlement
from annotation.models import Intent, Study


@study_page
@require_GET
def ledger(request: HttpRequest, study: Study) -> HttpResponse:
    state = request.GET.get("state", "")
    if state not in Intent.State.values:
        state = ""
    page = page_of(request, queries.entries(study, state=state))
    return show(
        request,
        study,
        "crowds/ledger.html",
        title=_("Ledger"),
        section="platforms",
        page=page,
        entries=page.object_list,
        accounts=queries.accounts(study),
        state=state,
        page_query=f"state={state}" if state else "",
        states=Intent.State.choices,
    )


@study_page
@require_http_methods(["GET", "POST"])
def settle(request: HttpRequest, study: Study, intent_id: UUID) -> HttpResponse:
    """Somebody looked on the platform, and says what became of a doubtful step."""
    intent = get_object_or_404(queries.entries(study), pk=intent_id)
    does = request.POST.get("do", "settle") if request.method == "POST" else ""
    form = SettleForm(intent, request.POST if does == "settle" else None)
    status = 200
    if does in _STEPS:
        with refusals(request):
            sentence = _STEPS[does](intent, user_of(request))
            messages.success(request, str(sentence % {"what": intent.what}))
        return to(study, "ledger")
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                settled = manual_settlement.settle_by_hand(
                    intent=intent, by=user_of(request), **form.cleaned_data
                )
            except AnnotationError as error:
                form.add_error(None, error.message)
                status = error.status
                intent.refresh_from_db()
            else:
                sentence = (
                    _("Given up by hand: %(what)s.")
                    if settled.state == Intent.State.GIVEN_UP
                    else _("Settled by hand: %(what)s.")
                )
                messages.success(request, str(sentence % {"what": settled.what}))
                return to(study, "ledger")
    return show(
        request,
        study,
        "crowds/settle.html",
        title=_("What happened?"),
        section="platforms",
        status=status,
        intent=intent,
        form=form,
        is_marked=platform_of(intent.listing.platform).is_marked(intent),
        may_settle=intent.state == Intent.State.NEEDS_PERSON or intent.has_lapsed(clock.now()),
        may_ask=intent.kind != Intent.Kind.PUBLISH
        and intent.state in {Intent.State.REFUSED, Intent.State.GIVEN_UP},
        is_asking=intent.state in Intent.UNSETTLED,
        events=intent.events.order_by("-pk")[:20],
    )


def _look_again(intent: Intent, by: User) -> Text:
    manual_settlement.look_again(intent=intent, by=by)
    return _("Likeness asks the platform again what happened: %(what)s.")


def _ask_again(intent: Intent, by: User) -> Text:
    decisions.ask_again(intent=intent, by=by)
    return _("Requested again: %(what)s.")


_STEPS: dict[str, Callable[[Intent, User], Any]] = {"look": _look_again, "again": _ask_again}


@study_page
@require_GET
def payments(request: HttpRequest, study: Study) -> HttpResponse:
    """Every payment as TSV, by pseudonyms and the platform's ids of submissions."""
    # Read by people, in spreadsheets: no id may be a formula there.
    table = lines(crowd_tables.payments(), queries.payments(study), spreadsheet=True)
    text = "".join(table)
    response = HttpResponse(text, content_type="text/tab-separated-values; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-payments.tsv"'
    return hand_out(request, study, response)
