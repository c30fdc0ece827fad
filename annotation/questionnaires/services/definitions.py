"""Making the questionnaires of a draft; which answers are published may be changed at any time."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from django.db import transaction

from annotation.basics.errors import StateError
from annotation.basics.person_questions import OPEN_ENDED, PersonQuestion
from annotation.basics.questionnaires import Questionnaire, Questionnaires
from annotation.basics.sentences import sentence as _
from annotation.core.services.locks import lock_study
from annotation.models import Study
from annotation.questionnaires.queries import definitions, ready_questions
from annotation.studies.services import studies


def put_all(*, study: Study, data: Mapping[str, Any]) -> Study:
    """Replace all questionnaires. Raises QuestionnaireError for what cannot be answered."""
    return _change(study, lambda _before: Questionnaires.of(data))


def put_texts(*, study: Study, moment: str, title: str, introduction: str) -> Study:
    return _change_one(
        study, moment, lambda each: replace(each, title=title, introduction=introduction)
    )


def put_question(*, study: Study, moment: str, question: PersonQuestion, key: str = "") -> Study:
    """Put a question at the end, or in the place of the one with this key."""

    def put(each: Questionnaire) -> Questionnaire:
        if not key:
            return replace(each, questions=(*each.questions, question))
        _find(each, key)
        changed = (question if other.key == key else other for other in each.questions)
        return replace(each, questions=tuple(_renamed(q, key, question.key) for q in changed))

    return _change_one(study, moment, put)


def remove_question(*, study: Study, moment: str, key: str) -> Study:
    def without(each: Questionnaire) -> Questionnaire:
        _find(each, key)
        dependent = [q for q in each.questions if q.shown_if and q.shown_if.question == key]
        if dependent:
            raise StateError(
                _("Question %(other)s depends on this one. Change or remove it first.")
                % {"other": dependent[0].key}
            )
        return replace(each, questions=tuple(q for q in each.questions if q.key != key))

    return _change_one(study, moment, without)


def move_question(*, study: Study, moment: str, key: str, by: int) -> Study:
    """Move a question so many places down, or up; no further than to the end."""

    def moved(each: Questionnaire) -> Questionnaire:
        others = [q for q in each.questions if q.key != key]
        place = each.questions.index(_find(each, key)) + by
        others.insert(max(place, 0), each.question(key))
        return replace(each, questions=tuple(others))

    return _change_one(study, moment, moved)


def add_ready(*, study: Study, moment: str, keys: Collection[str]) -> Study:
    """Add ready-made questions in the language of the study; those that it has are left out."""

    def add(every: Questionnaires) -> Questionnaires:
        there = {question.key for question in every.questions}
        new = [
            question
            for question in ready_questions.of(study)
            if question.key in keys and question.key not in there
        ]
        if not new:
            raise StateError(_("Choose questions that this study does not ask yet."))
        each = every.at(moment)
        return every.with_changed(replace(each, questions=(*each.questions, *new)))

    return _change(study, add)


@transaction.atomic
def publish(*, study: Study, keys: Collection[str]) -> Study:
    """Choose the questions whose answers releases contain, also while people answer."""
    study = lock_study(study.pk)
    every = definitions.of(study)
    unfit = [q.key for q in every.questions if q.key in keys and q.kind in OPEN_ENDED]
    if unfit:
        raise StateError(
            _("Question %(key)s: answers in people's own words cannot be published.")
            % {"key": unfit[0]}
        )
    changed = Questionnaires(
        tuple(
            replace(
                each,
                questions=tuple(
                    replace(question, is_published=question.key in keys)
                    for question in each.questions
                ),
            )
            for each in every.all
        )
    )
    study.questionnaires = changed.as_json
    study.save(update_fields=["questionnaires"])
    return study


@transaction.atomic
def _change(study: Study, change: Callable[[Questionnaires], Questionnaires]) -> Study:
    """Change them as they are now; refused once the study has been opened."""
    study = lock_study(study.pk)
    changed = change(definitions.of(study))
    # As they will be read: what cannot be read back is refused, and not stored.
    changed = Questionnaires.of(changed.as_json)
    return studies.edit(study=study, changes={"questionnaires": changed.as_json})


def _change_one(
    study: Study, moment: str, change: Callable[[Questionnaire], Questionnaire]
) -> Study:
    return _change(study, lambda every: every.with_changed(change(every.at(moment))))


def _find(each: Questionnaire, key: str) -> PersonQuestion:
    for question in each.questions:
        if question.key == key:
            return question
    raise StateError(_("This question has been removed in the meantime."))


def _renamed(question: PersonQuestion, before: str, after: str) -> PersonQuestion:
    """The question, depending on another one by its new name."""
    condition = question.shown_if
    if condition is None or condition.question != before:
        return question
    return replace(question, shown_if=replace(condition, question=after))
