"""The pages of baselines: asked for, looked at, uploaded, compared, removed, reviewed."""

import csv
import io
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.test import Client

from annotation.baselines.forms.baselines import ComputeForm
from annotation.baselines.pages.measure_rows import ShownRow
from annotation.baselines.queries import human_scores
from annotation.baselines.queries.leaderboards import rows_shown
from annotation.baselines.queries.score_sources import ColumnSource
from annotation.baselines.services.baselines import parameters
from annotation.baselines.services.report_options import ReportOptions
from annotation.core.services import jobs
from annotation.models import Job, Pool, Study
from annotation.studies.services import imported_studies, studies
from scoring.baselines import Specification
from tests.support.api import answered_study
from tests.support.baseline_studies import MEAN, TEXTS, compute, make_pairs
from tests.support.factories import make_study
from tests.support.researcher_pages import in_one_line, said, signed_in, text, url
from tests.support.reviewing import scored_dialogues

pytestmark = pytest.mark.django_db

USUAL = {"n_resamples": "20", "level": "0.95", "test": "jackknife"}


def table_of(response: Any) -> list[dict[str, str]]:
    assert response.status_code == 200, response.get("Location")
    return list(csv.DictReader(io.StringIO(text(response)), delimiter="\t"))


def send(client: Client, study: Study, **fields: Any) -> Any:
    return client.post(url(study, "baselines"), {**USUAL, **fields})


def wrong(response: Any, name: str) -> list[str]:
    """What is wrong in a field, as the page says it; nothing was started."""
    assert response.status_code == 400, response.get("Location")
    assert Job.objects.count() == 0
    errors = [str(error) for error in response.context["form"].errors.get(name, [])]
    assert all(error in unescape(text(response)) for error in errors)
    return errors


# -- Asking for measures ------------------------------------------------------------------------


def test_an_empty_study_leads_to_its_items() -> None:
    study = make_study(dialogues=0)

    page = text(signed_in(study.owner).get(url(study, "baselines")))

    assert "Nothing to measure yet" in page
    assert f'href="{url(study, "items")}"' in page
    assert "Compute measures" not in page


def test_without_scores_from_people_the_page_says_what_helps() -> None:
    study = make_study()

    page = text(signed_in(study.owner).get(url(study, "baselines")))

    assert "No scores from people yet." in page
    assert f'href="{url(study, "results")}"' in page


def test_the_form_starts_a_job_with_all_that_was_chosen() -> None:
    study = make_pairs(sd=["1"] * 6, kind=["a", "a", "a", "b", "b", "b"])
    client = signed_in(study.owner)

    response = send(
        client,
        study,
        lexical=["squad_f1", "meteor"],
        stemmer="german",
        family="bi_encoder",
        people="column:mean",
        deviation="sd",
        n="32",
        by=["kind", "word_overlap"],
        expression="has_digit(first)",
        where='kind != "c"',
        **{
            "option-model": "some/model",
            "option-context": "front",
            "option-turns": "2",
            "option-separator": "space",
        },
    )

    job = Job.objects.get()
    assert response["Location"] == url(study, "job", job.pk)
    asked = {one["measure"]: one["settings"] for one in job.parameters["specifications"]}
    assert list(asked) == ["squad_f1", "meteor", "bi_encoder"]
    assert asked["meteor"]["stemmer"] == "german"
    assert asked["bi_encoder"].items() >= {
        ("model", "some/model"),
        ("context", "front"),
        ("turns", 2),
        ("separator", "space"),
    }
    assert ReportOptions.of_json(job.parameters["options"]) == ReportOptions(
        people=ColumnSource(name="mean", deviation="sd", n=32),
        by=("kind", "word_overlap"),
        expression="has_digit(first)",
        where='kind != "c"',
        n_resamples=20,
    )


def test_the_form_offers_the_styles_of_a_prompt() -> None:
    study = make_study()
    client = signed_in(study.owner)
    asked = {"option-model": "m", "option-style": "giccs", "option-shuffles": "1"}

    page = text(client.get(url(study, "baselines")))
    send(client, study, family="multiple_choice", **asked)

    assert re.findall('name="option-style" value="([^"]*)"', page) == ["plain", "giccs"]
    settings = Job.objects.get().parameters["specifications"][-1]["settings"]
    assert (settings["style"], settings["shuffles"]) == ("giccs", 1)


