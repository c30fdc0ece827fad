"""The output folder of Potato, packed or not: every person in it, and what they were asked."""

import io
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Any

from annotation.basics.errors import ImportProblemsError
from annotation.basics.numbers import grouped
from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.foreign import potato
from annotation.items.imports.foreign.entries import Entry, Remarks, refuse_texts
from annotation.items.imports.foreign.folders import Folder, is_data_file
from annotation.items.imports.foreign.objects import read_objects
from annotation.items.imports.lines import Lines, delimiter_of, read_lines, read_records
from annotation.items.imports.problems import MAX_PROBLEMS, Problems
from annotation.kinds.contract.items import ItemsPart

_STATE, _ASSIGNED = "user_state.json", "assigned_user_data.json"
_ROWS = "annotated_instances."
# How the files begin that Potato writes for one person, as they are or renamed.
_OF_A_PERSON = (
    *("user_state", "annotated_instances", "annotation_order", "annotation_history"),
    "assigned_user_data",
)
# The depth of a folder that may be a person's.
_MAX_DEPTH = 20
# Folders that Potato itself makes beside those of people.
_OF_POTATO = {"archived_users", "adjudication"}
# What a data file may call the ids of its instances.
_IDS = ("id", "instance_id", "item_id", "pair_id", "key")

# The instances in one data file.
MAX_INSTANCES = 500_000

# The texts of each instance, by its id.
Texts = dict[str, dict[str, str]]


def read(
    folder: Folder, problems: Problems, remarks: Remarks, *, limit_bytes: int, kind: ItemsPart
) -> Iterator[Entry]:
    """Answers of one person after the other; what Potato does not repeat is in the data files."""
    by_parent: dict[PurePosixPath, list[str]] = {}
    for name in folder.names:
        by_parent.setdefault(PurePosixPath(name).parent, []).append(name)
    people = {parent for parent, names in by_parent.items() if any(map(_holds_answers, names))}
    if not people:
        problems.add(
            None,
            Problem(
                "missing",
                _("it contains neither user_state.json nor annotated_instances"),
                _("pack the folder that the project's output_annotation_dir names"),
            ),
        )
        return
    lost_people = _people_without_files(folder, by_parent, people)
    for lost in lost_people:
        problems.add(
            None,
            Problem(
                "missing",
                _(
                    "%(person)s: the folder %(folder)s contains neither user_state.json "
                    "nor annotated_instances"
                ),
                _(
                    "add the file as Potato wrote it, or remove the folder if nobody answered"
                    " there"
                ),
            )
            % {"person": lost.name, "folder": lost},
        )
    shared: Texts = {}
    theirs = people.union(lost_people)
    for name in folder.names:
        path = PurePosixPath(name)
        if is_data_file(name) and path.parent not in theirs:
            shared |= _instances(folder, name, problems, limit_bytes)
    for person in sorted(people):
        texts: Mapping[str, dict[str, str]] = shared
        assigned = str(person / _ASSIGNED)
        if assigned in by_parent[person]:
            texts = ChainMap(_instances(folder, assigned, problems, limit_bytes), shared)
        yield from _of_person(
            folder,
            by_parent[person],
            texts,
            problems,
            remarks,
            person=person.name,
            limit_bytes=limit_bytes,
            kind=kind,
        )


def _holds_answers(name: str) -> bool:
    last = PurePosixPath(name).name
    return last == _STATE or (last.startswith(_ROWS) and is_data_file(last))


def _people_without_files(
    folder: Folder,
    by_parent: Mapping[PurePosixPath, Sequence[str]],
    people: set[PurePosixPath],
) -> list[PurePosixPath]:
    """Folders that look like a person's, and have no file of answers.

    They have another file that Potato writes for a person; or they stand beside the folders of
    people and hold no data.
    """
    folders = _with_parents([*map(PurePosixPath, folder.folders), *by_parent])
    above = _with_parents(person.parent for person in people)
    beside = {person.parent for person in people if person.name}
    with_data = _with_parents(
        parent for parent, names in by_parent.items() if any(map(is_data_file, names))
    )

    def is_lost(path: PurePosixPath) -> bool:
        if (
            path in people
            or path in above
            or any(part.startswith((".", "__")) for part in path.parts)
        ):
            return False
        names = [PurePosixPath(name).name for name in by_parent.get(path, ())]
        if any(name.startswith(_OF_A_PERSON) for name in names):
            return True
        is_beside = path.parent in beside and path.name not in _OF_POTATO
        return is_beside and path not in with_data

    return sorted(path for path in folders if path.name and is_lost(path))


def _with_parents(paths: Iterable[PurePosixPath]) -> set[PurePosixPath]:
    """The folders, and all above them; an archive may hold names of any depth."""
    folders: set[PurePosixPath] = set()
    for folder in paths:
        path = folder
        while path not in folders and len(path.parts) <= _MAX_DEPTH:
            folders.add(path)
            path = path.parent
    return folders


