"""Of an answer that somebody changed, only the comment that stands is read by others."""

import csv
import io
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.core.queries.comments import n_comments
from annotation.models import Judgment, Study
from annotation.releases.exports import archive
from tests.support import release_studies
from tests.support.release_studies import facts, files_of, write
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

MADE = {
    "best_worst": release_studies.best_worst,
    "ratings": release_studies.ratings,
    "labels": release_studies.labels,
    "selections": release_studies.selections,
}
BEFORE, STANDS = "My name is Ad", "The third text is odd."


def commented(study: Study) -> Judgment:
    """An answer whose comment was another one before; the earlier answer."""
    answer = Judgment.objects.current().filter(assignment__annotator__study=study).last()
    assert answer is not None
    picks, choices = list(answer.picks.all()), list(answer.choices.all())
    Judgment.objects.filter(pk=answer.pk).update(comment=STANDS)
    answer.pk, answer.idempotency_key = None, uuid4()
    answer.comment, answer.superseded_at = BEFORE, timezone.now()
    answer.save()
    for part in (*picks, *choices):
        part.pk, part.judgment = None, answer
        part.save()
    return answer


def exported(study: Study) -> dict[str, bytes]:
    file = io.BytesIO()
    archive.write_archive(study, "people", file)
    return files_of(file.getvalue())


@pytest.mark.slow
@pytest.mark.parametrize("kind", MADE)
def test_no_file_has_a_comment_that_was_replaced(kind: str) -> None:
    study = MADE[kind]()
    earlier = commented(study)

    for files in (exported(study), files_of(write(study, facts(comments=True)))):
        assert [name for name, text in files.items() if BEFORE.encode() in text] == []
        table = files["judgments.tsv"].decode()
        rows = list(csv.DictReader(io.StringIO(table, newline=""), delimiter="\t"))
        assert [row["comment"] for row in rows if row["comment"]] == [STANDS]
        assert "superseded" in {row["status"] for row in rows}
        assert b"| `comment` | " in files["README.md"]
    # What is stored stays until its writer withdraws it.
    earlier.refresh_from_db()
    assert earlier.comment == BEFORE


@pytest.mark.slow
def test_the_list_of_comments_has_those_that_stand() -> None:
    study = release_studies.best_worst()
    commented(study)

    listed = signed_in(study.owner).get(url(study, "comments")).context["page"].object_list

    assert [answer.comment for answer in listed] == [STANDS]
    assert n_comments(study) == 1
