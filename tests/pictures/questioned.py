"""Questions about people: as they answer them, and as a researcher makes them."""

from playwright.sync_api import Page

from annotation.models import Study
from annotation.questionnaires.queries import ready_questions
from tests.pictures.cast import Cast
from tests.pictures.research import Desk, at
from tests.pictures.scenes import Scene, go, post, send
from tests.pictures.waiting import arrive

# A matrix and a question that depends on another one, in the languages of the pictures.
MORE = {
    "en": ("Which other language?", "How often do you …", ("read", "write"), ("rarely", "often")),
    "de": (
        "Welche andere Sprache?",
        "Wie oft tun Sie das:",
        ("lesen", "schreiben"),
        ("selten", "oft"),
    ),
    "cs": ("Který jiný jazyk?", "Jak často …", ("čtete", "píšete"), ("zřídka", "často")),
}


def ask(study: Study, language: str, *, screens_out: bool = False) -> None:
    """Ready-made questions before and after, some more of other kinds, and a lowest age."""
    ready = {question.key: question.as_json for question in ready_questions.of(study)}
    which, often, rows, options = MORE[language]
    age = {**ready["age"], "required": True}
    if screens_out:
        age["screens_out"] = ["< 18"]
    other = {
        "key": "other_language",
        "kind": "text",
        "text": which,
        "shown_if": {"question": "is_native", "answers": ["yes_and"]},
    }
    matrix = {
        "key": "habits",
        "kind": "matrix",
        "text": often,
        "rows": [{"code": f"r{n}", "text": row} for n, row in enumerate(rows)],
        "options": [{"code": f"o{n}", "text": option} for n, option in enumerate(options)],
        "required": True,
    }
    study.questionnaires = {
        "before": {"questions": [age, ready["gender"], ready["is_native"], other, matrix]},
        "after": {"questions": [ready["difficulty"], ready["feedback"]]},
    }
    study.save(update_fields=["questionnaires"])


def _newcomer(cast: Cast, *, answered: int = 0) -> str:
    """The key of somebody in a study that asks them something about themselves."""
    name = cast.another()
    key = cast.beginner(name, answered=answered)
    ask(cast.study(name), cast.language, screens_out=True)
    return key


def _before(page: Page, cast: Cast) -> None:
    go(page, cast.url("own", _newcomer(cast)))
    page.locator("input[value=yes_and]").check()
    page.locator("[data-declines]").last.check()


def _missing(page: Page, cast: Cast) -> None:
    go(page, cast.url("own", _newcomer(cast)))
    page.locator("[name=age]").fill("300")
    send(page)
    page.locator(".problems").wait_for()
    arrive(page)


def _without_scripts(page: Page, cast: Cast) -> None:
    go(page, cast.url("own", _newcomer(cast)))


def _screened_out(page: Page, cast: Cast) -> None:
    key = _newcomer(cast)
    go(page, cast.url("questionnaire", key, "before"))
    fields = (("age", "17"), ("habits:r0", "o0"), ("habits:r1", "o1"))
    post(page, cast.url("questionnaire", key, "before"), fields)


def _after(page: Page, cast: Cast) -> None:
    name = cast.another()
    key = cast.beginner(name, answered=1000)
    study = cast.study(name)
    ask(study, cast.language)
    del study.questionnaires["before"]
    study.save(update_fields=["questionnaires"])
    go(page, cast.url("overview", key))
    page.locator("#sending .primary").click()
    page.wait_for_url("**/about/after/")
    arrive(page)


def _filled(desk: Desk) -> Study:
    study = desk.filled
    ask(study, desk.language, screens_out=True)
    return study


def _wrong_question(page: Page, desk: Desk) -> None:
    study = _filled(desk)
    desk.go(page, desk.of(study, "questionnaire_add", "before") + "?kind=choice")
    send(page, "#content form")
    arrive(page)


def _edit(page: Page, desk: Desk) -> None:
    study = _filled(desk)
    desk.go(page, desk.of(study, "questionnaire_edit", "before", "other_language"))


def _chosen(page: Page, desk: Desk) -> None:
    study = _filled(desk)
    desk.go(page, desk.of(study, "questionnaires"))
    for summary in page.locator("#content details summary").all():
        summary.click()


def _tried(page: Page, desk: Desk) -> None:
    study = desk.made
    ask(study, desk.language)
    desk.go(page, desk.of(study, "try_questionnaire", 1, "before"))


DESK_SCENES = (
    at("questionnaires-empty", "prepare", "questionnaires", lambda desk: desk.fresh),
    Scene("questionnaires", "prepare", ("annotation_study_questionnaires",), _chosen),
    Scene("question-edit", "prepare", ("annotation_study_questionnaire_edit",), _edit),
    Scene(
        "question-wrong", "prepare", ("annotation_study_questionnaire_add",), _wrong_question, 400
    ),
    Scene("try-questionnaire", "try", ("annotation_study_try_questionnaire",), _tried),
)
SCENES = (
    Scene("questionnaire", "way in", ("own", "questionnaire"), _before),
    Scene("questionnaire-missing", "way in", ("questionnaire",), _missing, 400),
    Scene(
        "questionnaire-plain", "way in", ("questionnaire",), _without_scripts, has_scripts=False
    ),
    Scene("questionnaire-last", "way in", ("overview", "questionnaire"), _after),
    Scene("screened-out", "way in", ("questionnaire", "own"), _screened_out),
)
