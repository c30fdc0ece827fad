"""Where a study's alerts go, and what it is watched for: all that a researcher changes there."""

import secrets
from collections.abc import Collection
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from annotation.basics import clock, encryption
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.public_addresses import target_of
from annotation.basics.sentences import sentence as _
from annotation.core.services import audit_log, throttle, wiping
from annotation.core.services.locks import lock_study
from annotation.models import AlertChannel, AlertDelivery, AlertKind, AlertRule, Study

MAX_CHANNELS = 20
TESTS_PER_HOUR = 5


@transaction.atomic
def set_rules(
    *, study: Study, stalled_hours: int, muted: Collection[str], by: User | None
) -> AlertRule:
    """Say after how many hours without an answer a study has stalled, and what it does without."""
    if not 1 <= stalled_hours <= 24 * 60:
        raise AnnotationError(_("Choose 1 to 1440 hours."))
    lock_study(study.pk)
    rule, _made = AlertRule.objects.get_or_create(study=study)
    muted = [kind for kind in AlertKind.values if kind in muted]
    if (rule.stalled_hours, rule.muted) != (stalled_hours, muted):
        rule.stalled_hours, rule.muted = stalled_hours, muted
        rule.save(update_fields=["stalled_hours", "muted"])
        audit_log.write(
            study=study,
            message=_("Alerts of the study changed; it counts as stalled after %(n)s h.")
            % {"n": stalled_hours},
            by=by,
        )
    return rule


@transaction.atomic
def add_email(*, study: Study, user: User, language: str, by: User) -> AlertChannel:
    """Write to a researcher of this study, at the address of the account and at no other one.

    So nobody can have mails sent to a stranger: accounts and their addresses are the
    administrator's.
    """
    lock_study(study.pk)
    if not settings.EMAIL_HOST:
        raise StateError(
            _("This server cannot send e-mail because EMAIL_HOST is not set. Use a webhook.")
        )
    if not sees(user, study):
        raise AnnotationError(_("Alerts go only to the owner and editors of this study."))
    if address_of(user) is None:
        raise AnnotationError(
            _(
                "The account “%(name)s” has no e-mail address. An administrator can "
                "enter it under Researchers, All settings."
            )
            % {"name": user.get_username()}
        )
    if study.alert_channels.filter(user=user).exists():
        raise AnnotationError(
            _("%(name)s already receives the alerts.") % {"name": user.get_username()}
        )
    _refuse_one_more(study)
    channel = AlertChannel.objects.create(
        study=study,
        kind=AlertChannel.Kind.EMAIL,
        user=user,
        language=language,
        created_by=by,
        created_at=clock.now(),
    )
    audit_log.write(
        study=study, message=_("Alerts go to %(where)s.") % {"where": user.get_username()}, by=by
    )
    return channel


@transaction.atomic
def add_webhook(*, study: Study, url: str, language: str, by: User) -> AlertChannel:
    """Post to a web address; the secret by which its messages are signed is shown once."""
    lock_study(study.pk)
    url = url.strip()
    target = target_of(url, allowed=settings.WEBHOOK_ORIGINS)
    if study.alert_channels.filter(url=url).exists():
        raise AnnotationError(_("This address already receives the alerts."))
    _refuse_one_more(study)
    channel = AlertChannel.objects.create(
        study=study,
        kind=AlertChannel.Kind.WEBHOOK,
        url=url,
        secret=encryption.encrypt(_new_secret(), study.pk, url),
        language=language,
        created_by=by,
        created_at=clock.now(),
    )
    # The path may hold a secret of the receiver's; the history has the host alone.
    audit_log.write(
        study=study, message=_("Alerts go to %(where)s.") % {"where": target.host}, by=by
    )
    return channel


def _refuse_one_more(study: Study) -> None:
    if study.alert_channels.count() >= MAX_CHANNELS:
        raise AnnotationError(_("A study can have at most 20 recipients. Remove one first."))


