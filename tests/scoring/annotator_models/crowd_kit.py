"""Figures of crowd-kit for simulated tables; run this file to compute them anew.

    pip install crowd-kit==1.4.2 lazy-loader
    python -m tests.scoring.annotator_models.crowd_kit

crowd-kit is no test dependency, because it installs transformers and nltk. Two things have
to be known to compare figures:

- `MACE` mixes up people, or categories, whose first rows are not in the order of their names, so
  rows are sorted and categories are named in their order. All its restarts have the same seed. The
  two numbers in its `spamming_` do not sum to 1; the competence is computed from the counts that
  they are made of.
- `DawidSkene` adds the prior for each answer, not for each task, to the bound that stops it, and
  so may stop early: it is made to run all its rounds, as the others are.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from scoring.labels.labels import Labels
from tests.scoring.annotator_models.simulated import simulated

FILE = Path(__file__).with_suffix(".json")
TABLES: dict[str, dict[str, Any]] = {
    "two categories": {"n_people": 10, "n_units": 50, "per_unit": 5, "c": 2, "seed": 11},
    "three categories, clickers": {"n_people": 12, "n_units": 60, "clickers": 0.3, "seed": 12},
    "five categories": {"n_people": 8, "n_units": 60, "per_unit": 6, "c": 5, "seed": 13},
    "sparse": {"n_people": 15, "n_units": 60, "per_unit": 3, "seed": 14},
}


def table(name: str) -> Labels:
    """The simulated answers."""
    return simulated(**TABLES[name]).labels


def figures(name: str) -> dict[str, dict[str, Any]]:
    """Figures of crowd-kit, in the order of people, units and categories."""
    return json.loads(FILE.read_text())[name]


def main() -> None:
    """Compute all figures and store them."""
    stored = {name: _figures_of(table(name)) for name in TABLES}
    FILE.write_text(json.dumps(stored, separators=(",", ":")) + "\n")


def _figures_of(labels: Labels) -> dict[str, Any]:
    import pandas as pd

    rows = np.lexsort((labels.unit, labels.annotator))
    names, category = np.unique(labels.chosen[rows].argmax(axis=1), return_inverse=True)
    data = pd.DataFrame(
        {"worker": labels.annotator[rows], "task": labels.unit[rows], "label": category}
    )
    assert len(names) == labels.n_categories
    return {
        "dawid-skene": _of_dawid_skene(data),
        "mace": _of_mace(data),
        "glad": _of_glad(data),
    }


def _of_dawid_skene(data: Any) -> dict[str, Any]:
    from crowdkit.aggregation import DawidSkene

    model = DawidSkene(n_iter=1500, tol=-np.inf).fit(data)
    c = data["label"].nunique()
    of_person = model.errors_.unstack("label", fill_value=0).sort_index().sort_index(axis=1)
    return {
        "posterior": _numbers(model.probas_.sort_index().sort_index(axis=1)),
        "share": _numbers(model.priors_.sort_index()),
        "confusion": _numbers(of_person.to_numpy().reshape(len(of_person), c, c)),
    }


def _of_mace(data: Any) -> dict[str, Any]:
    from crowdkit.aggregation import MACE

    order = data["label"].unique()
    place = {label: f"{i:02}" for i, label in enumerate(order)}
    renamed = data.assign(label=data["label"].map(place))
    model = MACE(n_restarts=1, n_iter=1000).fit(renamed)
    codes = (renamed["task"].unique(), renamed["worker"].unique(), renamed["label"].unique())
    numbers = [renamed[name].factorize()[0] for name in ("task", "worker", "label")]
    counts = model._e_step(renamed.copy(), *codes, *numbers)[3]
    knowing = counts["knowing_expected_count_1"] + model.beta
    competence = knowing / (counts.sum(axis=1) + model.alpha + model.beta)
    posterior = model.probas_[[place[label] for label in sorted(order)]]
    return {
        "posterior": _numbers(posterior.sort_index()),
        "competence": _numbers(competence.sort_index()),
    }


def _of_glad(data: Any) -> dict[str, Any]:
    from crowdkit.aggregation import GLAD

    model = GLAD(n_iter=250, tol=-np.inf, m_step_tol=1e-5).fit(data)
    return {
        "posterior": _numbers(model.probas_.sort_index().sort_index(axis=1)),
        "alpha": _numbers(model.alphas_.sort_index()),
        "log_beta": _numbers(model.betas_.sort_index()),
    }


def _numbers(values: Any) -> Any:
    return np.round(np.asarray(values, dtype=float), 6).tolist()


if __name__ == "__main__":
    main()
