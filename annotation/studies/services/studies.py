"""Creating, editing, opening, pausing, closing and finishing a study."""

import secrets
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils.text import slugify

from annotation.basics import clock, keys
from annotation.basics.errors import FrozenError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.services.imported_rules import refuse_asking, refuse_changing
from annotation.core.services.locks import lock_study
from annotation.kinds.default_texts import language_of_texts
from annotation.kinds.described import EVERYBODY, FROZEN_FIELDS, NEW_PEOPLE
from annotation.kinds.registry import KINDS, kind_of
from annotation.models import ConsentText, Design, Study
from annotation.studies import presets
from annotation.studies.queries.listings_out import finish_refusal
from annotation.studies.services import consent_texts, current_consents

# What a draft that is like another study has of it, beside what is frozen.
_LIKE = ("preset", "thanks", "idle_minutes", "max_booklets", "min_screen_seconds")

MAX_TITLE_LENGTH = 200
# Drawn from 32 characters: a million short names for each title.
SLUG_SUFFIX_LENGTH = 4

_NEXT = {
    Study.State.DRAFT: {Study.State.OPEN},
    Study.State.OPEN: {Study.State.PAUSED, Study.State.CLOSED, Study.State.FINISHED},
    Study.State.PAUSED: {Study.State.OPEN, Study.State.CLOSED, Study.State.FINISHED},
    Study.State.CLOSED: {Study.State.OPEN, Study.State.FINISHED},
    Study.State.FINISHED: set(),
    Study.State.IMPORTED: set(),
}


current_consent = current_consents.current_consent


NO_CONSENT = _(
    "There is no consent text. Write one on the page Describe, or confirm that the study needs"
    " none."
)
OTHER_DESIGN = _(
    "The design has been made again since you opened this page. Read it again before "
    "you open the study."
)
ARCHIVED = _("This study is archived. Restore it from the archive first.")


def new_seed() -> int:
    # Small enough to read aloud and to survive a spreadsheet.
    return secrets.randbelow(10**9)


@transaction.atomic
def create(
    *,
    owner: AbstractBaseUser,
    title: str,
    language: str = "en",
    preset: str = "best-worst",
    slug: str = "",
    seed: int | None = None,
    earlier_round: Study | None = None,
) -> Study:
    """A new draft with the preset's numbers and the default texts of its language.

    A study that continues an earlier round may repeat items that people rated there.
    """
    chosen = presets.PRESETS[preset]
    part = KINDS[chosen.kind].studies
    continued = presets.continued_kinds(chosen)
    if chosen.review and (earlier_round is None or earlier_round.kind not in continued):
        raise StateError(
            _("This preset needs a scored study. Name a best-worst, ranking or rating study.")
        )
    if earlier_round and earlier_round.kind not in continued:
        raise StateError(
            _(
                "Only a rating study can continue an earlier study, and that must be a "
                "rating or selection study."
            )
        )
    texts = part.texts(chosen.texts, language_of_texts(language))
    study = Study.objects.create(
        slug=slug or new_slug(title),
        title=title,
        language=language,
        owner_id=owner.pk,
        preset=chosen.key,
        kind=chosen.kind,
        earlier_round=earlier_round,
        instructions=texts["instructions"],
        thanks=texts["thanks"],
        most_question=texts["most_question"],
        least_question=texts["least_question"],
        rating_question=texts.get("rating_question", ""),
        worked_example=texts["worked_example"],
        comprehension=texts["comprehension"],
        max_booklets=chosen.max_booklets,
        **part.answer_columns(chosen, texts),
    )
    Design.objects.create(
        study=study,
        number=1,
        seed=new_seed() if seed is None else seed,
        parameters=part.parameters(chosen, earlier_round),
    )
    ConsentText.objects.create(study=study, version=1, text=texts["consent"])
    return study


def new_slug(title: str) -> str:
    """A short name from a title, and characters drawn at random.

    They are always there: a number that only the second study of a title had would tell its
    researcher that somebody else has one.
    """
    base = slugify(title)[:50].strip("-_") or "study"
    while True:
        slug = f"{base}-{keys.new_code(SLUG_SUFFIX_LENGTH).lower()}"
        if not Study.objects.filter(slug=slug).exists():
            return slug


@transaction.atomic
def create_like(
    study: Study,
    *,
    owner_id: int,
    slug: str,
    title: str,
    parameters: dict[str, Any],
    **columns: Any,
) -> Study:
    """A new draft with another study's texts and settings, and a seed of its own.

    Nothing is taken that people answered, or by which they come. `columns` are further ones.
    Somebody else's draft names no contact: annotators would ask the owner of the other study.
    """
    draft = Study.objects.create(
        slug=slug,
        title=title if len(title) <= MAX_TITLE_LENGTH else f"{title[: MAX_TITLE_LENGTH - 1]}…",
        owner_id=owner_id,
        **{name: getattr(study, name) for name in (*_LIKE, *FROZEN_FIELDS)},
        **columns,
    )
    Design.objects.create(study=draft, number=1, seed=new_seed(), parameters=parameters)
    text = current_consent(study).text
    if owner_id != study.owner_id:
        text = presets.without_contact(text, study.language)
    ConsentText.objects.create(study=draft, version=1, text=text)
    return draft


