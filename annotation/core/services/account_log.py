"""What the audit log says of accounts: who signed in, who failed to, passwords and tokens.

A name that nobody has is not written down: it may be a password, typed into the wrong field. No
address of the network is kept either.
"""

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.utils.crypto import salted_hmac

from annotation.basics.sentences import sentence as _
from annotation.core.services import audit_log, throttle

# So many failures of one account are written in ten minutes; a flood shall not fill the log.
MAX_FAILURES = 20
MAX_USERNAME_LENGTH = 150


def signed_in(user: User) -> None:
    audit_log.write_of_account(user=user, message=_("Signed in."))


def failed(username: str) -> None:
    """Somebody could not sign in by this name."""
    if "\x00" in username:
        return  # nobody can be called so, and PostgreSQL does not look for it
    # As the form reads it. Nobody's is longer, and to normalise a long one takes minutes.
    name = User.normalize_username(username[:MAX_USERNAME_LENGTH].strip())
    user = User.objects.filter(username=name).first()
    bucket = f"login-failed/{user.pk if user else _nobody(name)}"
    if throttle.count(bucket=bucket, minutes=10) > MAX_FAILURES:
        return
    if user:
        audit_log.write_of_account(
            user=user, message=_("Somebody failed to sign in with this name.")
        )
    else:
        # As much is written as of an account: how long it takes shall not tell who has one.
        throttle.write_one(bucket="login-failed/nobody")


def _nobody(name: str) -> str:
    """One of a few buckets: which name it was cannot be found out from it."""
    digest = salted_hmac("likeness.login-failed", name).digest()
    return f"nobody-{digest[0]}"


def password_changed(user: User) -> None:
    audit_log.write_of_account(user=user, message=_("Changed the password."))


def token_made(user: User, *, name: str) -> None:
    audit_log.write_of_account(
        user=user, message=_("Created the API token “%(name)s”.") % {"name": name}
    )


def token_revoked(user: User, *, name: str) -> None:
    audit_log.write_of_account(
        user=user, message=_("Revoked the API token “%(name)s”.") % {"name": name}
    )


def invited(user: User, *, by: User) -> None:
    message = _("Invited %(name)s.") % {"name": user.get_username()}
    audit_log.write_of_account(user=user, message=message, by=by)


def link_made(user: User, *, by: User) -> None:
    message = _("Created a link for %(name)s to set a password.") % {"name": user.get_username()}
    audit_log.write_of_account(user=user, message=message, by=by)


def switched(user: User, *, is_on: bool, by: User) -> None:
    message = _("Switched %(name)s on.") if is_on else _("Switched %(name)s off.")
    audit_log.write_of_account(user=user, message=message % {"name": user.get_username()}, by=by)


def made(user: User, *, by: User) -> None:
    message = _("Created the account %(name)s.") % {"name": user.get_username()}
    audit_log.write_of_account(user=user, message=message, by=by)


def changed(user: User, *, fields: Sequence[str], by: User) -> None:
    """Some fields of an account, by their names in the form."""
    values = {"name": user.get_username(), "fields": ", ".join(fields)}
    audit_log.write_of_account(
        user=user, message=_("Changed %(name)s: %(fields)s.") % values, by=by
    )


def deleted(user: User, *, by: User) -> None:
    message = _("Deleted the account %(name)s.") % {"name": user.get_username()}
    audit_log.write_of_account(user=by, message=message)
