"""Valid objects, so that a test spells out only what it is about."""

import itertools
from typing import Any

from django.contrib.auth.models import User

from annotation.answering.services import assignments, instructions
from annotation.basics import keys
from annotation.designs.services import designs
from annotation.models import Annotator, Context, Item, Pool, Study, Turn
from annotation.studies import presets
from annotation.studies.services import studies

_numbers = itertools.count(1)


def make_user(username: str = "", **columns: Any) -> User:
    columns = {"is_staff": True, **columns}
    return User.objects.create_user(username or f"researcher{next(_numbers)}", **columns)


def make_study(
    *,
    owner: User | None = None,
    dialogues: int = 2,
    candidates: int = 5,
    turns: tuple[int, ...] = (3, 5),
    preset: str = "giccs",
    **columns: Any,
) -> Study:
    """A draft with dialogues, by default in the shape of GiCCS, without a design made."""
    study = studies.create(
        owner=owner or make_user(), title=f"Study {next(_numbers)}", preset=preset, seed=1
    )
    for name, value in columns.items():
        setattr(study, name, value)
    study.comprehension = columns.get("comprehension", {})
    study.save()
    name_contact(study)
    for d in range(dialogues):
        context = Context.objects.create(
            study=study,
            key=f"d{d + 1}",
            domain=("travel", "repair")[d % 2],
            source="written",
            n_turns=turns[d % len(turns)],
        )
        rows = Turn.objects.bulk_create(
            Turn(
                context=context,
                position=t + 1,
                speaker="AB"[t % 2],
                text=f"Turn {t + 1} of dialogue {d + 1}.",
            )
            for t in range(turns[d % len(turns)])
        )
        pool = Pool.objects.create(study=study, context=context, key=f"d{d + 1}", number=d + 1)
        Item.objects.bulk_create(
            Item(
                study=study,
                pool=pool,
                number=d * candidates + c + 1,
                key=f"d{d + 1}-{c + 1}",
                target_turn=rows[-1],
                candidate_text=f"Candidate {c + 1} of dialogue {d + 1}.",
            )
            for c in range(candidates)
        )
    return study


def name_contact(study: Study) -> None:
    """What a plan's consent text leaves to be filled in before a study opens."""
    for consent in study.consent_texts.all():
        for place in presets.placeholders(consent.text):
            consent.text = consent.text.replace(place, "the project, project@example.org")
        consent.save()


def make_open_study(**arguments: Any) -> Study:
    """An open study; `parameters` changes numbers of its design."""
    parameters = arguments.pop("parameters", {})
    study = make_study(**arguments)
    design = study.design
    design.parameters = {**design.parameters, **parameters}
    design.save()
    designs.make(design=design)
    return studies.open_study(study=study)


def join(study: Study, nonce: str = "") -> assignments.Participant:
    """Somebody comes by the open link, agrees, and reads the instructions."""
    joined = assignments.join(
        study=study,
        nonce=nonce or keys.new_nonce(),
        consent=studies.current_consent(study),
    )
    instructions.begin(annotator=joined.annotator)
    joined.annotator.refresh_from_db(fields=["instructed_at"])
    return joined


def make_annotator(study: Study) -> Annotator:
    return join(study).annotator
