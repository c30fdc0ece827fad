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

- `tasks_N.json`: what was answered in phase N, as Label Studio imports it: a task for each item,
  or for each tuple of items, with the annotations of all people. Each person is a pseudonym, in
  `completed_by`: where an installation wants users of its own there, replace it.
- `labelling.xml`: a labelling interface that fits; paste it in the project's settings, under
  Labeling Interface, Code.
- Calibration, repeats, checks, revisions, surplus and excluded answers are not in these files; the
  other download has all of them.
- `manage.py import_judgments STUDY tasks_1.json --format label-studio` reads a file again.
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
