"""A ZIP for Label Studio: tasks with annotations, phase by phase, and a labelling interface."""

import json
import zipfile
from collections.abc import Iterable, Iterator
from typing import IO, Any

from annotation.basics.errors import StateError
from annotation.core.exports.members import Archive, Progress, quietly
from annotation.core.queries import snapshots
from annotation.core.queries.counted_answers import Population
from annotation.kinds.registry import kind_of
from annotation.models import Study

_README = """\
# {title}, for Label Studio

This ZIP was exported from Likeness, a web application that collects human judgments of texts.
It contains the answers that count, for import into Label Studio.

- `tasks_N.json`: the answers of phase N. Each item, or each tuple of items, is a task with the
  annotations of all people. `completed_by` contains the pseudonym of the person. If your Label
  Studio expects one of its own users there, replace it.
- `labelling.xml`: the matching labelling interface. Paste it into the settings of your project,
  under Labeling Interface, Code.

Not included are answers to calibration items and attention checks, repeated answers, and answers
that do not count. The ZIP for analysis, which you can also download in Likeness, contains them.

To import a file into Likeness again, run
`manage.py import_judgments STUDY tasks_1.json --format label-studio`.
"""


def write(
    study: Study, population: Population, file: IO[bytes], *, progress: Progress = quietly
) -> None:
    """Write the counted answers of one population. Raises StateError where it has no form."""
    results = kind_of(study).results
    if results.label_studio is None:
        raise StateError(results.no_label_studio)
    with snapshots.snapshot(), zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        study = Study.objects.get(pk=study.pk)
        design = study.design
        made = Archive(study, design, population, archive, False, progress=progress)
        made.member("README.md", [_README.format(title=study.title)])
        size = int(design.parameters.get("tuple_size", 0))
        interface = results.label_studio.interface(study, tuple_size=size)
        made.member("labelling.xml", [labelling(interface)])
        phases = list(design.phases.order_by("number"))
        for n_written, phase in enumerate(phases):
            name = f"tasks_{phase.number}.json"
            progress(n_written / len(phases), name)
            tasks = results.label_studio.tasks(design, phase, population)
            made.member(name, _listed(tasks))
        made.member("SHA256SUMS", list(made.sums))


def _listed(tasks: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A JSON list with a task a line."""
    before = "[\n"
    for task in tasks:
        yield before + json.dumps(task, ensure_ascii=False)
        before = ",\n"
    yield "\n]\n" if before == ",\n" else "[]\n"


def labelling(lines: Iterable[str]) -> str:
    """A labelling configuration for Label Studio."""
    return "".join(["<View>\n", *(f"  {line}\n" for line in lines), "</View>\n"])
