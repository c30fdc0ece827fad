"""The figures of a result as files that stand alone."""

import os
import struct
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import resvg_py
from django.test import Client

from annotation.basics import charts_of_bars, drawing
from annotation.basics.errors import AnnotationError
from annotation.core.queries import summaries
from annotation.core.services import jobs
from annotation.kinds.best_worst.queries import groups, plots
from annotation.models import Job, Result, Study
from tests.support.factories import make_open_study, make_user
from tests.support.once import made_once
from tests.support.researcher_pages import (
    finish_booklet,
    said,
    signed_in,
    simulate,
    text,
    url,
)

pytestmark = pytest.mark.django_db

SVG = "{http://www.w3.org/2000/svg}"


@made_once
def study() -> Study:
    study = make_open_study(dialogues=4, parameters={"screens_per_booklet": 100})
    finish_booklet(study)
    simulate(study)
    for population in ("people", "simulated"):
        job = jobs.start(study=study, kind=Job.Kind.SCORE, parameters={"population": population})
        jobs.run(job.pk)
    return study


@pytest.fixture
def client(study: Study) -> Client:
    return signed_in(study.owner)


@pytest.mark.slow
def test_every_figure_of_the_page_is_offered_as_svg_png_and_data(
    client: Client, study: Study
) -> None:
    with_groups(study, 2)
    page = text(client.get(url(study, "results")))

    for name in ("scores", "reliability", "appearances", "agreement-by-domain"):
        for kind in ("svg", "png", "tsv"):
            address = url(study, "plot", name, kind)
            assert f'href="{address}?population=people"' in page
            assert client.get(address).status_code == 200


def test_an_svg_file_needs_nothing_from_outside(client: Client, study: Study) -> None:
    response = client.get(url(study, "plot", "scores", "svg"))

    root = ElementTree.fromstring(response.content)
    assert response["Content-Disposition"] == f'attachment; filename="{study.slug}-scores.svg"'
    assert root.tag == f"{SVG}svg"
    assert root.get("width") == "16cm"
    assert root.findtext(f"{SVG}title") == "Distribution of scores"
    assert "20 items from" in (root.findtext(f"{SVG}desc") or "")
    # A style sheet that is not there cannot be what colours the bars and sets the letters.
    assert all(bar.get("fill") for bar in root.iter(f"{SVG}rect"))
    assert all(said.get("font-family") for said in root.iter(f"{SVG}text"))
    assert all(line.get("stroke") for line in root.iter(f"{SVG}line"))
    paper = root.find(f"{SVG}path")
    assert paper is not None
    assert paper.get("fill") == "#ffffff"


def test_a_png_file_is_sixteen_centimetres_of_three_hundred_dots_an_inch(
    client: Client, study: Study
) -> None:
    png = client.get(url(study, "plot", "scores", "png")).content

    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, _height = struct.unpack(">II", png[16:24])
    at = png.index(b"pHYs") + 4
    x, y, unit = struct.unpack(">IIB", png[at : at + 9])
    assert (x, y, unit) == (11811, 11811, 1)
    assert width / x * 100 == pytest.approx(16, abs=0.01)


def test_the_data_are_exact_and_named_by_study_and_figure(client: Client, study: Study) -> None:
    response = client.get(url(study, "plot", "reliability", "tsv"), {"population": "simulated"})

    header, *rows = text(response).splitlines()
    stored = study.results.get(population="simulated").statistics["overall"]["split_half"]
    assert response["Content-Disposition"].endswith(f'"{study.slug}-simulated-reliability.tsv"')
    assert header.split("\t")[0] == "split"
    assert [row.split("\t")[1] for row in rows] == [
        "" if value is None else repr(value) for value in stored["random"]["spearman"]["values"]
    ]


def test_what_has_no_value_is_neither_drawn_nor_named(study: Study) -> None:
    result = study.results.get(population="people")
    halves = result.statistics["overall"]["split_half"]
    n = len(halves["random"]["spearman"]["values"])
    halves["random"]["spearman"]["values"] = [0.5] * n
    halves["fixed"]["spearman"]["values"] = [None] * n

    plot = plots.repeat_plot(result.statistics["overall"])
    assert len(plot.header) == 2
    assert not any(name in plot.svg + plot.caption for name in ("GiCCS", "riangle"))
    halves["fixed"]["spearman"]["values"] = [0.4] * n
    assert len(plots.repeat_plot(result.statistics["overall"]).header) == 3

    cells = [result.statistics["overall"]]
    cells[0]["alpha"]["joint"]["slot"]["alpha"] = None
    assert plots.group_plot("source", "Agreement by source", ["all"], cells) is None


