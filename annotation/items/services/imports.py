"""Writing what was read from files: items of a draft, and judgments that were finished before."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Literal

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection

from annotation.basics.errors import (
    AnnotationError,
    FrozenError,
    ImportProblemsError,
    StateError,
)
from annotation.basics.scale import Scale, ScaleError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.queries import further_columns
from annotation.core.services import jobs
from annotation.core.services.imported_rules import refuse_changing
from annotation.items.imports import items as item_files
from annotation.items.imports.columns import FoundColumn
from annotation.items.imports.headers import MAX_COLUMNS, too_many_columns
from annotation.items.imports.parsed import ParsedItems
from annotation.items.services import adding, finished_answers, imported_items
from annotation.items.services.uploads import upload
from annotation.kinds.contract.items import AnswerForm
from annotation.kinds.registry import kind_of
from annotation.kinds.services.design_rows import drop_rows
from annotation.models import Job, Study
from annotation.studies.services import studies
from annotation.studies.services.filling import filling, refuse_reviewed, start_over

# How much of the work is done when a file has been read.
_READ = 0.7

Progress = Callable[[float, Said], None]


class EarlierItemsUndecidedError(StateError):
    """The request does not say what to do with the items that the study has."""

    code = "not_said"


@dataclass(frozen=True)
class ImportedItems:
    n_items: int
    n_pools: int
    n_contexts: int
    n_incidents: int = 0
    # Dialogues whose candidates are compared.
    n_dialogues: int = 0


def _quietly(share: float, message: Said) -> None:
    """No progress is shown."""


def read_beginning(
    *, study: Study, name: str, filename: str, columns: Mapping[str, str] | None = None
) -> ParsedItems:
    """Read an upload for the preview, as far as a request may take; the import reads all of it.

    Raises ImportProblemsError with all problems of what was read, UnknownColumnsError where
    `columns` have to be said.
    """
    return item_files.read(
        upload(study=study, name=name),
        filename=filename,
        kind=kind_of(study).items,
        tuple_size=kind_of(study).items.tuple_size(study),
        categories=_categories(study),
        scale=_scale(study),
        allows_repeats=study.is_imported,
        columns=columns,
        limit_bytes=settings.IMPORT_LIMIT_BYTES,
        beginning_bytes=settings.IMPORT_PREVIEW_BYTES,
    )


def found_columns(*, study: Study, name: str, filename: str) -> list[FoundColumn]:
    """The columns of an uploaded table, so that somebody can say what they are.

    Raises ImportProblemsError if it is no table.
    """
    return item_files.found_columns(
        upload(study=study, name=name),
        filename=filename,
        kind=kind_of(study).items,
        beginning_bytes=settings.IMPORT_PREVIEW_BYTES,
    )


def request(
    *,
    study: Study,
    name: str,
    filename: str,
    earlier: Literal["keep", "replace"] | None,
    by: AbstractBaseUser,
    columns: Mapping[str, str] | None = None,
) -> Job:
    """Queue the import of an upload. `earlier` says what to do with the items of the study.

    `columns`: what the columns of a table are, if their names do not say it.

    Raises EarlierItemsUndecidedError if the study has items and `earlier` does not say what to do
    with them, StateError while another import goes on.
    """
    upload(study=study, name=name)
    has_some = study.items.exists() or study.context_groups.exists()
    add = adding.can_add(study) and earlier == "keep"
    if has_some and not add and earlier != "replace":
        raise EarlierItemsUndecidedError(
            _("Nothing was changed. Choose whether to keep or replace the earlier items.")
            if adding.can_add(study)
            else _("Nothing was changed. Tick the box to replace the earlier items.")
        )
    job = jobs.start(
        study=study,
        kind=Job.Kind.IMPORT_ITEMS,
        parameters={
            "path": name,
            "filename": filename,
            "add": add,
            **({"columns": dict(columns)} if columns else {}),
        },
        by=by,
    )
    if job.parameters.get("path") != name:
        raise StateError(_("Another import is still running, so this file was not imported."))
    return job


def import_items_job(run: jobs.Run) -> None:
    """Import an upload, whose name and file name are the job's parameters; then delete it.

    With `finished` among them it has answers, and what they say is how it is read.
    """
    job = run.job
    if "imported" in job.parameters:
        return  # a worker stored the items and died before it could say so
    name, filename = job.parameters["path"], job.parameters["filename"]
    path = upload(study=job.study, name=name)
    try:
        start_over(run)
        if finished := job.parameters.get("finished"):
            finished_answers.import_finished(
                study=job.study,
                source=finished_answers.Source(path, **finished),
                progress=run.progress,
                run=run,
            )
        else:
            import_items(
                study=job.study,
                path=path,
                filename=filename,
                add=job.parameters.get("add", False),
                columns=job.parameters.get("columns"),
                progress=run.progress,
                run=run,
            )
    except AnnotationError:
        # Refused: it has to be repaired and uploaded again.
        path.unlink(missing_ok=True)
        raise
    path.unlink(missing_ok=True)


def import_items(
    *,
    study: Study,
    path: str | Path | IO[bytes],
    filename: str,
    add: bool = False,
    columns: Mapping[str, str] | None = None,
    will_be_imported: bool = False,
    progress: Progress = _quietly,
    run: jobs.Run | None = None,
) -> ImportedItems:
    """Give a draft the items of a file: all of them or, if one is wrong, none.

    They take the place of those it has; with `add` they come after them. A job, with its `run`,
    stores them in short transactions; else it is done in one. Two items may have the same texts
    in a study of imported values, which this one is or `will_be_imported`. Raises
    ImportProblemsError with every problem, FrozenError if the study was opened.
    """
    refuse_opened(study)
    kind = kind_of(study)
    tuple_size = kind.items.tuple_size(study)
    parsed = item_files.read(
        path,
        filename=filename,
        kind=kind.items,
        tuple_size=tuple_size,
        categories=_categories(study),
        scale=None if will_be_imported else _scale(study),
        allows_repeats=study.is_imported or will_be_imported,
        columns=columns,
        limit_bytes=settings.IMPORT_LIMIT_BYTES,
        progress=lambda share, message: progress(_READ * share, message),
    )
    refuse_many_columns(parsed, further_columns.all_names(study) if add else set())
    imported = ImportedItems(
        n_items=len(parsed.items),
        n_pools=parsed.n_pools,
        n_contexts=len(parsed.contexts),
        n_incidents=len(parsed.groups),
        n_dialogues=sum(pool.context is not None for pool in parsed.pools),
    )
    progress(_READ, _writing(imported))
    n_rows = imported_items.n_rows(parsed)
    n_written = 0

    def begin(study: Study) -> None:
        refuse_opened(study)
        if kind_of(study) is not kind:
            raise StateError(
                _("The kind of the study has changed in the meantime. Import the file again.")
            )
        if kind.items.tuple_size(study) != tuple_size:
            raise StateError(
                _("The tuple size has changed in the meantime. Import the file again.")
            )
        if add:
            _refuse_clashes(study, parsed)

    def on_rows(n: int) -> None:
        nonlocal n_written
        n_written += n
        progress(_READ + (1 - _READ) * min(n_written / n_rows, 1.0), _writing(imported))

    with filling(study, run, begin=begin, keeps_material=add, on_rows=on_rows) as draft:
        if add:
            draft.delete_design()
        else:
            draft.delete_material()
        imported_items.store(draft, parsed)
        with draft.finish():
            draft.note(imported=asdict(imported))
    progress(1.0, _imported(imported))
    return imported


def refuse_many_columns(parsed: ParsedItems, known: set[str]) -> None:
    """Raise ImportProblemsError if items and contexts have too many further columns together.

    In JSON each line may have others, and pages list all of them.
    """
    names = set(known)
    for item in parsed.items:
        names |= item.metadata.keys()
    for context in parsed.contexts:
        names |= context.metadata.keys()
    if len(names) > MAX_COLUMNS:
        raise ImportProblemsError([too_many_columns(len(names), MAX_COLUMNS)])


def _writing(imported: ImportedItems) -> Said:
    if imported.n_incidents:
        return _("writing %(n)s incidents") % {"n": imported.n_incidents}
    return _("writing %(n)s items") % {"n": imported.n_items}


def _imported(imported: ImportedItems) -> Said:
    if imported.n_incidents:
        return _("%(n)s incidents imported") % {"n": imported.n_incidents}
    return _("%(n)s items imported") % {"n": imported.n_items}


def _categories(study: Study) -> list[str]:
    """The names that a label study offers; none while nobody has written them."""
    return list(study.categories.get("names", []))


def _scale(study: Study) -> Scale | None:
    """What known answers lie on; values that were collected elsewhere may have another scale."""
    if kind_of(study).items.answer_form != AnswerForm.NUMBER or study.is_imported:
        return None
    try:
        return Scale.of(study.scale)
    except ScaleError:
        return None


def refuse_opened(study: Study) -> None:
    if study.is_imported:
        refuse_changing(study)
    elif not study.is_draft:
        raise FrozenError(
            _(
                "The items have been frozen since the study was opened, because people have seen"
                " them. To use other items, create a new study."
            )
        )
    studies.refuse_file(study)
    studies.refuse_filling(study)


def _refuse_clashes(study: Study, parsed: ParsedItems) -> None:
    if reason := kind_of(study).items.why_no_additions:
        raise StateError(reason)
    if problems := adding.clashes(study, parsed):
        raise ImportProblemsError(problems)


def forget_designs(study: Study) -> None:
    """Forget what was made of a draft's items. The caller holds the study's lock."""
    for design in study.designs.all():
        drop_rows(design)


def drop_items(study: Study) -> None:
    """Forget a draft's items and the plan made of them. The caller holds the study's lock.

    Raises StateError if a review of their labels has copies of them.
    """
    refuse_reviewed(study)
    forget_designs(study)
    study.items.all().delete()
    study.pools.all().delete()
    # A million turns are not fetched to be deleted: no row names them any more, and if one did,
    # the database would refuse.
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM annotation_turn WHERE context_id IN"
            " (SELECT id FROM annotation_context WHERE study_id = %s)",
            [study.pk],
        )
    study.contexts.all().delete()
    study.context_groups.all().delete()
