"""The desk of an imported study: nobody is asked, so it leads from the items to the release."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.core.pages.frame import url
from annotation.reviews.pages import review_results
from annotation.site.pages.desk_steps import (
    ANY_TIME,
    DONE,
    LATER,
    Facts,
    Step,
    emphasise,
    items_step,
    release_step,
)


def steps(facts: Facts) -> list[Step]:
    """With results only where answers were imported: a table of values has none."""
    steps = [items_step(facts, 1)]
    if facts.has_answers:
        steps.append(_score(facts, len(steps) + 1))
    steps.append(_baselines(facts, len(steps) + 1))
    steps.append(_download(facts, len(steps) + 1))
    steps.append(release_step(facts, len(steps) + 1))
    undone = [step.number for step in steps if step.state == LATER and not step.waits_for]
    emphasise(steps, undone[0] if undone else None)
    return steps


def _score(facts: Facts, number: int) -> Step:
    step = Step(number, _("Score"), _("Scores, reliability and agreement, with plots."), LATER)
    step.actions = [
        (_("Results"), url(facts.study, "results"), False),
        (_("People"), url(facts.study, "people"), False),
    ]
    if facts.n_results:
        step.state = DONE
        step.summary = ngettext(
            "Results of %(n)s scoring run are stored.",
            "Results of %(n)s scoring runs are stored.",
            facts.n_results,
        ) % {"n": facts.n_results}
        step.actions += [(*link, False) for link in review_results.again(facts.study)]
    return step


def _baselines(facts: Facts, number: int) -> Step:
    study = facts.study
    step = Step(
        number,
        _("Baselines"),
        _("Similarity measures, and a leaderboard that compares them with the imported values."),
        LATER,
        [(_("Baselines"), url(study, "baselines"), False)],
        waits_for="" if facts.n_items else _("Import the items first."),
    )
    n_reports = study.baseline_reports.count()
    if n_reports:
        step.state = DONE
        step.summary = ngettext(
            "%(n)s leaderboard is stored.", "%(n)s leaderboards are stored.", n_reports
        ) % {"n": n_reports}
    elif facts.has_answers:
        step.state = ANY_TIME
    return step


def _download(facts: Facts, number: int) -> Step:
    return Step(
        number,
        _("Download"),
        _("Items, values and leaderboards as one ZIP of TSV files."),
        ANY_TIME,
        [(_("Download"), url(facts.study, "download"), False)],
    )
