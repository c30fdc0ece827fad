"""The demo: one study in German and one in English, shown half done by simulated annotators."""

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser

from annotation.designs.services import designs
from annotation.items.services import imports
from annotation.kinds.best_worst.taste import draw_best_worst_taste
from annotation.models import Study
from annotation.simulation import through_services
from annotation.studies import presets
from annotation.studies.services import contacts, studies

_SEED = 2026
_CONTACT = {
    "de": "Die Person, die diese Demo betreibt",
    "en": "The person who runs this demo",
}


def load(*, owner: AbstractBaseUser) -> list[Study]:
    """Make both demo studies, open, and half answered by people who are simulated."""
    return [_load(owner, language) for language in ("de", "en")]


def _load(owner: AbstractBaseUser, language: str) -> Study:
    study = studies.create(
        owner=owner,
        title=presets.texts(language)["title"],
        language=language,
        preset="giccs",
        slug=f"demo-{language}",
        seed=_SEED,
    )
    imports.import_items(
        study=study,
        path=settings.BASE_DIR / "demo" / f"dialogues.{language}.jsonl",
        filename=f"dialogues.{language}.jsonl",
    )
    design = designs.make(design=study.design)
    study = contacts.fill_in(study=study, contact=_CONTACT[language])
    study = studies.open_study(study=study)
    # Class 1 was written to be most similar, class 5 to be least.
    given = {
        item.key: 1 - (int(item.intended_class) - 1) / 4 for item in study.items.order_by("number")
    }
    n_places = design.booklets.count() * design.parameters["annotations_per_tuple"]
    through_services.answer(
        study=study,
        taste=draw_best_worst_taste(study, noise=0.3, seed=_SEED, given=given),
        n_annotators=n_places // 2,
        booklets_each=1,
    )
    return study
