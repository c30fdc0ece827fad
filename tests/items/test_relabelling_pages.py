"""The page on which domains, sources and other labels are changed, and what was changed."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.core.services import jobs
from annotation.items.imports.relabels import RequestedChange
from annotation.items.services import relabellings
from annotation.models import Job, Relabelling, Study
from tests.support.clock import Clock
from tests.support.factories import make_open_study, make_user
from tests.support.rated_studies import make_rated
from tests.support.researcher_pages import finish_booklet, in_one_line, said, signed_in, text, url

pytestmark = pytest.mark.django_db

FORM = {
    "of": "context",
    "field": "domain",
    "which": "named",
    "ids": "d1\r\n\r\n d2 \r\n",
    "value": "holidays",
    "reason": "as agreed",
}


@pytest.fixture
def study() -> Study:
    return make_open_study()


@pytest.fixture
def client(study: Study) -> Client:
    return signed_in(study.owner)


def domains(study: Study) -> list[str]:
    return list(study.contexts.order_by("key").values_list("domain", flat=True))


def confirm(client: Client, study: Study, form: dict[str, str]) -> Any:
    looked = client.post(url(study, "relabel"), form)
    assert looked.status_code == 200, text(looked)
    found = re.search(r'name="confirmed" value="(\w+)"', text(looked))
    assert found
    return client.post(url(study, "relabel"), {**form, "confirmed": found[1]}, follow=True)


def test_the_items_of_an_opened_study_say_what_can_be_done_about_a_mistake(
    client: Client, study: Study
) -> None:
    page = text(client.get(url(study, "items")))

    said_there = page.split('id="wrong-text"')[1].split("</p>")[0]
    assert f'href="{url(study, "relabel")}"' in said_there
    assert f'href="{url(study, "copy")}"' in said_there

    # It is true: an item can be marked by a name that no file had.
    item = study.items.earliest("number")
    form = {**FORM, "of": "item", "field": "typo", "ids": item.key, "value": "yes"}
    confirm(client, study, form)
    item.refresh_from_db()
    assert item.metadata["typo"] == "yes"


# -- By hand ------------------------------------------------------------------------------------


def test_what_would_change_is_shown_first(client: Client, study: Study) -> None:
    study.contexts.filter(key="d2").update(domain="holidays")

    response = client.post(url(study, "relabel"), FORM)

    page = in_one_line(text(response))
    assert "1 value changes. 1 already has the new value." in page
    assert "Apply the changes" in page
    assert response.context["preview"]["changes"] == [("d1", "domain", "travel", "holidays")]
    assert not Relabelling.objects.exists()


def test_then_it_is_changed_and_stands_in_the_log(client: Client, study: Study) -> None:
    response = confirm(client, study, FORM)

    assert domains(study) == ["holidays", "holidays"]
    assert said(response) == ["Relabelled: 2 values (domain)."]
    assert [(one.before, one.after) for one in response.context["rows"]] == [
        ("repair", "holidays"),
        ("travel", "holidays"),
    ]
    assert "as agreed" in text(response)
    assert "Relabelled: 2 values (domain)." in text(client.get(url(study, "history")))


def test_what_was_typed_after_the_look_is_looked_at_first(client: Client, study: Study) -> None:
    looked = client.post(url(study, "relabel"), FORM)
    digest = looked.context["preview"]["digest"]

    response = client.post(
        url(study, "relabel"), {**FORM, "value": "another", "confirmed": digest}
    )

    assert response.context["preview"]["changes"][0][3] == "another"
    assert domains(study) == ["travel", "repair"]


def test_all_that_have_a_value_are_changed(client: Client, study: Study) -> None:
    form = {**FORM, "which": "all", "present": "travel", "ids": ""}

    confirm(client, study, form)

    assert domains(study) == ["holidays", "repair"]


def test_a_name_is_removed(client: Client, study: Study) -> None:
    study.items.filter(key="d1-1").update(metadata={"note": "x", "year": 2019})
    form = {**FORM, "of": "item", "field": "note", "ids": "d1-1", "value": "", "removes": "on"}

    confirm(client, study, form)

    assert study.items.get(key="d1-1").metadata == {"year": 2019}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"ids": " \n"}, "Enter at least one id, or choose all with this current value"),
        ({"value": " "}, "Enter the new value, or tick the box to remove it."),
        ({"field": ""}, "Enter the field to change:"),
        ({"reason": ""}, "Give a reason. It is stored with the change."),
        ({"reason": "a\x00"}, "Null characters are not allowed"),
        ({"of": "people"}, "people is not one of the available choices"),
        ({"which": ""}, "This field is required"),
        ({"ids": "d1\nd9"}, "line 2: this study has no context d9"),
        ({"field": "target"}, "“target” cannot be relabelled"),
    ],
)
def test_what_is_missing_or_wrong_is_said_and_nothing_changed(
    client: Client, study: Study, change: dict[str, str], sentence: str
) -> None:
    response = client.post(url(study, "relabel"), {**FORM, **change, "confirmed": "yes"})

    assert response.status_code == 400
    assert sentence in text(response)
    assert 'name="confirmed"' not in text(response)
    assert domains(study) == ["travel", "repair"]


def test_what_people_saw_is_refused_with_the_reason() -> None:
    rated = make_rated([{"key": "a", "metadata": {"question": "Who?"}}])
    client = signed_in(rated.study.owner)
    form = {**FORM, "of": "item", "field": "question", "ids": "a"}

    response = client.post(url(rated.study, "relabel"), form)

    assert response.status_code == 400
    assert "people have seen it" in text(response)
    # Nor is it proposed.
    assert '<option value="question">' not in text(response)


def test_the_names_that_there_are_are_proposed(client: Client, study: Study) -> None:
    study.items.filter(key="d1-1").update(metadata={"year": 2019, "raters": [1]})

    fields = client.get(url(study, "relabel")).context["fields"]

    assert fields == ["domain", "intended_class", "source", "year"]


@pytest.mark.slow
def test_the_log_is_read_page_by_page_the_latest_first(
    client: Client, study: Study, clock: Clock
) -> None:
    for n in range(60):
        wanted = [RequestedChange("d1", "domain", f"domain {n}")]
        relabellings.relabel(study=study, wanted=wanted, reason="<i>x</i>", by=study.owner)

    first = client.get(url(study, "relabel"))
    second = client.get(url(study, "relabel"), {"page": 2})

    assert [one.after for one in first.context["rows"]][:2] == ["domain 59", "domain 58"]
    assert second.context["rows"][-1].before == "travel"
    assert "&lt;i&gt;x&lt;/i&gt;" in text(first)


def test_the_items_page_leads_there_and_the_page_says_what_stays(
    client: Client, study: Study
) -> None:
    assert f'href="{url(study, "relabel")}"' in text(client.get(url(study, "items")))
    page = " ".join(text(client.get(url(study, "relabel"))).split())
    assert "its strata and certificate still use the old values" in page


# -- By a file ----------------------------------------------------------------------------------


def upload(client: Client, study: Study, content: str, **more: Any) -> Any:
    file = SimpleUploadedFile("domains.tsv", content.encode())
    return client.post(url(study, "relabel_upload"), {"file": file}, **more)


def test_a_file_is_looked_at_and_then_applied(client: Client, study: Study) -> None:
    sent = upload(client, study, "id\tdomain\tyear\nd1\ttravel\t2019\nd2\ttravel\t\n")
    page = client.get(sent["Location"])
    done = client.post(sent["Location"], {"reason": "as agreed"}, follow=True)

    assert "2 values change. 2 already have the new value." in in_one_line(text(page))
    assert "domains.tsv" in text(page)
    assert said(done) == ["Relabelled: 2 values (domain, year)."]
    assert domains(study) == ["travel", "travel"]
    assert study.contexts.get(key="d1").metadata == {"year": "2019"}
    # It is forgotten then.
    assert said(client.get(sent["Location"], follow=True)) == [
        "The uploaded file is no longer there. Upload it again."
    ]


def test_a_column_that_no_row_has_yet_is_told(client: Client, study: Study) -> None:
    study.items.filter(key="d1-1").update(metadata={"note": "x"})

    page = upload(client, study, "id\tdomian\tnote\nd1\tholidays\ty\n", follow=True)

    assert page.context["preview"]["new_names"] == ["domian"]
    html = in_one_line(text(page))
    assert '<bdi>domian</bdi> <span class="tag">new name</span>' in html
    assert "<bdi>note</bdi></td>" in html


def test_unknown_ids_of_a_file_are_listed_with_their_lines(client: Client, study: Study) -> None:
    sent = upload(client, study, "id\tdomain\nd1\tx\nd8\tx\nd9\tx\n")

    page = text(client.get(sent["Location"]))
    refused = client.post(sent["Location"], {"reason": "as agreed"})

    assert "line 3: this study has no item or context d8" in page
    assert "line 4: this study has no item or context d9" in page
    assert "1 value changes." in page
    assert "Apply the changes" not in page
    assert refused.status_code == 400
    assert domains(study) == ["travel", "repair"]


def test_a_file_needs_a_reason(client: Client, study: Study) -> None:
    sent = upload(client, study, "id\tdomain\nd1\tx\n")

    response = client.post(sent["Location"], {"reason": " "})

    assert response.status_code == 400
    assert "Give a reason. It is stored with the change." in text(response)
    assert not Relabelling.objects.exists()


def test_a_file_that_cannot_be_read_is_refused_by_line(client: Client, study: Study) -> None:
    response = upload(client, study, "id\tdomain\nd1\n")

    assert response.status_code == 400
    assert "domains.tsv cannot be read" in text(response)
    assert "line 2: 1 column, but the header has 2" in text(response)


def test_no_file_at_all_is_said(client: Client, study: Study) -> None:
    response = client.post(url(study, "relabel_upload"))

    assert response.status_code == 400
    assert "Choose a file first." in text(response)


def test_a_file_of_another_study_is_not_there(client: Client, study: Study) -> None:
    sent = upload(client, study, "id\tdomain\nd1\tx\n")
    other = make_open_study(owner=study.owner)
    name = sent["Location"].split("/file/")[1].split("/")[0]

    response = client.get(url(other, "relabel_file", name), follow=True)

    assert said(response) == ["The uploaded file is no longer there. Upload it again."]


# -- What depends on it -------------------------------------------------------------------------


@pytest.mark.slow
def test_results_by_domain_are_outdated_then(client: Client, study: Study) -> None:
    finish_booklet(study)
    score(study)
    confirm(client, study, FORM)

    page = text(client.get(url(study, "results")))
    score(study)

    assert "Domains, sources or intended classes have since been changed." in page
    assert "relabelled since" not in text(client.get(url(study, "results")))


def score(study: Study) -> None:
    jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"population": "people"})


def test_a_stranger_changes_nothing(study: Study) -> None:
    stranger = signed_in(make_user())

    assert stranger.post(url(study, "relabel"), FORM).status_code == 404
    assert upload(stranger, study, "id\tdomain\nd1\tx\n").status_code == 404
    assert domains(study) == ["travel", "repair"]
