"""The section about a review on the results page, and the links that begin a review."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from annotation.basics import references
from annotation.basics.reviewed import Review
from annotation.basics.sentences import sentence as _
from annotation.core.pages.navigation import Text
from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import Population
from annotation.kinds.registry import kind_of
from annotation.models import Study
from annotation.reviews.queries import discrepancy_reviews, expert_checks, review_figures
from annotation.studies import presets


def with_section(shown: Mapping[str, Any], study: Study, population: Population) -> dict[str, Any]:
    """Add a review's figures and items, from the current answers, to the context of a result."""
    section, definitions = _section(study, population)
    named = {*shown.get("references", []), *references.named_in(definitions)}
    has_scores = population == "people" and study.results.filter(population="people").exists()
    return {
        **shown,
        **section,
        "references": sorted(named),
        "again": again(study) if has_scores else [],
    }


def again(study: Study) -> list[tuple[Text, str]]:
    """Links that begin a review of this study's items, once the study is over."""
    if kind_of(study).baselines.scores is None or study.state not in Study.OVER:
        return []
    add = reverse("admin:annotation_study_add")
    plans = [
        (_("Start an expert check"), "expert-check"),
        (_("Review discrepancies"), "discrepancy-review"),
    ]
    return [(label, f"{add}?earlier_round={study.pk}&preset={plan}") for label, plan in plans]


def _section(study: Study, population: Population) -> tuple[dict[str, Any], list[str]]:
    """The variables of its templates, and sentences that name sources."""
    review = presets.review_of(study.preset)
    if review is None or not counted_answers.basis(study, population).n_judgments:
        return {}, []
    if review == Review.EXPERTS:
        checked = expert_checks.checked_scores(study, population)
        if checked is None:
            return {}, []
        check = review_figures.shown_check(checked)
        return {"check": check}, [figure.definition for figure in check.figures]
    items = discrepancy_reviews.sorted_items(study, population)
    return ({"review": review_figures.shown_review(items)} if items else {}), []