@transaction.atomic
def edit(*, study: Study, changes: Mapping[str, Any]) -> Study:
    """Change a study's texts and settings; what an opened study froze is refused.

    A changed `consent` becomes a new version of the consent text. `consent_asks`: EVERYBODY, who
    agreed to an earlier one, too, or only NEW_PEOPLE; `consent_changes` says what is new in it.
    Raises ScaleError for a scale that is none, CategoriesError for categories of which nobody
    could choose.
    """
    study = lock_study(study.pk)
    changes = dict(changes)
    # Columns of the consent text, not of the study.
    consent = changes.pop("consent", None)
    is_for_all = changes.pop("consent_asks", NEW_PEOPLE) == EVERYBODY
    news = changes.pop("consent_changes", "").strip()
    changed = {name: value for name, value in changes.items() if getattr(study, name) != value}
    if study.is_imported and (consent is not None or is_for_all or news):
        refuse_asking(study)
    if study.is_imported and FROZEN_FIELDS.keys() & changed.keys():
        # Nobody has seen them here, but imported answers rest on the kind and the scale.
        refuse_changing(study)
    elif not study.is_draft and (frozen := FROZEN_FIELDS.keys() & changed.keys()):
        names = ", ".join(str(FROZEN_FIELDS[name]) for name in sorted(frozen))
        raise FrozenError(
            _(
                "%(names)s: frozen, because the study has been opened. To ask a "
                "different question, create a new study."
            )
            % {"names": names}
        )
    KINDS[changed.get("kind", study.kind)].studies.check_changes(study, changed)
    for name, value in changed.items():
        setattr(study, name, value)
    if changed:
        study.save(update_fields=[*changed])
    if consent is not None and not study.is_draft:
        consent_texts.refuse_emptied(study, consent)
        consent_texts.refuse_new_placeholders(study, consent)
    if consent is not None or is_for_all or news:
        consent_texts.publish(study, consent, news, is_for_all=is_for_all)
    return study


def refuse_file(study: Study) -> None:
    """Raise StateError if items are taken out of a scored study, not out of a file."""
    if presets.review_of(study.preset):
        raise StateError(
            _(
                "The items of this study come from a scored study. Choose them on this study's "
                "page Items, or create a new study."
            )
        )


def refuse_filling(study: Study) -> None:
    """Raise StateError while a job fills the study, or what one left is not yet deleted."""
    job = study.filling_job
    if job is None:
        return
    if job.is_finished:
        raise StateError(
            _("The remains of an interrupted job are being deleted. Try again in a minute.")
        )
    raise StateError(
        _(
            "Job %(id)s of %(study)s (%(kind)s) is not finished yet. Wait until it is, or cancel"
            " it on its page."
        )
        % {"id": str(job.pk), "study": study.slug, "kind": job.what}
    )


@transaction.atomic
def open_study(*, study: Study, without_consent: bool = False, seen_design: str = "") -> Study:
    """Let people in. The first time, this freezes the design.

    `without_consent` confirms that a draft needs no consent text; `seen_design` is the edition of
    the design that somebody looked at before. Raises StateError for what is missing, ScaleError
    for a rating study that has no scale, and CategoriesError for a label study that has no
    categories.
    """
    study = lock_study(study.pk)
    design = study.design
    if study.is_draft:
        refuse_filling(study)
        if not study.has_material:
            raise StateError(_("There are no items yet. Import them first."))
        if not design.is_made:
            raise StateError(_("There is no design yet. Make one and read its certificate."))
        if seen_design not in ("", design.edition):
            raise StateError(OTHER_DESIGN)
        if not (without_consent or current_consent(study).text.strip()):
            raise StateError(NO_CONSENT)
        kind_of(study).studies.refuse_opening(study, design)
        now = clock.now()
        design.frozen_at = now
        design.code_version = settings.VERSION
        design.save(update_fields=["frozen_at", "code_version"])
        study.opened_at = now
        study.save(update_fields=["opened_at"])
    return _move(study, Study.State.OPEN)


@transaction.atomic
def pause(*, study: Study) -> Study:
    """Let nobody new in for now; people who have begun may go on."""
    return _move(lock_study(study.pk), Study.State.PAUSED)


@transaction.atomic
def close(*, study: Study) -> Study:
    """Let nobody new in; people who have begun may finish."""
    return _move(lock_study(study.pk), Study.State.CLOSED)


@transaction.atomic
def finish(*, study: Study) -> Study:
    """End the collection: nobody may answer any more, for good.

    Raises StateError while a listing is published or people of a paid one are at work.
    """
    study = lock_study(study.pk)
    if study.state != Study.State.FINISHED and (reason := finish_refusal(study)):
        raise StateError(reason)
    return _move(study, Study.State.FINISHED)


def _move(study: Study, state: Study.State) -> Study:
    current = Study.State(study.state)
    if state == current:
        return study  # a double click
    if study.archived_at is not None:
        raise StateError(ARCHIVED)
    if state not in _NEXT[current]:
        refuse_asking(study)
        if current == Study.State.FINISHED:
            raise StateError(_("This study is finished; that cannot be undone."))
        raise StateError(
            _("You cannot change the state from %(state)s to %(wanted)s.")
            % {"state": current.label, "wanted": state.label}
        )
    if state == Study.State.OPEN and study.erased_at:
        raise StateError(
            _(
                "The personal data of this study were erased, so it cannot tell who "
                "has taken part before. Create a new study instead."
            )
        )
    now = clock.now()
    study.state = state
    if state == Study.State.OPEN:
        study.closed_at = None
    elif state == Study.State.FINISHED:
        study.finished_at = now
    elif state == Study.State.CLOSED:
        study.closed_at = now
    study.save(update_fields=["state", "closed_at", "finished_at"])
    return study