def test_a_preset_asks_for_each_of_its_models() -> None:
    study = make_pairs()

    send(
        signed_in(study.owner),
        study,
        family="preset:german_bi_encoders",
        **{"option-context": "front"},
    )

    specifications = Job.objects.get().parameters["specifications"]
    asked = [one["settings"] for one in specifications if one["measure"] == "bi_encoder"]
    assert len(asked) > 1
    assert {one["context"] for one in asked} == {"front"}
    assert len({one["model"] for one in asked}) == len(asked)


@pytest.mark.parametrize(
    ("fields", "name", "problem"),
    [
        ({"family": "bi_encoder"}, "option-model", "needs this setting"),
        (
            {"option-model": "some/model"},
            "option-model",
            "First choose a model-based measure above",
        ),
        (
            {"family": "bi_encoder", "option-model": "some/model", "option-layer": "3"},
            "option-layer",
            "does not have this setting",
        ),
        ({"family": "unicorn"}, "family", "Select a valid choice"),
        (
            {"family": "multiple_choice", "option-model": "m", "option-style": "x"},
            "option-style",
            "Select a valid choice",
        ),
        ({"people": "result:"}, "people", "Select a valid choice"),
        ({"people": "column:mean", "deviation": "sd"}, "n", "needs both"),
        ({"people": "column:mean", "n": "3"}, "deviation", "needs both"),
        ({"n": "3"}, "n", "only applies to scores from a column"),
        ({"where": "has_digit(first"}, "where", "The condition cannot be read at column"),
        ({"expression": "n_words(first)"}, "expression", "neither true nor false"),
        ({"by": ["unicorns"]}, "by", "Select a valid choice"),
        ({"level": "1.5"}, "level", "less than or equal to"),
        ({"n_resamples": "-1"}, "n_resamples", "greater than or equal to"),
    ],
)
def test_wrong_input_comes_back_with_a_sentence(
    fields: dict[str, Any], name: str, problem: str
) -> None:
    study = make_pairs(sd=["1"] * 6)

    response = send(signed_in(study.owner), study, **fields)

    [found] = wrong(response, name)
    assert problem in found
    for field, typed in fields.items():
        assert response.context["form"][field].value() == typed


def test_what_was_chosen_last_is_proposed_again() -> None:
    study = make_pairs(sd=["1"] * 6)
    options = ReportOptions(
        people=ColumnSource(name="mean", deviation="sd", n=32),
        where="has_digit(first)",
        by=("word_overlap",),
        n_resamples=50,
    )
    asked = {"options": options.as_json()}
    job = jobs.start(study=study, kind=Job.Kind.BASELINES, parameters=asked)

    form = ComputeForm(study, before=job.parameters)

    shown = {name: form[name].value() for name in ("people", "deviation", "n", "where", "by")}
    assert shown == {
        "people": "column:mean",
        "deviation": "sd",
        "n": 32,
        "where": "has_digit(first)",
        "by": ["word_overlap"],
    }
    assert form["n_resamples"].value() == 50


def test_a_second_job_waits_for_the_first_and_says_so() -> None:
    study = make_pairs()
    client = signed_in(study.owner)
    send(client, study, people="column:mean")

    response = send(client, study, family="bi_encoder", **{"option-model": "m"})

    assert response.status_code == 409
    assert "Likeness is already computing measures." in text(response)
    assert 'value="m"' in text(response)
    assert Job.objects.count() == 1


