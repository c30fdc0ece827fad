"""What the audit log says of accounts: who signed in, who failed to, passwords and tokens.

A name that nobody has is not written down: it may be a password, typed into the wrong field. No
address of the network is kept either.
"""

from django.contrib.auth.models import User

from annotation.sentences import sentence as _
from annotation.services import history, throttle

# So many failures of one account are written in ten minutes; a flood shall not fill the log.
MOST_FAILURES = 20


def signed_in(user: User) -> None:
    history.write_of_account(user=user, said=_("Signed in."))


def failed(username: str) -> None:
    """Somebody could not sign in by this name."""
    user = User.objects.filter(username=username).first()
    if user is None:
        return
    if throttle.count(bucket=f"login-failed/{user.pk}", minutes=10) <= MOST_FAILURES:
        history.write_of_account(user=user, said=_("Somebody failed to sign in by this name."))


def password_changed(user: User) -> None:
    history.write_of_account(user=user, said=_("Changed the password."))


def token_made(user: User, *, name: str) -> None:
    history.write_of_account(user=user, said=_("Made the API token %(name)s.") % {"name": name})


def token_revoked(user: User, *, name: str) -> None:
    history.write_of_account(user=user, said=_("Revoked the API token %(name)s.") % {"name": name})
