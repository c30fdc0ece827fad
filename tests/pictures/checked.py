"""Studies whose first questions have a known answer, and people who are told of theirs."""

import io
import json

from django.contrib.auth.models import User
from playwright.sync_api import Page

from annotation.designs.services import designs
from annotation.items.services import imports
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.queries import known_answers
from annotation.kinds.queries.known_answers import KnownAnswer
from annotation.kinds.registry import kind_of
from annotation.models import Study
from annotation.simulation import through_services
from annotation.studies import presets
from annotation.studies.services import studies
from tests.pictures.cast import Cast, dialogues
from tests.pictures.research import Desk
from tests.pictures.scenes import Scene, go
from tests.pictures.waiting import arrive

_SAME = {
    "en": "Both texts say the same, word for word.",
    "de": "Beide Texte sagen Wort für Wort dasselbe.",
    "cs": "Oba texty říkají doslova totéž.",
}
_BEST = {
    "en": "One sentence says the same in other words; another is about something else.",
    "de": "Ein Satz sagt dasselbe mit anderen Worten; ein anderer handelt von etwas anderem.",
    "cs": "Jedna věta říká totéž jinými slovy; jiná je o něčem jiném.",
}


def _pairs(language: str, style: str) -> bytes:
    """The last turn of each dialogue with a candidate; the first of them is beside itself."""
    rows = [json.loads(line) for line in dialogues(language, 4).splitlines()]
    said = [row["turns"][-1]["text"] for row in rows]
    pairs = [
        {"id": row["id"], "target": target, "candidate": row["candidates"][0]["text"]}
        for row, target in zip(rows, said, strict=True)
    ]
    same = {
        "id": "same",
        "target": said[0],
        "candidate": said[0],
        "expected": 6,
        "tolerance": 1,
        "check": style,
        "explanation": _SAME[language],
    }
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in (same, *pairs)).encode()


def _dialogues(language: str, style: str) -> bytes:
    """The first dialogue is a check: the demo says which candidate is nearest."""
    first, *rows = (json.loads(line) for line in dialogues(language, 4).splitlines())
    first |= {
        "check": style,
        "explanation": _BEST[language],
        "candidates": [
            {**candidate, "expected": 6 - int(candidate["intended_class"])}
            for candidate in first["candidates"]
        ],
    }
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in (first, *rows)).encode()


def _make(owner: User, language: str, kind: str, style: str) -> Study:
    is_rating = kind == "rating"
    study = studies.create(
        owner=owner,
        title=presets.texts(language, "ratings" if is_rating else "dialogues")["title"],
        language=language,
        preset="training" if is_rating else "giccs",
        seed=7,
    )
    rows = _pairs(language, style) if is_rating else _dialogues(language, style)
    imports.import_items(study=study, path=io.BytesIO(rows), filename="items.jsonl")
    design = study.design
    if is_rating:
        parameters = RatingParameters(ratings_per_item=15, items_per_booklet=8)
        designs.set_parameters(study=study, parameters=parameters, seed=7)
    else:
        design.parameters = {**design.parameters, "annotations_per_tuple": 15}
        design.save(update_fields=["parameters"])
    designs.make(design=study.design)
    return studies.open_study(study=study)


# -- scenes ---------------------------------------------------------------------------------------


def _told(kind: str, style: str, *, has_scripts: bool = True) -> Scene[Cast]:
    """Somebody has answered otherwise than is known, and wanted to go on."""

    def show(page: Page, cast: Cast) -> None:
        name = f"{kind} with a {style} check"
        cast.keep(name, lambda owner, language: _make(owner, language, kind, style))
        key = cast.rater(name)
        booklet = cast.of(key).assignments.get().booklet
        screen = booklet.questions.filter(block__purpose="check").get().screen
        url = cast.url("screen", key, screen)
        if has_scripts:
            go(page, url)
        else:
            page.goto(url)
        known = known_answers.of_study(cast.study(name))[0]
        _answer(page, known, has_scripts=has_scripts)
        page.locator(".bar button.primary").click()
        page.locator(".told").wait_for()
        if has_scripts:
            arrive(page)

    name = "-".join(["check", style, kind, *([] if has_scripts else ["plain"])])
    return Scene(name, "checks", ("screen", "save"), show, has_scripts=has_scripts)


def _answer(page: Page, known: KnownAnswer, *, has_scripts: bool) -> None:
    """Otherwise than is known: the worst as the best, or too low."""
    if known.best and known.worst:
        # A loud check stands among other questions, which want an answer, too.
        for question in page.locator("[data-question]").all():
            for place, role in enumerate(("best", "worst")):
                question.locator(f"[data-role={role}]").nth(place).check(force=True)
        for role, item in (("best", known.worst), ("worst", known.best)):
            page.locator(f"[data-role={role}][value='{item.pk}']").check(force=True)
    elif has_scripts:
        page.locator("[data-range]").focus()
        page.keyboard.press("2")
    else:
        page.locator("select").select_option("2")


SCENES: tuple[Scene[Cast], ...] = (
    _told("rating", "tutorial"),
    _told("rating", "loud"),
    _told("comparison", "tutorial"),
    _told("comparison", "loud"),
    _told("rating", "tutorial", has_scripts=False),
)


# -- the researcher's pages -----------------------------------------------------------------------


def _of_desk(name: str, page_name: str, query: str = "") -> Scene[Desk]:
    def show(page: Page, desk: Desk) -> None:
        study = desk.user.studies.filter(title__endswith="(checks)").first()
        if study is None:
            study = _make(desk.user, desk.language, "rating", "loud")
            study = studies.edit(study=study, changes={"title": f"{study.title} (checks)"})
            taste = kind_of(study).simulation.taste(study, noise=0.4, seed=3)
            through_services.answer(study=study, taste=taste, n_annotators=6)
        desk.go(page, desk.of(study, page_name) + query)

    return Scene(name, "checks", (f"annotation_study_{page_name}",), show)


DESK_SCENES: tuple[Scene[Desk], ...] = (
    _of_desk("items-with-checks", "items"),
    _of_desk("design-with-checks", "design"),
    _of_desk("people-with-checks", "people", "?population=simulated"),
    _of_desk("results-with-checks", "results", "?population=simulated"),
)