def test_a_job_that_failed_shows_why_and_is_started_again_as_it_was() -> None:
    study = make_pairs()
    client = signed_in(study.owner)
    asked = parameters(study, [], MEAN)
    failed = Job.objects.create(
        study=study,
        kind=Job.Kind.BASELINES,
        parameters=asked,
        state=Job.State.FAILED,
        error="The packages that read models are missing here: run `make models`.",
    )

    page = text(client.get(url(study, "baselines")))
    again = client.post(url(study, "baselines_again", failed.pk))
    refused = client.post(url(study, "baselines_again", Job.objects.latest("pk").pk), follow=True)

    assert "run `make models`" in page
    assert url(study, "baselines_again", failed.pk) in page
    started = Job.objects.latest("pk")
    assert again["Location"] == url(study, "job", started.pk)
    assert (started.parameters, started.state) == (asked, Job.State.QUEUED)
    assert said(refused) == ["This job did not fail, so it is not started again."]


@pytest.mark.parametrize(
    ("specifications", "where", "problem"),
    [
        ([{"measure": "gone", "settings": {}}], "", "gone"),
        ([], "eval(first)", "this function does not exist"),
    ],
)
def test_a_job_is_started_again_only_if_it_could_be_asked_for_today(
    specifications: list[dict[str, Any]], where: str, problem: str
) -> None:
    study = make_pairs()
    failed = Job.objects.create(
        study=study,
        kind=Job.Kind.BASELINES,
        parameters={
            "specifications": specifications,
            "options": {**MEAN.as_json(), "where": where},
        },
        state=Job.State.FAILED,
    )

    refused = signed_in(study.owner).post(url(study, "baselines_again", failed.pk), follow=True)

    assert problem in said(refused)[0]
    assert Job.objects.count() == 1


# -- The leaderboard ----------------------------------------------------------------------------


def names_shown(page: str) -> list[str]:
    """Measures in the order of the leaderboard's rows."""
    board = in_one_line(page).split("<tbody>")[1].split("</tbody>", maxsplit=1)[0]
    return re.findall(r'<th scope="row"[^>]*><a [^>]*>([^<]+)</a>', board)


@pytest.mark.slow
def test_the_leaderboard_is_sorted_by_the_column_that_is_asked_for() -> None:
    study = make_pairs()
    compute(study, *map(Specification, ("exact_match", "squad_f1", "chrf", "bleu")))
    client = signed_in(study.owner)
    found = {
        row["measure"]: row["pearson"]
        for row in table_of(client.get(url(study, "baseline_table", "tsv")))
    }
    best = sorted((n for n in found if found[n]), key=lambda n: -float(found[n]))
    without = [name for name in found if not found[name]]

    usual = text(client.get(url(study, "baselines")))
    by_name = text(client.get(f"{url(study, 'baselines')}?sort=name"))
    unknown = text(client.get(f"{url(study, 'baselines')}?sort=nonsense"))
    worst_first = text(client.get(f"{url(study, 'baselines')}?sort=pearson&part=nonsense"))

    assert "Exact match" in without
    assert names_shown(usual) == best + without
    assert names_shown(by_name) == sorted(found, key=str.casefold)
    assert names_shown(worst_first) == best[::-1] + without
    assert 'aria-sort="descending"' in usual
    assert "all values of one of the two variables are equal" in usual
    assert names_shown(unknown) == names_shown(usual)


@pytest.mark.parametrize("are_pooled", [False, True])
def test_the_intervals_are_over_pools_where_items_share_them(*, are_pooled: bool) -> None:
    texts = [
        (f"{target} {n}", candidate, mean + n / 10)
        for n in range(4)
        for target, candidate, mean in TEXTS
    ]
    study = make_pairs(texts)
    if are_pooled:
        # Enough for the bootstrap over pools, too.
        for number, item in enumerate(study.items.order_by("number")):
            key = f"pool{number // 2}"
            item.pool, _made = Pool.objects.get_or_create(
                study=study, key=key, number=2 + number // 2
            )
            item.save()
    compute(study)

    rows = [row for part in rows_shown(study.baseline_reports.get()) for row in part.rows]
    page = text(signed_in(study.owner).get(url(study, "baselines")))

    expected = "fisher" if are_pooled else "bca"
    assert {row.figures["pearson"]["method"] for row in rows} == {expected}
    assert ("with standard errors computed over pools" in page) == are_pooled


