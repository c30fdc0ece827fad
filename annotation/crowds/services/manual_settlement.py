"""A person says what became of a step that no platform's answer tells."""

from django.contrib.auth.models import User
from django.db import transaction

from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Sentence
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Sent
from annotation.core.services import audit_log
from annotation.core.services.locks import lock_study
from annotation.crowds.services import effects, intents, outbox
from annotation.models import Intent, Ticket

_STATE, _KIND = Intent.State, Intent.Kind


def settle_by_hand(
    *, intent: Intent, happened: bool, note: str, by: User, remote_id: str = ""
) -> Intent:
    """A person looked at the platform and says whether it happened; their word is kept.

    `remote_id`: of what was published, if the platform's answer did not tell it.
    """
    if not note.strip():
        raise AnnotationError(_("Explain how you know. The note is stored with the entry."))
    if "\x00" in note:
        raise AnnotationError(_("The note has a character that cannot be stored (NUL)."))
    word = f"{by.get_username()}: {note.strip()}"
    with transaction.atomic():
        lock_study(intent.listing.study_id)
        intent = Intent.objects.get(pk=intent.pk)
        if intent.is_offered:
            _refuse_early(intent)
        elif intent.state != _STATE.NEEDS_PERSON:
            raise StateError(_("This step no longer needs a decision. Reload the page."))
        if happened and intent.is_offered:
            Intent.objects.filter(pk=intent.pk).update(taken_at=clock.now(), note=word)
        elif happened:
            outbox.confirm(intent, _by_hand(intent, remote_id.strip()), note=word)
        else:
            Intent.objects.filter(pk=intent.pk).update(
                state=_STATE.GIVEN_UP, settled_at=clock.now(), lease=None, note=word
            )
            effects.came_to_nothing(intents.read(intent.pk))
        sentence = (
            _("Settled by hand: %(what)s.") if happened else _("Given up by hand: %(what)s.")
        )
        _write(intent, sentence, by)
    return intents.read(intent.pk)


def _refuse_early(offer: Intent) -> None:
    """A compensation that somebody can still accept is no business of anybody else."""
    if not offer.has_lapsed(clock.now()):
        raise StateError(
            _(
                "The person can still accept this compensation. Wait until 31 days after it was "
                "offered."
            )
        )


def _write(intent: Intent, sentence: Sentence, by: User | None) -> None:
    what = f"{intent.get_kind_display()} {intent.reason_code}".strip()
    if intent.visit:
        what = f"{what} ({intent.visit.submission_id})"
    audit_log.write(study=intent.listing.study, message=sentence % {"what": what}, by=by)


def _by_hand(intent: Intent, remote_id: str) -> Sent:
    if intent.kind != _KIND.PUBLISH:
        return Sent(remote_id=remote_id)
    if intent.ticket:
        return Sent(remote_id=intent.ticket.remote_id)
    remote = remote_id or intent.remote_id
    if not remote:
        raise AnnotationError(
            _("Give the id that the platform shows for the published HIT or study.")
        )
    if _is_of_another(intent, remote):
        raise AnnotationError(
            _("%(id)s already belongs to another entry. Look up the id of this one.")
            % {"id": remote}
        )
    # Without its ticket nobody could come by it, and nobody could close it.
    ticket = platform_of(intent.listing.platform).made_by_hand(intent, remote)
    return Sent(remote_id=remote, ticket=ticket)


def _is_of_another(intent: Intent, remote_id: str) -> bool:
    listing = intent.listing
    others = Intent.objects.filter(
        listing__platform=listing.platform,
        listing__environment=listing.environment,
        kind=_KIND.PUBLISH,
        state=_STATE.CONFIRMED,
        remote_id=remote_id,
    )
    # A draft and its publication are steps of one thing.
    return others.exclude(listing=listing).exists() or (
        Ticket.objects.filter(
            platform=listing.platform, environment=listing.environment, remote_id=remote_id
        ).exists()
    )


@transaction.atomic
def look_again(*, intent: Intent, by: User | None) -> Intent:
    """Ask the platform once more about what waits for a person."""
    n_updated = Intent.objects.filter(pk=intent.pk, state=_STATE.NEEDS_PERSON).update(
        state=_STATE.AMBIGUOUS, next_try_at=None
    )
    if not n_updated:
        raise StateError(_("This step no longer needs a decision. Reload the page."))
    _write(intent, _("Likeness asks the platform again what happened: %(what)s."), by)
    return intents.read(intent.pk)