def with_groups(study: Study, n: int) -> Result:
    """The result of people's answers, as if they fell into n groups, the last ones the largest."""
    result = study.results.get(population="people")
    group = result.statistics["groups"]["domain"]
    cell = next(iter(group["cells"].values()))
    # One person's answers have no agreement.
    cell["alpha"]["joint"]["slot"]["alpha"] = 0.5
    group["cells"] = {f"group {k}": {**cell, "n_judgments": k} for k in range(1, n + 1)}
    result.save()
    return result


@pytest.mark.slow
def test_a_plot_of_many_groups_draws_sixty_and_says_how_many_it_leaves_out(
    client: Client, study: Study
) -> None:
    result = with_groups(study, 1061)

    plot = {one.key: one for one in groups.every_plot(result)}["agreement-by-domain"]
    svg = ElementTree.fromstring(plot.svg)
    data = text(client.get(url(study, "plot", plot.key, "tsv"))).splitlines()

    names = [one.text for one in svg.iter(f"{SVG}text") if (one.text or "").startswith("group ")]
    assert names == [f"group {k}" for k in range(1002, 1062)]
    assert "60 groups with the most answers; 1,001 more groups are in the" in plot.caption
    assert plot.caption == svg.findtext(f"{SVG}desc")
    assert len(plot.rows) == len(data) - 1 == 1061
    png = client.get(url(study, "plot", plot.key, "png"))
    assert png["Content-Type"] == "image/png"


def test_a_plot_of_sixty_groups_leaves_none_out(study: Study) -> None:
    plot = {one.key: one for one in groups.every_plot(with_groups(study, 60))}[
        "agreement-by-domain"
    ]

    assert ">group 1<" in plot.svg
    assert "Drawn are" not in plot.caption


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = []
    monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **options: drawn.append(options))
    rows = [(str(k), 0.5) for k in range(4000)]
    svg = charts_of_bars.bars(rows, title="t", x_label="x", description="d")

    with pytest.raises(AnnotationError, match="SVG"):
        drawing.png_file(svg)

    assert drawn == []


def test_the_page_says_that_a_picture_is_too_large(
    client: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "MAX_PIXELS", 1_000_000)

    response = client.get(
        url(study, "plot", "scores", "png"), {"population": "simulated"}, follow=True
    )

    assert response.redirect_chain == [(f"{url(study, 'results')}?population=simulated", 302)]
    assert said(response) == [
        "As a PNG, this figure would have 2 million pixels, but at most 1 million are possible."
        " Download the SVG instead; it is sharp at any size."
    ]


@pytest.mark.parametrize(("name", "kind"), [("nothing", "svg"), ("scores", "exe")])
def test_other_figures_and_files_are_not_found(
    client: Client, study: Study, name: str, kind: str
) -> None:
    assert client.get(url(study, "plot", name, kind)).status_code == 404


def test_figures_of_somebody_elses_study_are_not_found(study: Study) -> None:
    stranger = signed_in(make_user())

    assert stranger.get(url(study, "plot", "scores", "svg")).status_code == 404


def test_keys_of_references_lead_to_their_entries(client: Client, study: Study) -> None:
    page = text(client.get(url(study, "results")))

    assert '<a href="#reference-KM2017">[KM2017]</a>' in page
    entry = page.split('id="reference-KM2017"')[1].split("</div>")[0]
    assert "Best-worst scaling more reliable than rating scales" in entry
    assert 'id="reference-Bose1939"' not in page


@pytest.mark.slow
def test_what_draws_png_is_not_loaded_by_the_pages() -> None:
    loaded = (
        "import config.urls, annotation.site.pages.study, sys; print('resvg_py' in sys.modules)"
    )
    program = f"import django; django.setup(); {loaded}"

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == "False"


def test_figures_have_one_order_whatever_the_database_makes_of_the_keys() -> None:
    cells = {"10 turns": {}, "3 turns": {}, "": {}, "٣": {}, "3 turns, more": {}}

    assert list(summaries.in_order(cells)) == ["", "3 turns", "3 turns, more", "10 turns", "٣"]
    assert [
        rule for rule, _halves in summaries.by_rule({"split_half": {"fixed": 1, "random": 2}})
    ] == [
        "random",
        "fixed",
    ]