def test_a_row_without_intervals_says_why() -> None:
    study = make_pairs()
    for number, item in enumerate(study.items.order_by("number")):
        key = f"pool{number // 2}"
        item.pool, _made = Pool.objects.get_or_create(study=study, key=key, number=2 + number // 2)
        item.save()
    compute(study)

    [part] = rows_shown(study.baseline_reports.get())
    row = next(row for row in part.rows if row.figures["pearson"]["value"] is not None)
    client = signed_in(study.owner)
    reason = ShownRow(row).why_no_interval

    assert "at least 4 pools" in reason
    leaderboard = client.get(url(study, "baselines"))
    assert leaderboard.context["board"].why_no_intervals == reason
    assert text(leaderboard).count(reason[0].upper() + reason[1:]) == 1
    assert reason in text(client.get(url(study, "baseline", row.baseline)))
    known = {"value": 0.5, "low": 0.2, "high": 0.7, "interval_reason": None}
    with_interval = replace(row, figures={**row.figures, "pearson": known})
    assert not ShownRow(with_interval).why_no_interval
    # If one measure has an interval, the leaderboard does not say that none has.
    board = leaderboard.context["board"]
    board.parts[board.number] = replace(part, rows=[row, with_interval])
    assert not board.why_no_intervals


def test_the_leaderboard_says_whose_scores_how_and_how_well_any_could_do() -> None:
    study = make_pairs(sd=["0.4"] * 6)
    source = ColumnSource(name="mean", deviation="sd", n=32)
    compute(study, options=ReportOptions(people=source, n_resamples=20))

    page = text(signed_in(study.owner).get(url(study, "baselines")))

    assert "People&#x27;s scores: column mean." in page
    assert "95 % intervals: from 20 bootstrap resamples of the 6 items." in page
    assert "Noise ceiling" in page
    assert "LordNovick1968" in page
    assert '<svg class="plot" role="img"' in page
    assert "noise ceiling: 0.99" in page
    # Deviations in a column do not say how far their reliability is known.
    assert "No interval: it cannot be computed from this kind of data" in page


def test_without_a_ceiling_the_page_says_why() -> None:
    study = make_pairs()
    compute(study)

    page = text(signed_in(study.owner).get(url(study, "baselines")))

    assert "No noise ceiling: " in page


def test_subsets_are_chosen_from_a_list() -> None:
    study = make_pairs(kind=["a", "a", "a", "b", "b", "b"])
    compute(study, options=ReportOptions(people=MEAN.people, by=("kind",), n_resamples=20))
    client = signed_in(study.owner)

    page = text(client.get(url(study, "baselines")))
    part = client.get(f"{url(study, 'baselines')}?part=2")

    assert '<optgroup label="kind">' in page
    assert "kind: b: 3 items" in text(part)
    assert part.context["board"].number == 2
    assert "kind: b" in text(part).split("<figcaption>")[1].split("</figcaption>")[0]


@pytest.mark.slow
def test_two_measures_are_compared_whichever_is_named_first() -> None:
    study = make_pairs()
    compute(study)
    client = signed_in(study.owner)
    address = url(study, "baselines")

    page = client.get(f"{address}?first=SQuAD F1&second=chrF2")
    by_meng = client.get(f"{address}?first=SQuAD F1&second=chrF2&test=meng")
    there = page.context["board"].difference
    back = client.get(f"{address}?first=chrF2&second=SQuAD F1").context["board"].difference
    same = client.get(f"{address}?first=chrF2&second=chrF2")

    assert (there.first, there.second) == ("SQuAD F1", "chrF2")
    for one, other in zip(there.rows, back.rows, strict=True):
        assert (one.first, one.second) == (other.second, other.first)
        assert {one.difference[0], other.difference[0]} == {"+", "−"}
        assert one.difference[1:] == other.difference[1:]
        low, high = (end.replace("−", "-") for end in one.interval.split(" to "))
        assert other.interval.replace("−", "-").split(" to ") == [
            f"{-float(high):.3f}",
            f"{-float(low):.3f}",
        ]
    assert (there.p, there.p_corrected) == (back.p, back.p_corrected)
    assert f'data-p-corrected="{there.p_corrected}"' in text(page)
    assert page.context["comparison"].shown.test == "jackknife over pools or items"
    shown = by_meng.context["comparison"].shown
    assert shown.test == "Meng, Rosenthal & Rubin (1992)"
    assert shown.statistic.startswith("z = ")
    assert same.context["comparison"].problem.startswith("choose two different")
    assert same.context["board"].difference is None


def test_a_difference_whose_p_is_undefined_says_why() -> None:
    # Five items are too few.
    study = make_pairs(TEXTS[:5])
    compute(study)
    client = signed_in(study.owner)

    response = client.get(f"{url(study, 'baselines')}?first=SQuAD F1&second=chrF2")

    stored = study.baseline_reports.get().figures["subsets"][0]["differences"][0]
    [of_pearson, *_others] = response.context["board"].difference.rows
    assert stored["differences"]["pearson"]["p_value"] is None
    assert of_pearson.difference[1:] != ""
    assert of_pearson.p_reason == stored["differences"]["pearson"]["interval"]["reason"]
    assert of_pearson.p_reason in unescape(text(response))


def test_what_has_changed_since_is_said() -> None:
    study = make_pairs()
    compute(study)
    client = signed_in(study.owner)
    study.baselines.get(measure="chrf").delete()

    page = text(client.get(url(study, "baselines")))

    assert "Outdated." in page
    assert "Measures were added or removed." in page
    assert "removed" in page.split("<tbody>")[1].split("</tbody>")[0]


# -- What pages say of how figures were made ------------------------------------------------------


def test_a_measures_page_and_the_figure_say_how_measures_were_rounded() -> None:
    study = make_pairs()
    compute(study, options=ReportOptions(people=MEAN.people, n_resamples=0, decimals=2))
    client = signed_in(study.owner)
    said_of_it = "rounded to 2 decimals"

    page = client.get(url(study, "baseline", study.baselines.first().pk))
    figure = client.get(url(study, "baseline_plot", "correlations", "svg"))

    assert said_of_it in text(page)
    assert said_of_it in figure.content.decode()


def test_the_differences_say_how_their_intervals_were_made() -> None:
    study = make_pairs()
    compute(study)

    page = signed_in(study.owner).get(url(study, "baselines"))

    assert all(row.interval != "–" for row in page.context["board"].difference.rows)
    assert "comes from leaving out each pool in turn" in " ".join(text(page).split())


def test_p_is_written_with_its_sign() -> None:
    study = make_pairs()
    compute(study)

    board = signed_in(study.owner).get(url(study, "baselines")).context["board"]

    shown = [row.cells[0].p for row in board.rows]
    assert all(p.startswith(("= ", "< ")) for p in shown)


# -- A study without scores of its own ------------------------------------------------------------


def test_own_scores_are_offered_where_there_may_be_some() -> None:
    draft, imported, bare = make_pairs(), make_pairs(), make_pairs()
    bare.items.update(metadata={})
    for study in (imported, bare):
        imported_studies.mark(study=study)
        study.refresh_from_db()

    def offered(study: Study) -> list[str]:
        return [key for key, _label in ComputeForm(study).fields["people"].choices]

    assert offered(draft) == ["", "column:mean"]
    assert offered(imported) == ["column:mean"]
    assert offered(bare) == [""]


def test_a_job_without_a_leaderboard_says_why() -> None:
    study = make_pairs()
    without = compute(study, options=ReportOptions())
    with_one = compute(study)
    client = signed_in(study.owner)

    told, untold = (
        client.get(url(study, "job", job.pk)).context["job"] for job in (without, with_one)
    )

    assert told["remedy"]
    assert told["after_label"] != untold["after_label"]
    assert not untold["remedy"]


def test_a_failure_can_be_put_away_until_the_next_one() -> None:
    study = make_study()
    failed = Job.objects.create(study=study, kind=Job.Kind.BASELINES, state=Job.State.FAILED)
    client = signed_in(study.owner)
    assert client.get(url(study, "baselines")).context["job"]["pk"] == failed.pk

    put_away = client.post(url(study, "baselines_put_away", failed.pk))

    assert put_away["Location"] == url(study, "baselines")
    assert client.get(url(study, "baselines")).context["job"] is None
    # Others see it still, and so does everybody the next one.
    assert signed_in(study.owner).get(url(study, "baselines")).context["job"] is not None
    later = Job.objects.create(study=study, kind=Job.Kind.BASELINES, state=Job.State.FAILED)
    assert client.get(url(study, "baselines")).context["job"]["pk"] == later.pk
    done = Job.objects.create(study=study, kind=Job.Kind.BASELINES, state=Job.State.DONE)
    assert client.post(url(study, "baselines_put_away", done.pk)).status_code == 404
    elsewhere = Job.objects.create(
        study=make_study(owner=study.owner), kind=Job.Kind.BASELINES, state=Job.State.FAILED
    )
    assert client.post(url(study, "baselines_put_away", elsewhere.pk)).status_code == 404


@pytest.mark.slow
def test_an_open_study_with_scores_is_told_to_close_it_first() -> None:
    study = answered_study()
    job = compute(study, options=ReportOptions(n_resamples=20))
    client, missing = signed_in(study.owner), human_scores.missing_step(study)

    page = client.get(url(study, "baselines"))
    told = client.get(url(study, "job", job.pk))

    # The same sentence as wherever scores of an open study are asked for.
    assert study.title in str(missing)
    assert str(missing) in told.context["job"]["remedy"]
    assert (str(page.context["missing_step"]) == str(missing)) == (page.context["board"] is None)
    studies.close(study=study)
    assert human_scores.missing_step(Study.objects.get(pk=study.pk)) == ""


@pytest.mark.parametrize(
    ("columns", "proposed"),
    [
        ({"agreed": (0, 1, 1, 0), "rating": (1.5, 2, 2, 3.5)}, "column:rating"),
        # What numbers the items is no score, nor is what says nothing but yes or no.
        ({"line": (1, 2, 3, 4), "mean": (1, 2, 2, 3), "agreed": (0, 1, 1, 0)}, "column:mean"),
        ({"agreed": (0, 1, 1, 0)}, "column:agreed"),
    ],
)
def test_an_imported_table_proposes_the_column_that_looks_like_scores(
    columns: dict[str, tuple[float, ...]], proposed: str
) -> None:
    study = make_pairs()
    for n, item in enumerate(study.items.order_by("number")):
        item.metadata = {name: str(values[n % 4]) for name, values in columns.items()}
        if "line" in columns:
            item.metadata["line"] = str(n + 1)
        item.save()
    study = imported_studies.mark(study=study)

    form = signed_in(study.owner).get(url(study, "baselines")).context["form"]

    assert form["people"].value() == proposed


@pytest.mark.slow
def test_of_scores_that_compare_the_items_of_a_pool_the_correlation_within_pools_counts() -> None:
    study = scored_dialogues(dialogues=3)
    compute(study, options=ReportOptions(n_resamples=20))
    client = signed_in(study.owner)

    board = client.get(url(study, "baselines")).context["board"]

    assert board.is_within_pools
    assert board.figures[0] == board.coefficient == "within_pearson"
    [(heading, _address, direction)] = [column for column in board.columns if column[2]]
    assert (str(heading), direction) == ("Pearson within pools", "descending")
    assert all(len(row.cells) == len(board.figures) == len(board.ceilings) for row in board.rows)
    assert board.ceilings[0] == board.ceiling
    assert not any(board.ceilings[1:])
    shown = [row.cells[0].value for row in board.rows if row.cells[0].value is not None]
    assert shown == sorted(shown, reverse=True)
    # Three pools are too few for an interval.
    assert all(row.cells[0].low is None for row in board.rows)
    assert "There are no intervals" in board.plot.caption
    over_all = client.get(url(study, "baselines"), {"sort": "-pearson"}).context["board"]
    assert over_all.coefficient == "pearson"
    assert all(row.cells[0].low is None for row in over_all.rows)
    assert "interval" not in over_all.plot.caption
