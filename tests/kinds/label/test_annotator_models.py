"""Models of annotators beside the labels: in the result, on its page, and in the download."""

import json
from pathlib import Path

import numpy as np
import pytest

from annotation.kinds.label.queries import annotator_models
from annotation.kinds.label.queries.figures import phases_shown
from annotation.models import Study
from scoring import LabelModel, Labels, count_labels
from scoring.__main__ import main
from tests.support.label_exports import KEYS, export, rows, study_labelled_twice
from tests.support.labelled import SEVERAL, label_all, make_label_study, said_of, score
from tests.support.once import made_once

MODELS = ("dawid_skene", "mace", "glad")


@made_once
def study() -> Study:
    return study_labelled_twice()


def labels_of(*rows_: tuple[int, int, int]) -> Labels:
    """Labels of (person, unit, category), of two categories."""
    person, unit, category = np.array(rows_).T
    chosen = category[:, None] == np.arange(2)
    return Labels(person, unit, chosen, int(person.max()) + 1, int(unit.max()) + 1)


def test_a_model_is_told_from_the_most_frequent_answers() -> None:
    # Unit 0 is tied, units 1 and 2 have the label 0, and the model has none for unit 3.
    counts = count_labels(
        labels_of((0, 0, 0), (1, 0, 1), (0, 1, 0), (1, 1, 0), (2, 1, 1), (0, 2, 0), (1, 3, 1))
    )
    posterior = np.array([[0.2, 0.8], [0.3, 0.7], [0.95, 0.05], [0.5, 0.5]])
    model = LabelModel("mace", posterior, np.array([0.9, 0.4, np.nan]), None, None, 3)

    found = annotator_models.figures({"mace": model}, counts)["mace"]

    assert (found["n_labels"], found["n_different"], found["n_of_tied"]) == (3, 1, 1)
    assert (found["n_people"], found["ability_median"]) == (2, 0.65)


@pytest.mark.django_db
def test_the_result_has_each_model_without_single_items_and_people(study: Study) -> None:
    result = score(study)

    for phase in result.statistics["phases"]:
        assert {"dawid-skene", "mace", "glad"} == set(phase["models"])
        assert all(not isinstance(v, list) for m in phase["models"].values() for v in m.values())
    table = phases_shown(result)[0].tables[-1]
    assert len(table.rows) == 3
    assert {len(cells) for _name, cells in table.rows} == {len(table.header)}


@pytest.mark.django_db
def test_the_download_has_what_the_command_computes(
    study: Study, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    files = export(study)
    path = tmp_path / "labels_1.tsv"
    path.write_bytes(files["labels_1.tsv"])
    main(["label-models", str(path), "--categories", "same|related|other"])
    computed = json.loads(capfdbinary.readouterr().out)

    soft = {row["id"]: row for row in rows(files["soft_labels.tsv"]) if row["phase"] == "1"}
    abilities = {
        row["annotator"]: row for row in rows(files["annotators.tsv"]) if row["phase"] == "1"
    }

    assert set(soft) == set(computed["units_named"])
    for name in MODELS:
        model = computed["models"][name.replace("_", "-")]
        for unit, posterior in zip(computed["units_named"], model["posterior"], strict=True):
            cells = [float(soft[unit][f"{name}_{c}"]) for c in ("same", "related", "other")]
            assert cells == pytest.approx(posterior, abs=1e-4)
        for person, ability in zip(computed["annotators_named"], model["ability"], strict=True):
            assert float(abilities[person][name]) == pytest.approx(ability, abs=1e-6)


@pytest.mark.django_db
def test_answers_with_several_categories_have_no_model() -> None:
    study = make_label_study(pairs=2, categories=SEVERAL)
    label_all(study, [said_of(KEYS[:2], "so")])

    files = export(study)

    assert "soft_labels.tsv" not in files
    assert not {*MODELS} & set(rows(files["annotators.tsv"])[0])
    assert score(study).statistics["phases"][0]["models"] == {}
