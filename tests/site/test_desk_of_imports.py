"""What the desk says of answers that came from a file: nobody is waited for."""

import re
from pathlib import Path

import pytest

from annotation.items.services.imported_judgments import import_judgments
from annotation.models import Assignment, Study
from annotation.monitoring.services import live
from annotation.people.queries.people import person_rows
from annotation.people.queries.person import sittings
from annotation.people.queries.person_answers import others_of, own_answers
from annotation.studies.services import studies
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study, make_study
from tests.support.researcher_pages import finish_booklet, in_one_line, signed_in, text, url

pytestmark = pytest.mark.django_db

HEADER = "Annotator,Item1,Item2,Item3,BestItem,WorstItem\n"
ROWS = ("a,b,c,a,c", "b,c,d,b,d", "a,c,d,a,d", "a,b,d,a,d")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    file = tmp_path / "answers.csv"
    # The last of the three said otherwise, and less.
    said = [f"{who},{row}\n" for who in ("p", "q") for row in ROWS] + ["r,a,b,c,c,a\n"]
    file.write_text(HEADER + "".join(said))
    study = make_study(dialogues=0)
    import_judgments(study=study, path=file)
    return Study.objects.get(pk=study.pk)


def test_a_finished_study_that_nobody_completed_has_nothing_to_measure(clock: Clock) -> None:
    study = make_open_study()
    join(study)
    live.watch()
    client = signed_in(study.owner)
    waiting = text(client.get(url(study, "live")))
    studies.close(study=study)
    studies.finish(study=study)

    page = text(client.get(url(study, "live")))

    assert "answers count once somebody has completed a booklet" in waiting
    assert "There are no figures, because nobody completed a booklet." in page
    assert "No forecast of the end while nobody new can join." not in page


@pytest.mark.slow
def test_the_next_release_says_that_more_comes_only_where_it_may(study: Study) -> None:
    opened = make_open_study(dialogues=2)
    finish_booklet(opened)
    held = join(opened).assignment
    more = "The study still accepts answers"

    def says(of: Study) -> bool:
        return more in text(signed_in(of.owner).get(url(of, "release_new")))

    assert not says(study)
    assert says(opened)
    studies.close(study=opened)
    # Somebody is still at work.
    assert says(opened)
    Assignment.objects.filter(pk=held.pk).update(state=Assignment.State.LAPSED)
    assert not says(opened)


def test_a_persons_page_has_one_row_of_a_file_not_one_of_each_booklet(study: Study) -> None:
    who = study.annotators.order_by("pk").first()
    assert who is not None
    own = own_answers(who)
    assert len({one.assignment for one in own}) > 1

    page = in_one_line(text(signed_in(study.owner).get(url(study, "person", who.pk))))

    (row,) = sittings(who, own, others_of(who, own))
    held = Assignment.objects.filter(annotator=who)
    assert (row.n_booklets, row.n_answers) == (held.count(), 4)
    assert row.booklets == person_rows(study, [who])[0].booklets
    assert f"Booklets {row.booklets}</th>" in page
    assert len(re.findall(r'<th scope="row" role="rowheader">Booklets? ', page)) == 1


def test_who_sat_here_has_a_row_for_each_booklet() -> None:
    study = make_open_study(dialogues=4)
    finish_booklet(study)
    who = study.annotators.get()
    own = own_answers(who)

    found = sittings(who, own, others_of(who, own))

    assert [one.n_booklets for one in found] == [1] * Assignment.objects.count()
