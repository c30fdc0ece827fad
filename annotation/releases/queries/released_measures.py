"""Which measures, leaderboards, trained models and comparisons a release has, and what is new."""

import json
from collections.abc import Mapping
from typing import Any

from annotation.basics.cells import iso
from annotation.basics.sentences import Said, Sentence
from annotation.basics.sentences import sentence as _
from annotation.models import Study

# By name when it was computed; of leaderboards by number, of comparisons by what was asked.
Released = Mapping[str, Mapping[str, Any]]

_ADDED: dict[str, Sentence] = {
    "measures": _("Measures added: %(names)s."),
    "trainings": _("Trained models added: %(names)s."),
}
_CHANGED: dict[str, Sentence] = {
    "measures": _("Measures computed again: %(names)s."),
    "trainings": _("Models trained again: %(names)s."),
}
_REMOVED: dict[str, Sentence] = {
    "measures": _("Measures removed: %(names)s."),
    "trainings": _("Trained models removed: %(names)s."),
}


def released_measures(study: Study) -> Released:
    """What there is now, as a release keeps it in JSON."""
    reports = list(study.baseline_reports.order_by("-pk").values("pk", "parameters"))
    comparisons = reports[0]["parameters"].get("comparisons", []) if reports else []
    return {
        "measures": {
            name: iso(at) for name, at in study.baselines.values_list("name", "computed_at")
        },
        "trainings": {
            name: iso(at) for name, at in study.trainings.values_list("name", "trained_at")
        },
        "leaderboards": {str(report["pk"]): None for report in reports},
        "comparisons": {
            json.dumps(comparison, sort_keys=True): None for comparison in comparisons
        },
    }


def changes(now: Released, before: Released) -> list[Said]:
    """What differs, a line for each; nothing of a release that did not keep it."""
    if not before:
        return []
    lines: list[Said] = []
    for group in ("measures", "trainings"):
        is_there, was_there = now[group], before[group]
        for sentence, names in (
            (_ADDED[group], [name for name in is_there if name not in was_there]),
            (
                _CHANGED[group],
                [name for name, at in is_there.items() if was_there.get(name, at) != at],
            ),
            (_REMOVED[group], [name for name in was_there if name not in is_there]),
        ):
            if names:
                lines.append(sentence % {"names": ", ".join(names)})
    if n := len(now["leaderboards"].keys() - before["leaderboards"].keys()):
        lines.append(_("Leaderboards computed since: %(n)s.") % {"n": n})
    compared, were_compared = now["comparisons"].keys(), before["comparisons"].keys()
    if compared != were_compared:
        lines.append(
            _("Comparisons of measures added: %(added)s; removed: %(removed)s.")
            % {"added": len(compared - were_compared), "removed": len(were_compared - compared)}
        )
    return lines
