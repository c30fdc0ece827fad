"""The items of a rating study as tuples for its stacks, and the people whom the numbers need."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from annotation.basics.errors import StateError
from annotation.basics.scale import Scale
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.kinds.design_parameters import ImpossibleParametersError, RatingParameters
from annotation.kinds.services import recognition
from annotation.kinds.services.check_rows import StudyChecks, checks_of
from annotation.models import Item, Study
from annotation.models.items import ONE_POOL
from annotation.models.kinds import QuestionKind

MAX_QUESTIONS = 2_000_000
MAX_CELLS = 20_000_000
# A message names at most so many of the items that cannot calibrate.
_PROBLEMS_SAID = 5


@dataclass(frozen=True)
class Layout:
    """The items of a study as tuples, and the people whom the numbers ask for."""

    # Primary keys: of the items that everybody rates first, and of the pairs of each tuple.
    calibration: list[int]
    tuples: list[list[int]]
    # The size of the largest tuple.
    pairs_per_tuple: int
    # The number of tuples of each team; they are consecutive.
    team_sizes: list[int]
    # The number of people in each team.
    n_validators: int
    # The least and the greatest number of items in a booklet.
    load_min: int
    load_max: int
    # The questions with a known answer that are asked in addition.
    checks: StudyChecks

    @property
    def n_teams(self) -> int:
        return len(self.team_sizes)

    @property
    def n_booklets(self) -> int:
        return self.n_validators * self.n_teams

    @property
    def n_items(self) -> int:
        return sum(map(len, self.tuples))

    @property
    def is_even(self) -> bool:
        """Whether all tuples have equally many pairs."""
        return self.n_items == len(self.tuples) * self.pairs_per_tuple


def lay_out(study: Study, parameters: RatingParameters) -> Layout:
    """Arrange the items of a study for its stacks, and count whom they need.

    Raises ImpossibleParametersError, with the nearest numbers that work.
    """
    parameters.check()
    items = study.items.without_checks()
    rows = list(items.order_by("number").values_list("pk", "pool__key"))
    if not rows:
        raise StateError(_("There are no items yet. Import them first."))
    checks = checks_of(study, parameters.n_checks)
    calibration = _calibration(study, parameters)
    apart = {*calibration}
    tuples = _tuples([(pk, pool) for pk, pool in rows if pk not in apart])
    n_pairs = max(map(len, tuples))
    if parameters.arrangement == "grouped":
        _refuse_uneven(tuples)
    team_sizes = _team_sizes(len(tuples), parameters.n_teams)

    ends = list(accumulate(team_sizes))
    n_ratings = [
        parameters.ratings_per_item * sum(map(len, tuples[end - size : end]))
        for size, end in zip(team_sizes, ends, strict=True)
    ]
    n_validators = max(
        -(-max(n_ratings) // parameters.items_per_booklet), n_pairs * parameters.ratings_per_item
    )
    if parameters.arrangement == "grouped":
        n_validators = -(-n_validators // n_pairs) * n_pairs
    layout = Layout(
        calibration=calibration,
        tuples=tuples,
        pairs_per_tuple=n_pairs,
        team_sizes=team_sizes,
        n_validators=n_validators,
        load_min=min(n_ratings) // n_validators,
        load_max=-(-max(n_ratings) // n_validators),
        checks=checks,
    )
    _check_size(layout, parameters)
    _check_repeats(study, layout, parameters)
    return layout


def _calibration(study: Study, parameters: RatingParameters) -> list[int]:
    """The items that everybody rates first; their known answers are what they are for."""
    keys = parameters.calibration
    if keys and study.kind == QuestionKind.LABEL:
        raise ImpossibleParametersError(
            _("A label study has no calibration items. Leave them out."),
            "calibration",
        )
    if twice := [key for key, n in Counter(keys).items() if n > 1]:
        raise ImpossibleParametersError(
            _("The calibration item %(key)s is listed twice. List each once.") % {"key": twice[0]},
            "calibration",
        )
    named = Item.objects.filter(study=study, key__in=keys).select_related("known_answer")
    by_key = {item.key: item for item in named}
    scale = Scale.of(study.scale) if study.scale else None
    # All problems at once: with six of them nobody should have to try seven times.
    if wrong := [problem for key in keys if (problem := _wrong_with(key, by_key.get(key), scale))]:
        more = len(wrong) - _PROBLEMS_SAID
        problem = wrong[0]
        for following in wrong[1:_PROBLEMS_SAID]:
            problem = _("%(first)s %(rest)s") % {"first": problem, "rest": following}
        if more > 0:
            rest = ngettext("And %(n)s more.", "And %(n)s more.", more) % {"n": more}
            problem = _("%(first)s %(rest)s") % {"first": problem, "rest": rest}
        raise ImpossibleParametersError(problem, "calibration")
    return [by_key[key].pk for key in keys]


def _wrong_with(key: str, item: Item | None, scale: Scale | None) -> Said | None:
    """Why an item cannot calibrate; None if it can."""
    if item is None:
        return _(
            "There is no item %(key)s for calibration. Use the ids of the imported "
            "items, one per line."
        ) % {"key": key}
    if hasattr(item, "known_answer"):
        return _(
            "The item %(key)s is a check, so it cannot be a calibration item. Remove it here."
        ) % {"key": key}
    known = item.earlier_rating if item.expected is None else item.expected
    if known is None:
        return _(
            "The calibration item %(key)s has no known answer. Add one in the column "
            "expected of the file, or remove the item here."
        ) % {"key": key}
    if scale and not scale.has(known):
        return _(
            "The known answer of the calibration item %(key)s, %(value)s, is not on "
            "the scale. Change the scale, or import the item with another answer."
        ) % {"key": key, "value": f"{known.normalize():f}"}
    return None


def _tuples(rows: Sequence[tuple[int, str]]) -> list[list[int]]:
    """Pools in the order of import; an item that is in no group is a tuple of its own."""
    if not rows:
        raise ImpossibleParametersError(
            _("All items are calibration items, so none are left to rate. Remove some here."),
            "calibration",
        )
    tuples: dict[str | int, list[int]] = {}
    for pk, pool in rows:
        tuples.setdefault(pk if pool == ONE_POOL else pool, []).append(pk)
    return list(tuples.values())


def _refuse_uneven(tuples: list[list[int]]) -> None:
    """Fixed groups of people divide groups of items of one size only."""
    usual = Counter(map(len, tuples)).most_common(1)[0][0]
    for items in tuples:
        if len(items) == usual:
            continue
        item = Item.objects.select_related("pool").get(pk=items[0])
        if item.pool.key == ONE_POOL:
            raise ImpossibleParametersError(
                _(
                    "The item %(key)s has no group, so fixed groups of people cannot "
                    "divide it. Make it a calibration item, or choose people drawn "
                    "separately (free)."
                )
                % {"key": item.key},
                "arrangement",
            )
        raise ImpossibleParametersError(
            ngettext(
                "The group %(key)s has %(n)s item to rate and others have %(usual)s, "
                "so fixed groups of people cannot divide them. Choose people drawn "
                "separately for each group (free), or import groups of the same size.",
                "The group %(key)s has %(n)s items to rate and others have %(usual)s, "
                "so fixed groups of people cannot divide them. Choose people drawn "
                "separately for each group (free), or import groups of the same size.",
                "n",
            )
            % {"key": item.pool.key, "n": len(items), "usual": usual},
            "arrangement",
        )


def _team_sizes(n_tuples: int, n_teams: int) -> list[int]:
    """Tuples of each team: they differ by at most one."""
    if n_teams > n_tuples:
        raise ImpossibleParametersError(
            ngettext(
                "The items can be split among at most %(n)s team.",
                "The items can be split among at most %(n)s teams.",
                "n",
            )
            % {"n": n_tuples},
            "n_teams",
        )
    each, more = divmod(n_tuples, n_teams)
    return [each + (team < more) for team in range(n_teams)]


def _check_size(layout: Layout, parameters: RatingParameters) -> None:
    of_booklets = layout.n_booklets * (len(layout.calibration) + layout.checks.n_in_booklet)
    of_ratings = layout.n_items * parameters.ratings_per_item
    n = (of_booklets + of_ratings) * len(parameters.phases)
    if n > MAX_QUESTIONS:
        raise ImpossibleParametersError(
            _(
                "That makes %(n)s questions, but a study can have at most %(most)s. "
                "Split the items into several studies, or choose fewer ratings."
            )
            % {"n": n, "most": MAX_QUESTIONS}
        )
    # Stacks are drawn in a table that has room for the largest group in every row.
    n_cells = len(layout.tuples) * layout.pairs_per_tuple * parameters.ratings_per_item
    if n_cells > MAX_CELLS:
        raise ImpossibleParametersError(
            _(
                "One group has %(largest)s items, and there are %(n)s groups and "
                "single items. This is too uneven to assign people. Make the large "
                "groups smaller."
            )
            % {"largest": layout.pairs_per_tuple, "n": len(layout.tuples)}
        )


def _check_repeats(study: Study, layout: Layout, parameters: RatingParameters) -> None:
    if not parameters.n_repeats:
        return
    if parameters.repeat_from == "earlier_round":
        if study.earlier_round_id is None:
            raise ImpossibleParametersError(
                _(
                    "This study does not continue an earlier round. Repeat items of the "
                    "same booklet instead."
                ),
                "repeat_from",
            )
        if (
            study.pilot_of_id is None
            and not recognition.repeaters(study, but=parameters.calibration).n_known
        ):
            raise ImpossibleParametersError(
                _(
                    "Likeness cannot recognise anybody who rated these items in the "
                    "earlier round. They joined by an open link or a panel, were erased, "
                    "or rated none of these items. Take repeats from this study instead."
                ),
                "repeat_from",
            )
    # People who rated too little in the earlier round repeat items of their booklet.
    if parameters.n_repeats > layout.load_min:
        raise ImpossibleParametersError(
            _("A booklet has %(n)s items. Choose at most %(n)s repeats.") % {"n": layout.load_min},
            "n_repeats",
        )
    # The first repeat can be of the first item, the second of the second, and so on.
    if parameters.repeat_distance > layout.load_min:
        raise ImpossibleParametersError(
            _(
                "A booklet has %(n)s items, so a repeat can come at most %(n)s "
                "questions later. Choose at most %(n)s."
            )
            % {"n": layout.load_min},
            "repeat_distance",
        )
