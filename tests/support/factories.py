"""Valid objects, so that a test spells out only what it is about."""

import itertools
from collections.abc import Mapping
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
    contexts = Context.objects.bulk_create(
        Context(
            study=study,
            key=f"d{d + 1}",
            domain=("travel", "repair")[d % 2],
            source="written",
            n_turns=turns[d % len(turns)],
        )
        for d in range(dialogues)
    )
    rows = Turn.objects.bulk_create(
        Turn(
            context=context,
            position=t + 1,
            speaker="AB"[t % 2],
            text=f"Turn {t + 1} of dialogue {d + 1}.",
        )
        for d, context in enumerate(contexts)
        for t in range(context.n_turns)
    )
    targets = {turn.context: turn for turn in rows}
    pools = Pool.objects.bulk_create(
        Pool(study=study, context=context, key=context.key, number=d + 1)
        for d, context in enumerate(contexts)
    )
    Item.objects.bulk_create(
        Item(
            study=study,
            pool=pool,
            number=d * candidates + c + 1,
            key=f"d{d + 1}-{c + 1}",
            target_turn=targets[contexts[d]],
            candidate_text=f"Candidate {c + 1} of dialogue {d + 1}.",
        )
        for d, pool in enumerate(pools)
        for c in range(candidates)
    )
    return study


def make_pairs(
    pool: Pool, n_pairs: int, *, n_sentences: int, domains: Mapping[int, str] | None = None
) -> list[Item]:
    """Pairs of sentences, each from the middle of a document of its own.

    `domains`: that of both documents of a pair, by its number.
    """
    sides = ("summary", "report")
    contexts = Context.objects.bulk_create(
        Context(
            study=pool.study,
            key=f"{side}{n}",
            n_turns=n_sentences,
            domain=(domains or {}).get(n, ""),
        )
        for n in range(1, n_pairs + 1)
        for side in sides
    )
    turns = Turn.objects.bulk_create(
        Turn(
            context=context,
            position=place,
            text=f"Sentence {place} of {sides[number % 2]} {number // 2 + 1}.",
        )
        for number, context in enumerate(contexts)
        for place in range(1, n_sentences + 1)
    )
    middles = turns[n_sentences // 2 :: n_sentences]
    return Item.objects.bulk_create(
        Item(
            study=pool.study,
            pool=pool,
            number=n,
            key=f"p{n}",
            target_turn=target,
            candidate_turn=candidate,
        )
        for n, (target, candidate) in enumerate(
            zip(middles[::2], middles[1::2], strict=True), start=1
        )
    )


def name_contact(study: Study) -> None:
    """What a plan's consent text leaves to be filled in before a study opens."""
    for consent in study.consent_texts.all():
        if places := presets.placeholders(consent.text):
            for place in places:
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
