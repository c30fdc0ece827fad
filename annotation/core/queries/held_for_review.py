"""Answers of parts that were sent faster than anybody reads: no score has them until reviewed."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from annotation.core.queries.counted_answers import SOURCES, Population, is_excluded, judgments_of
from annotation.models import Annotator, Design, PhaseRun


@dataclass(frozen=True)
class Held:
    n_people: int
    n_answers: int

    def __bool__(self) -> bool:
        return bool(self.n_people)


def held_for_review(design: Design | None, population: Population) -> Held:
    """Also of people who wait for another part; not of those who are excluded or withdrew."""
    runs = PhaseRun.objects.filter(is_held=True, phase__design=design)
    # Answers are many, and hardly anybody is ever held.
    if design is None or not runs.exists():
        return Held(0, 0)
    answers = (
        judgments_of(design, population)
        .current()
        .filter(
            Exists(
                runs.filter(
                    assignment=OuterRef("assignment"), phase=OuterRef("question__block__phase")
                )
            )
        )
        .exclude(is_excluded())
    )
    people = Annotator.objects.filter(
        source__in=SOURCES[population], pk__in=answers.values("assignment__annotator")
    )
    return Held(people.count(), answers.count())