def _of_person(
    folder: Folder,
    names: Sequence[str],
    texts: Mapping[str, dict[str, str]],
    problems: Problems,
    remarks: Remarks,
    *,
    person: str,
    limit_bytes: int,
    kind: ItemsPart,
) -> Iterator[Entry]:
    of_states = [name for name in names if PurePosixPath(name).name == _STATE]
    # An older version's file beside a newer one's has the same answers.
    for name in (of_states or list(filter(_holds_answers, names)))[:1]:
        of_file = Problems(volume=problems.volume)
        lines = _lines(folder.content(name), of_file, limit_bytes)
        if of_states:
            entries = _of_states(
                lines,
                name,
                texts,
                problems=problems,
                of_file=of_file,
                remarks=remarks,
                person=person,
                kind=kind,
            )
        else:
            entries = _of_rows(
                lines,
                name,
                texts,
                problems=problems,
                of_file=of_file,
                remarks=remarks,
                person=person,
                limit_bytes=limit_bytes,
                kind=kind,
            )
        try:
            yield from entries
        except ImportProblemsError as error:
            if len(problems) >= MAX_PROBLEMS:
                raise  # there are too many in the whole folder
            raise ImportProblemsError(
                [_of_file(name, sentence) for sentence in error.said]
            ) from error
        for sentence in of_file.sentences:
            problems.add(None, _of_file(name, sentence))


def _of_states(
    lines: Lines,
    name: str,
    texts: Mapping[str, dict[str, str]],
    *,
    problems: Problems,
    of_file: Problems,
    remarks: Remarks,
    person: str,
    kind: ItemsPart,
) -> Iterator[Entry]:
    n_states = 0
    for _line, state in read_objects(lines, of_file):
        n_states += 1
        if potato.STATE not in state:
            of_file.add(
                None, Problem("missing", _("it has no answers"), _("use it as Potato wrote it"))
            )
            continue
        yield from potato.of_state(
            state, problems, remarks, person=person, kind=kind, texts=texts, where=name
        )
    if not n_states and not of_file:
        of_file.add(None, _nothing_in_it(person or name))


def _of_rows(
    lines: Lines,
    name: str,
    texts: Mapping[str, dict[str, str]],
    *,
    problems: Problems,
    of_file: Problems,
    remarks: Remarks,
    person: str,
    limit_bytes: int,
    kind: ItemsPart,
) -> Iterator[Entry]:
    n_answers = 0
    n_left_out = remarks.left_out.total()
    for entry in potato.read(
        lines, of_file, remarks, limit_bytes=limit_bytes, person=person, kind=kind
    ):
        n_answers += 1
        place = _("%(file)s, line %(n)s") % {"file": name, "n": entry.line}
        yield _with_texts(entry, problems.next_place(place), texts)
    if n_answers or of_file:
        return
    if remarks.left_out.total() > n_left_out:
        remarks.add_person_without_answers(person or name)
    else:
        of_file.add(None, _nothing_in_it(person or name))


def _nothing_in_it(person: str) -> Said:
    return Problem(
        "missing",
        _("it has no answer from %(person)s"),
        _("use the file as Potato wrote it, or remove the folder if this person answered nothing"),
    ) % {"person": person}


def _lines(content: bytes, problems: Problems, limit_bytes: int) -> Lines:
    # The state of a user may stand in one line.
    return read_lines(
        io.BytesIO(content), problems, limit_bytes=limit_bytes, max_line_bytes=limit_bytes
    )


def _of_file(name: str, problem: Said) -> Said:
    return _("%(place)s: %(problem)s") % {"place": name, "problem": problem}


def _with_texts(entry: Entry, line: int, texts: Mapping[str, dict[str, str]]) -> Entry:
    """The same answer at another place, with what the data files say of its instance."""
    key = next((entry.shown[name] for name in _IDS if name in entry.shown), "")
    return replace(potato.with_texts(entry, texts.get(key)), line=line)


def _instances(folder: Folder, name: str, problems: Problems, limit_bytes: int) -> Texts:
    """What a file says of instances by their ids; empty if it is no such file.

    A folder has configurations and records beside its data: no answer stands in them. But what is
    too large to be looked at may be data.
    """
    ignored = Problems(volume=problems.volume)
    texts: Texts = {}
    try:
        for line, key, row in _rows(folder.content(name), ignored, limit_bytes):
            texts[key] = potato.texts_of_instance(row)
            refuse_texts(line, texts[key], ignored)
            # What is kept takes far more memory than what is only read.
            ignored.count_values(line, len(texts[key]))
            if len(texts) > MAX_INSTANCES:
                ignored.refuse(
                    line,
                    Problem(
                        "too_large",
                        _("the file has more than %(n)s instances"),
                        _("remove those that nobody answered"),
                    )
                    % {"n": grouped(MAX_INSTANCES)},
                )
    except ImportProblemsError as error:
        if len(ignored) >= MAX_PROBLEMS:
            return {}  # So many things are wrong with it that it is no such file.
        if not ignored:
            raise  # It cannot be unpacked.
        raise ImportProblemsError([_of_file(name, sentence) for sentence in error.said]) from error
    return texts


def _rows(
    content: bytes, problems: Problems, limit_bytes: int
) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """The line, the id and the fields of each instance."""
    lines = _lines(content, problems, limit_bytes)
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        return
    lines = chain([first], lines)
    start = first[1].strip()
    rows: Iterator[tuple[int, Mapping[str, Any]]]
    if start[0] in "{[":
        rows = read_objects(lines, problems)
        leading = list(islice(rows, 2))
        if len(leading) == 1 and all(
            isinstance(instance, dict) for instance in leading[0][1].values()
        ):
            # assigned_user_data.json: instances by their ids.
            for key, row in leading[0][1].items():
                yield leading[0][0], str(key), row
            return
        rows = chain(leading, rows)
    else:
        table = read_records(lines, problems, delimiter=delimiter_of(start))
        header = next(table, None)
        names = [name.strip() for name in header.cells] if header else []
        rows = ((record.line, dict(zip(names, record.cells, strict=False))) for record in table)
    for line, row in rows:
        name = next((id_field for id_field in _IDS if id_field in row), None)
        if name is not None:
            yield line, str(row[name]), row
