"""How items of a rating study are adjudicated."""

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any

from django import forms

from annotation.basics.errors import InvalidAnswerError
from annotation.basics.scale import Scale, plain
from annotation.basics.sentences import sentence as _
from annotation.kinds.contract.adjudication import AdjudicationPart
from annotation.kinds.queries.disputes import CountedAnswer, Dispute
from annotation.kinds.rating.forms.adjudication import value_field
from annotation.kinds.rating.queries import disputes
from annotation.models import Adjudication, Design, Item, Phase, Study


class RatingAdjudication(AdjudicationPart):
    """An expert chooses a value of the scale."""

    order_explained = _("Items with the largest standard deviation come first.")
    no_majority = _("none: a tie")
    has_means = True
    target_tag = _("rated")

    def disputes(self, design: Design, phase: Phase) -> list[Dispute]:
        return disputes.disputes(design, phase)

    def answers(self, design: Design, phase: Phase, item: Item) -> Sequence[CountedAnswer]:
        return disputes.answers(design, phase, item)

    def value_field(self, study: Study) -> forms.Field:
        return value_field(study)

    def initial(self, study: Study, adjudication: Adjudication) -> Any:
        return None if adjudication.rating is None else plain(adjudication.rating)

    def decision(self, value: Any) -> dict[str, Any]:
        return {"rating": value}

    def possible(
        self, study: Study, rating: Decimal | None, categories: Collection[str]
    ) -> list[str]:
        if rating is None or categories:
            raise InvalidAnswerError(_("Choose a value of the scale."))
        scale = Scale.of(study.scale)
        if not scale.has(rating):
            raise InvalidAnswerError(
                _("%(value)s is not on the scale, which goes from %(low)s to %(high)s.")
                % {
                    "value": plain(rating),
                    "low": scale.text(scale.low),
                    "high": scale.text(scale.high),
                }
            )
        return []
