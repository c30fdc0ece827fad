"""Withdrawing: asked once more, then done."""

from django.http import HttpRequest, HttpResponse

from annotation.answering.forms import WithdrawalForm, problem_with
from annotation.answering.pages.frame import Visitor, annotator_page, page, see_other
from annotation.answering.services import visits, withdrawal
from annotation.core.signals import load_receivers


@annotator_page("GET", "POST", after=True)
def withdraw(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    if not visitor.may_withdraw:
        return see_other(visitor.url("own"))
    if request.method != "POST":
        return page("answering/withdraw.html", whose=visitor)
    form = WithdrawalForm(request.POST)
    if not form.is_valid():
        context = {"error": problem_with(form, "confirm")}
        return page("answering/withdraw.html", context, whose=visitor, status=400)
    load_receivers()
    if visitor.visit:
        visits.withdraw(visit=visitor.visit)
    else:
        withdrawal.withdraw(annotator=visitor.annotator)
    return see_other(visitor.url("own"))