def _new_secret() -> str:
    return secrets.token_urlsafe(encryption.N_BYTES)


def secret_of(channel: AlertChannel) -> str:
    """What messages are signed with; raises DecryptionError once no key opens it any more."""
    return encryption.decrypt(channel.secret, channel.study_id, channel.url)


def is_readable(channel: AlertChannel) -> bool:
    """Whether messages can still be signed: not when SECRET_KEY was changed without a word."""
    try:
        secret_of(channel)
    except encryption.DecryptionError:
        return False
    return True


def encrypt_secrets() -> int:
    """Encrypt what stands in plain text, or was encrypted with an earlier key; return how many."""
    n_encrypted = 0
    for channel in AlertChannel.objects.filter(kind=AlertChannel.Kind.WEBHOOK):
        context = (channel.study_id, channel.url)
        if encryption.is_current(channel.secret, *context) or not is_readable(channel):
            continue
        # A secret that was made in this moment is not overwritten.
        n_encrypted += AlertChannel.objects.filter(pk=channel.pk, secret=channel.secret).update(
            secret=encryption.encrypt(secret_of(channel), *context)
        )
    if n_encrypted:
        wiping.wipe()
    return n_encrypted


@transaction.atomic
def rotate_secret(*, channel: AlertChannel, by: User) -> AlertChannel:
    """A new secret; every message from now on is signed with it, also one that is tried again."""
    if channel.kind != AlertChannel.Kind.WEBHOOK:
        raise AnnotationError(_("Only a webhook has a secret."))
    channel.secret = encryption.encrypt(_new_secret(), channel.study_id, channel.url)
    channel.save(update_fields=["secret"])
    sentence = _("New signing secret of the webhook at %(where)s.") % {"where": name_of(channel)}
    audit_log.write(study=channel.study, message=sentence, by=by)
    return channel


@transaction.atomic
def switch(*, channel: AlertChannel, is_on: bool, by: User) -> None:
    """What waits for a channel that is off is not sent, and stays where it can be seen."""
    if channel.is_on == is_on:
        return
    channel.is_on = is_on
    channel.save(update_fields=["is_on"])
    sentence = _("Alerts to %(where)s: on.") if is_on else _("Alerts to %(where)s: off.")
    audit_log.write(study=channel.study, message=sentence % {"where": name_of(channel)}, by=by)


@transaction.atomic
def remove(*, channel: AlertChannel, by: User) -> None:
    where = name_of(channel)
    study = channel.study
    channel.delete()
    audit_log.write(
        study=study, message=_("Alerts no longer go to %(where)s.") % {"where": where}, by=by
    )


def send_test(*, channel: AlertChannel, by: User) -> AlertDelivery:
    """Have a message sent that says it is a test; not so often that it becomes a nuisance."""
    if not channel.is_on:
        raise StateError(_("This recipient is switched off. Switch it on first."))
    throttle.count_try(bucket=f"alert-test/{channel.pk}", limit=TESTS_PER_HOUR, minutes=60)
    now = clock.now()
    with transaction.atomic():
        made = AlertDelivery.objects.create(channel=channel, created_at=now, next_try_at=now)
        sentence = _("A test message is on its way to %(where)s.") % {"where": name_of(channel)}
        audit_log.write(study=channel.study, message=sentence, by=by)
    return made


def name_of(channel: AlertChannel) -> str:
    """Whom or where, for the history: no path of an address, which may be a secret."""
    if channel.user is not None:
        return channel.user.get_username()
    return urlsplit(channel.url).hostname or ""


def sees(user: User, study: Study) -> bool:
    """Whether somebody may see the page Alerts, which readers do not."""
    return Study.objects.edited_by(user).filter(pk=study.pk).exists()


def address_of(user: User) -> str | None:
    """The address of an account, if it is one: nothing that could add a line to a message."""
    address = str(user.email)
    try:
        validate_email(address)
    except ValidationError:
        return None
    return address if address.isprintable() and " " not in address else None
