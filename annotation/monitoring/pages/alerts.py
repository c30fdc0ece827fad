"""Alerts of a study: which stand now, where they go, and what became of each message."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import translation
from django.views.decorators.http import require_http_methods, require_POST

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import page_of, refusals, show, study_page, to, user_of
from annotation.core.services import workers
from annotation.models import AlertChannel, AlertDelivery, AlertKind, AlertRule, Study
from annotation.monitoring.forms import EmailForm, RulesForm, WebhookForm
from annotation.monitoring.queries import alerts as queries
from annotation.monitoring.services import alert_channels


@study_page
@require_http_methods(["GET", "POST"])
def alerts(request: HttpRequest, study: Study) -> HttpResponse:
    """The page; what is posted to it are the thresholds."""
    if request.method == "POST":
        form = RulesForm(_rule(study), request.POST)
        if form.is_valid():
            kinds = form.cleaned_data["kinds"]
            alert_channels.set_rules(
                study=study,
                stalled_hours=form.cleaned_data["stalled_hours"],
                muted=[kind for kind in AlertKind.values if kind not in kinds],
                by=user_of(request),
            )
            return to(study, "alerts")
        return _page(request, study, status=400, rules=form)
    return _page(request, study)


@study_page
@require_POST
def add_email(request: HttpRequest, study: Study) -> HttpResponse:
    form = EmailForm(study, user_of(request), request.POST)
    if form.is_valid():
        try:
            alert_channels.add_email(study=study, by=user_of(request), **form.cleaned_data)
        except AnnotationError as error:
            form.add_error(None, error.message)
        else:
            return to(study, "alerts")
    return _page(request, study, status=400, email=form)


@study_page
@require_POST
def add_webhook(request: HttpRequest, study: Study) -> HttpResponse:
    form = WebhookForm(request.POST)
    if form.is_valid():
        try:
            channel = alert_channels.add_webhook(
                study=study, by=user_of(request), **form.cleaned_data
            )
        except AnnotationError as error:
            form.add_error("url", error.message)
        else:
            return _secret(request, study, channel)
    return _page(request, study, status=400, webhook=form)


@study_page
@require_POST
def channel(request: HttpRequest, study: Study, channel_id: int) -> HttpResponse:
    """Test, switch, give a new secret to, or remove one channel."""
    chosen = get_object_or_404(study.alert_channels.select_related("user"), pk=channel_id)
    by = user_of(request)
    does = request.POST.get("do", "")
    with refusals(request):
        if does == "test":
            alert_channels.send_test(channel=chosen, by=by)
            sentence = _("A test message is on its way. Its state appears below.")
            messages.info(request, str(sentence))
        elif does in {"on", "off"}:
            alert_channels.switch(channel=chosen, is_on=does == "on", by=by)
        elif does == "remove":
            alert_channels.remove(channel=chosen, by=by)
        elif does == "secret":
            return _secret(request, study, alert_channels.rotate_secret(channel=chosen, by=by))
        else:
            raise AnnotationError(_("This button no longer works. Reload the page."))
    return to(study, "alerts")


def _secret(request: HttpRequest, study: Study, made: AlertChannel) -> HttpResponse:
    """Shown in the answer to the POST that made it, and never again."""
    return show(
        request,
        study,
        "monitoring/alert_secret.html",
        title=_("Webhook secret"),
        section="alerts",
        channel=made,
        secret=alert_channels.secret_of(made),
    )


def _rule(study: Study) -> AlertRule:
    return AlertRule.objects.filter(study=study).first() or AlertRule(study=study)


def _channels(study: Study) -> list[dict[str, Any]]:
    """Each with what became of its last message, where that did not arrive."""
    channels = list(study.alert_channels.select_related("user"))
    failing = queries.failing(channels)
    return [
        {
            "channel": channel,
            "failure": failing.get(channel.pk),
            "is_readable": alert_channels.is_readable(channel),
        }
        for channel in channels
    ]


def _page(request: HttpRequest, study: Study, *, status: int = 200, **forms: Any) -> HttpResponse:
    language = translation.get_language() or "en"
    page = page_of(
        request,
        AlertDelivery.objects.filter(channel__study=study).select_related(
            "channel__user", "alert"
        ),
        size=20,
    )
    earlier = study.alerts.exclude(cleared_at=None).order_by("-raised_at", "-pk")[:20]
    return show(
        request,
        study,
        "monitoring/alerts.html",
        title=_("Alerts"),
        section="alerts",
        status=status,
        standing=[(alert, queries.said(alert)) for alert in queries.standing_of(study)],
        earlier=[(alert, queries.said(alert)) for alert in earlier],
        channels=_channels(study),
        page=page,
        deliveries=page.object_list,
        is_worker_running=workers.is_running(),
        has_mail=bool(settings.EMAIL_HOST),
        rules=forms.get("rules") or RulesForm(_rule(study)),
        email=forms.get("email") or EmailForm(study, user_of(request), language=language),
        webhook=forms.get("webhook") or WebhookForm(language=language),
    )
