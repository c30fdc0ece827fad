"""What a release publishes or leaves out beside the answers: columns, leaderboards, comments."""

from annotation.baselines.queries import leaderboards
from annotation.basics.reviewed import Reviewed
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.queries.comments import n_comments
from annotation.core.queries.further_columns import listed, of_items
from annotation.kinds.registry import kind_of
from annotation.models import BaselineReport, Study
from annotation.releases.release_description import Description
from annotation.studies import presets


def further_columns(study: Study) -> list[str]:
    """Columns of the imported file that nobody was shown and that the files have."""
    if study.is_imported_table:
        return of_items(study)
    return kind_of(study).releases.further_columns(study)


def told_columns(study: Study, description: Description) -> list[Said]:
    """What becomes of the columns that nobody was shown; empty if there are none.

    Those of an imported table are its data, and always published.
    """
    names = further_columns(study)
    if not (description.metadata or study.is_imported_table):
        # The values of a measure are published with it.
        published = {*study.baselines.values_list("name", flat=True), *_reviewed_columns(study)}
        names = [name for name in names if name not in published]
    if not names:
        return []
    sentence = (
        _("Other columns of the imported file, published: %(names)s.")
        if description.metadata or study.is_imported_table
        else _("Other columns of the imported file, left out: %(names)s.")
    )
    return [sentence % {"names": listed(names)}]


def _reviewed_columns(study: Study) -> set[str]:
    """Of a review: columns of the earlier study's file whose values it is about."""
    if not presets.review_of(study.preset):
        return set()
    item = study.items.first()
    reviewed = Reviewed.of(item.metadata) if item else None
    return {reviewed.column, reviewed.measure} - {""} if reviewed else set()


def told_leaderboards(study: Study, description: Description) -> list[Said]:
    """That the newest leaderboard is left out; empty if it is there, or there is none."""
    report = leaderboards.latest_report(study)
    if report is None:
        return []
    if leaderboards.is_outdated(report):
        return [_("The newest leaderboard is outdated and left out.")]
    used = [] if description.metadata else _columns_used(study, report)
    if not used:
        return []
    sentence = _(
        "The newest leaderboard is left out because it uses columns that are left out: %(names)s."
    )
    return [sentence % {"names": listed(used)}]


def leaderboards_before(study: Study, *, is_scored: bool) -> list[Said]:
    """The same before a release is made, with the reason and what to do.

    `is_scored`: else the scores change before the release is written.
    """
    report = leaderboards.latest_report(study)
    if report is None:
        return []
    reasons: list[Said] = list(leaderboards.why_outdated(report))
    if not (reasons or is_scored) and report.parameters["result"]:
        reasons = [_("Its scores are outdated. Score again, then compute the leaderboard again.")]
    if reasons:
        return [
            _("The newest leaderboard is outdated and will be left out. %(why)s")
            % {"why": reasons[0]}
        ]
    used = _columns_used(study, report)
    sentence = _(
        "The newest leaderboard uses other columns of the file. It is left "
        "out unless you publish them: %(names)s."
    )
    return [sentence % {"names": listed(used)}] if used else []


def _columns_used(study: Study, report: BaselineReport) -> list[str]:
    """Further columns that a leaderboard needs; those of an imported table are its data."""
    if study.is_imported_table:
        return []
    used = leaderboards.columns_used(report)
    return [name for name in further_columns(study) if name in used]


def told_comments(study: Study, description: Description) -> list[Said]:
    """What becomes of what annotators wrote beside their answers; empty if it is nothing."""
    n = n_comments(study)
    if not n:
        return []
    sentence = (
        _("Annotators' comments, word for word: %(n)s.")
        if description.comments
        else _("Annotators' comments, left out: %(n)s.")
    )
    return [sentence % {"n": n}]
