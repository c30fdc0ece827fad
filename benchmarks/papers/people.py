"""People who answer a study through the services, and a researcher on the pages."""

from collections.abc import Callable, Iterable

from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from annotation.answering.services import assignments
from annotation.basics import clock, keys
from annotation.basics.errors import NothingLeftError
from annotation.kinds.taste import Taste
from annotation.models import Annotator, Assignment, Study
from annotation.simulation import through_services
from annotation.studies.services import studies

# A study, what people think of its items, and how many they are.
Answering = Callable[[Study, Taste, int], None]
# Their number, which their answers follow from, and the booklet that they have.
Person = tuple[int, Annotator, Assignment]


def researcher(user: User) -> Client:
    """The browser of somebody who is signed in."""
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(user)
    return client


def named(study: Study, slug: str) -> Study:
    """Give a study that was made on a page the short name that the commands here know it by."""
    study.slug = slug
    study.save(update_fields=["slug"])
    return study


def answer_through_services(study: Study, taste: Taste, n_people: int) -> None:
    """Join and answer as people, one booklet each in turn, until no place is left."""
    people = join(study, range(1, n_people + 1))
    while people:
        people = answer_booklets(people, taste)


def join(study: Study, numbers: Iterable[int]) -> list[Person]:
    """People who have read the instructions, with their first booklets."""
    people = []
    for number in numbers:
        joined = assignments.join(
            study=study, nonce=keys.new_nonce(), consent=studies.current_consent(study)
        )
        joined.annotator.instructed_at = clock.now()
        joined.annotator.save(update_fields=["instructed_at"])
        people.append((number, joined.annotator, joined.assignment))
    return people


def answer_booklets(people: list[Person], taste: Taste) -> list[Person]:
    """Everybody answers their booklet; return those who get another one, with it."""
    for number, annotator, assignment in people:
        with transaction.atomic():
            through_services._answer_booklet(annotator, assignment, taste, number)
    following = []
    for number, annotator, _assignment in people:
        try:
            following.append((number, annotator, assignments.claim_another(annotator=annotator)))
        except NothingLeftError:
            continue
    return following
