"""Step 7 of a selection study: how sentences were rated, and how it goes on."""

from typing import Any

from django.contrib.auth.models import User

from annotation.basics import references
from annotation.basics.errors import StateError
from annotation.core.queries import counted_answers
from annotation.kinds.rating.queries import later_tests
from annotation.kinds.selection.answer import ROLES
from annotation.kinds.selection.queries import figures as selection_figures
from annotation.models import Result, Study


def shown(result: Result) -> dict[str, Any]:
    """The page's part of one result."""
    tables = [
        ("ratings_by_class", selection_figures.class_table(result.statistics)),
        ("rating_sets", selection_figures.set_table(result.statistics)),
    ]
    return {
        "headlines": selection_figures.headlines(result.statistics),
        "tables": tables,
        "plots": selection_figures.every_plot(result),
        "references": references.named_in(
            [text for _name, table in tables for _label, text, _missing in table.remarks]
        ),
    }


def next_steps(study: Study, user: User, *, n_answers: int) -> dict[str, Any]:
    """How it goes on: later rounds, and the files that a model is trained on."""
    return {
        "n_pairs": n_answers * len(ROLES),
        "is_over": study.state in Study.OVER,
        "later": study.later_rounds.seen_by(user).order_by("pk"),
        "training": _training_files(study, user),
    }


def _training_files(study: Study, user: User) -> dict[str, Any] | None:
    """How many pairs the training files have, where later rounds take some away."""
    n_answers = counted_answers.basis(study, "people").n_judgments
    if not n_answers or not later_tests.rounds_after(study):
        return None
    try:
        counts = later_tests.counts(study)
    except StateError as error:
        return {"problem": error.message}
    return {
        "files": [
            ("train.tsv", counts.train),
            *((f"train_n{limit}.tsv", n) for limit, n in counts.within.items()),
            ("held_out.tsv", counts.held_out),
        ],
        "n_held_out": counts.held_out,
        "is_empty": bool(counts.held_out and not counts.train),
        "rounds": Study.objects.seen_by(user).filter(pk__in=counts.rounds).order_by("pk"),
    }
