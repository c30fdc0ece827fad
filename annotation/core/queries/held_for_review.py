"""Answers of parts that were sent too fast: no score has them until reviewed."""

from dataclasses import dataclass

from annotation.core.queries import run_sums
from annotation.core.queries.counted_answers import Population, is_excluded, runs_of
from annotation.models import Design, PhaseRun


@dataclass(frozen=True)
class Held:
    n_people: int
    n_answers: int

    def __bool__(self) -> bool:
        return bool(self.n_people)


def held_for_review(design: Design | None, population: Population) -> Held:
    """Also of people who wait for another part; not of those who are excluded or withdrew."""
    # An index names those that are held: mostly there are none, and then nothing else is read.
    if design is None or not PhaseRun.objects.filter(phase__design=design, is_held=True).exists():
        return Held(0, 0)
    held = runs_of(design, population).filter(is_held=True).exclude(is_excluded())
    n_answers = run_sums.n_answers_by("assignment__annotator", held)
    return Held(len(n_answers), n_answers.total())
