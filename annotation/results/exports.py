"""A ZIP for Label Studio: tasks with annotations, phase by phase, and a labelling interface."""

import json
import zipfile
from collections.abc import Iterable, Iterator
from typing import IO, Any
from xml.sax.saxutils import quoteattr

from annotation.basics.categories import Categories
from annotation.basics.errors import StateError
from annotation.basics.scale import Scale
from annotation.basics.sentences import sentence as _
from annotation.core.exports.members import Archive, quietly
from annotation.core.queries import snapshots
from annotation.core.queries.counted_answers import Population
from annotation.models import Study
from annotation.models.kinds import QuestionKind
from annotation.results.queries import label_studio

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


def write(study: Study, population: Population, file: IO[bytes]) -> None:
    """Write the counted answers of one population. Raises StateError for a selection study."""
    if study.kind == QuestionKind.SELECTION:
        raise StateError(_("Selections have no form that Label Studio would read."))
    with snapshots.snapshot(), zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        study = Study.objects.get(pk=study.pk)
        design = study.design
        made = Archive(study, design, population, archive, False, progress=quietly)
        made.member("README.md", [_README.format(title=study.title)])
        size = int(design.parameters.get("tuple_size", 0))
        made.member("labelling.xml", [labelling(study, size)])
        for phase in design.phases.order_by("number"):
            tasks = label_studio.tasks(design, phase, population)
            made.member(f"tasks_{phase.number}.json", _listed(tasks))
        made.member("SHA256SUMS", list(made.sums))


def _listed(tasks: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A JSON list with a task a line."""
    before = "[\n"
    for task in tasks:
        yield before + json.dumps(task, ensure_ascii=False)
        before = ",\n"
    yield "\n]\n" if before == ",\n" else "[]\n"


def labelling(study: Study, tuple_size: int) -> str:
    """What Label Studio calls a labelling configuration, for the tasks of a study."""
    comment = '<TextArea name="comment" toName={to} maxSubmissions="1"/>'
    if study.kind == QuestionKind.BEST_WORST:
        names = [f"item{number}" for number in range(1, tuple_size + 1)]
        lines = ['<Text name="context" value="$context"/>'] if _has_context(study) else []
        lines += [f'<Text name="{name}" value="${name}"/>' for name in names]
        for name, question in (("best", study.most_question), ("worst", study.least_question)):
            lines.append(f"<Header value={quoteattr(question)}/>")
            lines += _choices(name, "item1", names, several=False)
        lines.append(comment.format(to='"item1"'))
    else:
        lines = ['<Text name="target" value="$target"/>'] if _has_targets(study) else []
        lines += [
            '<Text name="candidate" value="$candidate"/>',
            f"<Header value={quoteattr(study.rating_question or study.title)}/>",
        ]
        if study.kind == QuestionKind.RATING:
            scale = Scale.of(study.scale)
            low, high, step = map(scale.text, (scale.low, scale.high, scale.step))
            lines.append(
                f'<Number name="rating" toName="candidate" min="{low}" max="{high}" step="{step}"'
                ' required="true"/>'
            )
        else:
            categories = Categories.of(study.categories)
            lines += _choices(
                "label", "candidate", categories.names, several=categories.is_several
            )
        lines.append(comment.format(to='"candidate"'))
    return "".join(["<View>\n", *(f"  {line}\n" for line in lines), "</View>\n"])


def _choices(name: str, of: str, values: Iterable[str], *, several: bool) -> list[str]:
    how = "multiple" if several else "single"
    return [
        f'<Choices name="{name}" toName="{of}" choice="{how}" required="true">',
        *(f"  <Choice value={quoteattr(value)}/>" for value in values),
        "</Choices>",
    ]


def _has_context(study: Study) -> bool:
    return study.pools.filter(context__isnull=False).exists() or _has_targets(study)


def _has_targets(study: Study) -> bool:
    return (
        study.items.exclude(target_text=None).exists()
        or study.items.exclude(target_turn=None).exists()
    )
