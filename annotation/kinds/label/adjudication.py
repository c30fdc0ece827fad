"""How items of a label study are adjudicated."""

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any

from django import forms

from annotation.basics.categories import Categories
from annotation.basics.errors import InvalidAnswerError
from annotation.basics.sentences import sentence as _
from annotation.kinds.contract.adjudication import AdjudicationPart
from annotation.kinds.label.forms.adjudication import value_field
from annotation.kinds.label.queries import disputes
from annotation.kinds.queries.disputes import CountedAnswer, Dispute
from annotation.models import Adjudication, Design, Item, Phase, Study


class LabelAdjudication(AdjudicationPart):
    """An expert chooses categories."""

    order_explained = _("Items without a label come first, then those with the least agreement.")
    no_majority = _("none")
    target_tag = _("judged")

    def disputes(self, design: Design, phase: Phase) -> list[Dispute]:
        return disputes.disputes(design, phase)

    def answers(self, design: Design, phase: Phase, item: Item) -> Sequence[CountedAnswer]:
        return disputes.answers(design, phase, item)

    def value_field(self, study: Study) -> forms.Field:
        return value_field(study)

    def initial(self, study: Study, adjudication: Adjudication) -> Any:
        chosen = adjudication.categories
        return chosen if Categories.of(study.categories).is_several else chosen[0]

    def decision(self, value: Any) -> dict[str, Any]:
        return {"categories": value if isinstance(value, list) else [value]}

    def possible(
        self, study: Study, rating: Decimal | None, categories: Collection[str]
    ) -> list[str]:
        named = Categories.of(study.categories)
        if rating is not None or not categories:
            raise InvalidAnswerError(_("Choose a category."))
        if unknown := sorted(set(categories) - set(named.names)):
            raise InvalidAnswerError(
                _("“%(name)s” is not a category of this study.") % {"name": unknown[0][:100]}
            )
        if not named.allow(set(categories)):
            raise InvalidAnswerError(_("Choose one category only."))
        return list(named.in_order(categories))
