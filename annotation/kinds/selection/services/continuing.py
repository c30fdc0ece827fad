"""What the next round takes of a selection study: pairs of what was chosen."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.core.services.bounded_writes import Insert
from annotation.kinds.design_parameters import SelectionParameters
from annotation.kinds.selection.answer import ROLES
from annotation.kinds.services import copied_material
from annotation.kinds.services.drawn_groups import Part, draw, first_of_each
from annotation.kinds.services.earlier_rounds import Continued, EarlierRound, n_context_rows
from annotation.models import Item, Judgment, Pool, Study
from annotation.models.kinds import QuestionKind

# Of an incident's name in that of its pairs: as long as the column is, with room for the rest.
_LONGEST_NAME = 120
_CHUNK = 2000


class SelectedRound(EarlierRound):
    """Each counted answer gives a group of three pairs.

    They are the summary's sentence with the sentence of a report that was chosen for each role.
    The role is the intended class and the rating given with it the earlier one; the groups stand
    as they were made, person after person. Contexts are copied, so that the new study needs
    nothing of the earlier one.
    """

    def count_groups(self, earlier: Study) -> int:
        if not earlier.designs.filter(made_at__isnull=False).exists():
            return 0
        return _counted_answers(earlier).count()

    def read(self, study: Study, earlier: Study, part: Part) -> "_Picks":
        counted = _counted_selections(earlier)
        if not counted:
            raise self.nothing_in(earlier)
        if part.n_first is not None:
            keys = first_of_each(counted, part.n_first)
        else:
            keys = draw([key for _person, key in counted], part.n_groups, study=study)
        chosen = _selections(keys)
        n_rows = n_context_rows(earlier) + (1 + len(ROLES)) * len(chosen)
        return _Picks(earlier, chosen, _names_of_selections(earlier, chosen), n_rows)

    def nothing_in(self, earlier: Study) -> StateError:
        return StateError(
            _("%(study)s has no completed booklets, so no pairs.") % {"study": earlier.title}
        )


@dataclass(frozen=True)
class _Picks:
    """Answers of a selection study, each three pairs, and a name for each."""

    earlier: Study
    chosen: list[Judgment]
    names: list[str]
    n_rows: int

    @property
    def continued(self) -> Continued:
        n_pairs = len(ROLES) * len(self.chosen)
        return Continued(n_pairs, n_pairs)

    def copy(self, study: Study, insert: Insert) -> None:
        # Of incidents of which nothing was chosen nobody sees anything.
        incidents = {
            judgment.question.turn.context.group_id
            for judgment in self.chosen
            if judgment.question.turn is not None
        }
        of_incident = self.earlier.contexts.order_by("pk").values_list("pk", "group")
        shown = {pk for pk, incident in of_incident if incident in incidents}
        contexts = copied_material.contexts(study, self.earlier, only=shown, insert=insert)
        turns = copied_material.turns(self.earlier, contexts, insert=insert)
        pools = insert(
            Pool,
            (Pool(study=study, key=name, number=n) for n, name in enumerate(self.names, start=1)),
        )
        pairs = [
            (pool, judgment, picks[role])
            for pool, judgment in zip(pools, self.chosen, strict=True)
            for picks in [{pick.role: pick for pick in judgment.picks.all()}]
            for role in ROLES
        ]
        insert(
            Item,
            (
                Item(
                    study=study,
                    pool=pool,
                    number=number,
                    key=f"{pool.key}/{pick.role}",
                    target_turn=turns[judgment.question.turn_id],
                    candidate_turn=turns[pick.turn_id],
                    earlier_rating=pick.rating,
                    intended_class=pick.role,
                    metadata={"annotator": judgment.assignment.annotator.pseudonym},
                )
                for number, (pool, judgment, pick) in enumerate(pairs, start=1)
                if judgment.question.turn_id is not None
            ),
        )

    def finish(self, study: Study) -> None:
        """Nothing calibrates."""


def _counted_answers(earlier: Study) -> QuerySet[Judgment]:
    """The answers that count, each a group of three pairs."""
    return counted_answers.counted_judgments(earlier, "people").filter(kind=QuestionKind.SELECTION)


def _counted_selections(earlier: Study) -> list[tuple[int, int]]:
    """Whose each answer is that counts, and its key, person after person in their order."""
    if not earlier.designs.filter(made_at__isnull=False).exists():
        return []
    return list(
        _counted_answers(earlier)
        .order_by("assignment__annotator", "assignment", "question__screen", "question__position")
        .values_list("assignment__annotator", "pk")
    )


def _selections(keys: Sequence[int]) -> list[Judgment]:
    """The answers with these keys, in this order, with what their pairs are made of."""
    rows = Judgment.objects.select_related(
        "question__turn__context__group", "assignment__annotator"
    ).prefetch_related("picks")
    found: dict[int, Judgment] = {}
    for start in range(0, len(keys), _CHUNK):
        found |= rows.in_bulk(keys[start : start + _CHUNK])
    return [found[key] for key in keys]


def _names_of_selections(earlier: Study, chosen: list[Judgment]) -> list[str]:
    """A name for each answer: its incident and sentence, and of several people also whose."""
    has_several = SelectionParameters.of(earlier.design).people_per_incident > 1
    names = []
    for judgment in chosen:
        turn = judgment.question.turn
        assert turn is not None  # constraint question_selection_has_turn
        assert turn.context.group is not None  # an incident is a group
        incident = turn.context.group.key
        if len(incident) > _LONGEST_NAME:
            incident = f"{incident[:_LONGEST_NAME]}…{turn.context.group_id}"
        whose = f"/{judgment.assignment.annotator.pseudonym}" if has_several else ""
        names.append(f"{incident}/{turn.position}{whose}")
    return names
