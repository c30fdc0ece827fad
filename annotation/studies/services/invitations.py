"""Accounts of researchers: invited by a link, switched off and on; nobody's is deleted.

A researcher's account needs no permission of Django's: staff status lets it in, and each study
says who may see it. The link is Django's for a new password: signed, for once, and for some days.
"""

import re
from dataclasses import dataclass
from smtplib import SMTPException

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext, ngettext

from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services import account_log

MAX_USERNAME_LENGTH = 150
_NOT_IN_USERNAMES = re.compile(r"[^\w.@+-]")


@dataclass(frozen=True)
class Invitation:
    """A link for setting a password, and whether the message with it was sent."""

    user: User
    link: str
    is_sent: bool = False
    # Why the message could not be sent.
    problem: Said = ""


class TakenError(AnnotationError):
    """Somebody has an account with this address."""


def invite(*, name: str, email: str, by: User) -> User:
    """Make an account that may log in once its owner has set a password.

    Raises TakenError if the address is somebody's, in any capitalisation.
    """
    taken = TakenError(_("An account with this e-mail address already exists."))
    if User.objects.filter(Q(email__iexact=email) | Q(username__iexact=email)).exists():
        raise taken
    first_name, _space, last_name = name.strip().rpartition(" ")
    try:
        with transaction.atomic():
            user = User.objects.create_user(
                _free_username(email),
                email,
                first_name=first_name or last_name,
                last_name=last_name if first_name else "",
                is_staff=True,
            )
            account_log.invited(user, by=by)
    except IntegrityError as error:
        # Somebody else invited the same person in this moment.
        raise taken from error
    return user


def _free_username(email: str) -> str:
    """The address, by which people know themselves; written so that it can be a user name."""
    wanted = _NOT_IN_USERNAMES.sub(".", email.lower())[:MAX_USERNAME_LENGTH]
    name, number = wanted, 1
    while User.objects.filter(username__iexact=name).exists():
        number += 1
        name = f"{wanted[: MAX_USERNAME_LENGTH - 10]}-{number}"
    return name


@transaction.atomic
def renew(*, user: User, by: User) -> User:
    """Prepare a new link; earlier ones of somebody who has no password yet stop working."""
    user = User.objects.select_for_update().get(pk=user.pk)
    if not user.is_active or not user.is_staff:
        raise StateError(_("This account is switched off. Switch it on first."))
    if not user.has_usable_password():
        # A link is signed over the password, also over one that is none.
        user.set_unusable_password()
        user.save(update_fields=["password"])
    account_log.link_made(user, by=by)
    return user


def send(*, user: User, origin: str) -> Invitation:
    """Make the link, below an address such as https://example.org, and send it if mail is set."""
    named = {
        "uidb64": urlsafe_base64_encode(force_bytes(user.pk)),
        "token": default_token_generator.make_token(user),
    }
    link = origin + reverse("admin:invitation", kwargs=named)
    if not settings.EMAIL_HOST or not user.email:
        return Invitation(user, link)
    try:
        _message(user, link).send()
    except (SMTPException, OSError, ValueError):
        # A ValueError: an address, typed by an administrator, that holds a line break.
        return Invitation(
            user, link, problem=_("The message could not be sent. Send the link yourself.")
        )
    return Invitation(user, link, is_sent=True)


def n_days() -> int:
    """For how many days a link is valid."""
    return int(settings.PASSWORD_RESET_TIMEOUT // (24 * 3600))


def _message(user: User, link: str) -> EmailMessage:
    days = n_days()
    return EmailMessage(
        subject=gettext("Your account on Likeness"),
        body="\n\n".join(
            (
                gettext("Hello %(name)s,") % {"name": user.get_full_name() or user.get_username()},
                gettext("set a password here, then log in as %(username)s:")
                % {"username": user.get_username()},
                link,
                ngettext(
                    "The link works once, within %(n)s day. Do not share it with anybody.",
                    "The link works once, within %(n)s days. Do not share it with anybody.",
                    days,
                )
                % {"n": days},
            )
        ),
        to=[user.email],
    )


@transaction.atomic
def switch(*, user: User, is_on: bool, by: User) -> None:
    """Let somebody log in, or no longer; what they did and own stays as it is."""
    superusers = administrators()
    user = User.objects.select_for_update().get(pk=user.pk)
    if user.is_active == is_on:
        return
    if not is_on and user.pk == by.pk:
        raise StateError(_("You cannot switch off your own account."))
    if not is_on and {administrator.pk for administrator in superusers} == {user.pk}:
        raise StateError(_("This is the last administrator. At least one must remain."))
    user.is_active = is_on
    user.save(update_fields=["is_active"])
    account_log.switched(user, is_on=is_on, by=by)


def administrators() -> list[User]:
    """Who may change accounts, held until the end of the transaction."""
    return list(
        User.objects.select_for_update()
        .filter(is_superuser=True, is_active=True, is_staff=True)
        .order_by("pk")
    )
