"""A report of scores that compare the items of a pool: what is its headline, and its ceiling."""

import csv
import io
from typing import Any

import numpy as np
import pytest

from scoring import compare_within_pools, correlate_within_pools
from scoring.baselines.report import baseline_report
from scoring.baselines.tables import correlations_tsv, differences_tsv
from scoring.measures.noise_ceiling import NoiseCeiling


def study(n_pools: int = 12) -> dict[str, Any]:
    """People's scores and two measures; the pools of the second have levels of their own."""
    rng = np.random.default_rng(4)
    latent = rng.normal(size=(n_pools, 5))
    close = latent + 0.5 * rng.normal(size=latent.shape) + 5 * rng.normal(size=(n_pools, 1))
    far = latent + 2 * rng.normal(size=latent.shape)
    return {
        "human": (latent - latent.mean(axis=1, keepdims=True)).ravel(),
        "measures": {"far": far.ravel(), "close": close.ravel()},
        "pools": np.arange(n_pools).repeat(5).astype(str),
    }


def rows_of(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table), delimiter="\t"))


def test_rows_and_differences_have_the_figures_within_pools() -> None:
    data = study()
    report = baseline_report(**data, are_relative=True, n_resamples=0).as_dict()

    [subset] = report["subsets"]
    far, close = subset["rows"]
    expected = correlate_within_pools(data["human"], data["measures"]["close"], data["pools"])
    assert close["within"]["pearson"] == expected.as_dict()
    # Over all items the levels of the pools hide how close it is.
    assert close["within"]["pearson"]["value"] > far["within"]["pearson"]["value"]
    assert close["correlations"]["pearson"]["value"] < far["correlations"]["pearson"]["value"]
    [pair] = subset["differences"]
    difference = compare_within_pools(
        data["human"], *data["measures"].values(), data["pools"], coefficient="spearman"
    )
    assert pair["within"]["spearman"] == difference.as_dict()
    assert {"within", "difference_within"} <= report["definitions"].keys()


@pytest.mark.parametrize(
    ("are_relative", "n_pools", "headline"),
    [(True, 12, "within_pools"), (True, 1, "all_items"), (False, 12, "all_items")],
)
def test_the_headline_depends_on_the_scores_and_the_pools(
    are_relative: bool, n_pools: int, headline: str
) -> None:
    report = baseline_report(**study(n_pools), are_relative=are_relative, n_resamples=0)

    assert report.as_dict()["subsets"][0]["headline"] == headline


def test_tables_have_the_figures_within_pools_and_the_interval_of_the_ceiling() -> None:
    ceiling = NoiseCeiling(0.9, 0.81, "split-half-within-pools", None, 0.85, 0.95)
    report = baseline_report(
        **study(), are_relative=True, ceilings=ceiling, n_resamples=0
    ).as_dict()
    [subset] = report["subsets"]

    _far, close = rows_of(correlations_tsv(report))
    [pair] = rows_of(differences_tsv(report))

    within = subset["rows"][1]["within"]["pearson"]
    assert float(close["within_pearson"]) == within["value"]
    assert float(close["within_pearson_low"]) == within["low"]
    assert (close["pools"], close["pools_left_out"]) == ("12", "0")
    assert close["headline"] == "within_pools"
    assert (close["ceiling_low"], close["ceiling_high"]) == ("0.85", "0.95")
    assert "ceiling" not in close["reason"]
    few = NoiseCeiling(0.9, 0.81, "split-half-within-pools", None, why_no_interval="few pools")
    without = baseline_report(**study(), are_relative=True, ceilings=few, n_resamples=0).as_dict()
    assert "ceiling, interval: few pools" in rows_of(correlations_tsv(without))[1]["reason"]
    of_pair = subset["differences"][0]["within"]["pearson"]
    assert float(pair["within_pearson_p"]) == of_pair["p_value"]


def test_without_pools_the_cells_are_empty() -> None:
    data = study()
    del data["pools"]
    [row, _other] = rows_of(correlations_tsv(baseline_report(**data, n_resamples=0).as_dict()))

    assert row["within_pearson"] == row["pools"] == ""
