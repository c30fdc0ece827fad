"""Which names are found, which folders may be read, and what the others are told."""

from pathlib import Path

import pytest

from scoring.neural.models import digest_of_file, find
from scoring.neural.refusals import ModelError
from tests.scoring.neural.making import ModelFiles


def refusal(name: str, models: Path | None, store: Path, revision: str = "") -> str:
    with pytest.raises(ModelError) as error:
        find(name, models=models, store=store, revision=revision)
    return str(error.value)


def test_a_folder_is_found_by_its_relative_and_its_whole_path(
    model_file: ModelFiles, tmp_path: Path
) -> None:
    by_name = find("some-model", models=model_file.models, store=tmp_path)
    by_path = find(str(model_file.folder), models=model_file.models, store=tmp_path)

    assert by_name.folder == by_path.folder == model_file.folder
    assert by_name.revision == by_path.revision


def test_a_folder_comes_before_the_hub(tmp_path: Path) -> None:
    files = ModelFiles(tmp_path / "models")
    files.folder.rename(files.models / "org")
    (files.models / "org").rename(files.models / "name")
    (files.models / "org").mkdir()
    (files.models / "name").rename(files.models / "org" / "name")

    found = find("org/name", models=files.models, store=tmp_path)

    assert found.folder == files.models / "org" / "name"


def test_a_missing_model_names_the_folder_to_fill(tmp_path: Path) -> None:
    said = refusal("some-model", tmp_path / "models", tmp_path)

    assert said == (
        f"There is no model 'some-model': put its files into the folder {tmp_path}/models/"
        "some-model, or give a name of the hub, such as org/name."
    )


def test_without_a_folder_of_models_its_variable_is_named(tmp_path: Path) -> None:
    assert "set LIKENESS_MODELS" in refusal("some-model", None, tmp_path)


def test_a_hub_name_that_is_not_here_names_folder_and_hub(packages: None, tmp_path: Path) -> None:
    said = refusal("some-org/not-there", tmp_path / "models", tmp_path, revision="abc123")

    assert f"put its files into the folder {tmp_path}/models/some-org/not-there" in said
    assert "some-org/not-there at the revision abc123 is not in this machine's cache" in said
    assert "\n" not in said


def test_where_the_hub_is_closed_it_is_said_who_may_open_it(
    packages: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIKENESS_HUB", "0")

    assert refusal("some-org/not-there", tmp_path / "models", tmp_path) == (
        f"There is no model 'some-org/not-there': put its files into the folder {tmp_path}/models/"
        "some-org/not-there, or ask whoever runs this server to allow the hub (LIKENESS_HUB=1):"
        " the model some-org/not-there is not in this machine's cache of the hub."
    )


def kept_from_hub(folder: Path, files: dict[str, bytes]) -> str:
    """What the hub's own package leaves behind once it has fetched org/name; its commit."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    kept = folder / "models--org--name"
    (kept / "snapshots" / commit).mkdir(parents=True)
    (kept / "blobs").mkdir()
    for name, content in files.items():
        (kept / "blobs" / name).write_bytes(content)
        (kept / "snapshots" / commit / name).symlink_to(f"../../blobs/{name}")
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text(commit)
    return commit


@pytest.fixture
def hub_cache(packages: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def test_a_model_once_fetched_is_found_by_its_commit(hub_cache: Path, tmp_path: Path) -> None:
    commit = kept_from_hub(hub_cache, {"config.json": b"{}", "model.safetensors": b"weights"})

    for models in (tmp_path / "models", None):
        for revision in ("", "main", commit):
            found = find("org/name", models=models, store=tmp_path, revision=revision)
            assert found.revision == commit
            assert (found.folder / "model.safetensors").read_bytes() == b"weights"


def test_a_fetched_model_is_looked_at_like_any_other(hub_cache: Path, tmp_path: Path) -> None:
    kept_from_hub(hub_cache, {"config.json": b"{}", "pytorch_model.bin": b"pickled"})

    assert "pytorch_model.bin are pickled" in refusal("org/name", None, tmp_path)


@pytest.mark.parametrize(
    "name", ["../other", "some-model/../../other", "/etc", "a\\b", "", " ", "a\0b", "x" * 101]
)
def test_no_name_leads_elsewhere(name: str, model_file: ModelFiles, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()

    said = refusal(name, model_file.models, tmp_path)

    assert "The name of a model has" in said or "does not lie below" in said


def test_no_link_leads_elsewhere(model_file: ModelFiles, tmp_path: Path) -> None:
    elsewhere = ModelFiles(tmp_path / "elsewhere")
    (model_file.models / "link").symlink_to(elsewhere.folder)

    assert "does not lie below" in refusal("link", model_file.models, tmp_path)


def test_no_file_of_a_model_lies_elsewhere(model_file: ModelFiles, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    (model_file.folder / "vocab.json").symlink_to(secret)

    assert "is a link" in refusal("some-model", model_file.models, tmp_path)


def test_no_folder_of_a_model_is_a_link(model_file: ModelFiles, tmp_path: Path) -> None:
    (tmp_path / "pooling").mkdir()
    (model_file.folder / "1_Pooling").symlink_to(tmp_path / "pooling")

    assert "is a link" in refusal("some-model", model_file.models, tmp_path)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "weights.pt", "model.ckpt"])
def test_pickled_weights_are_refused(name: str, model_file: ModelFiles, tmp_path: Path) -> None:
    (model_file.folder / "model.safetensors").unlink()
    path = model_file.write(name, b"pickled")

    said = refusal("some-model", model_file.models, tmp_path)

    assert said == (
        f"The weights in {path} are pickled, and reading those can run code: put them there as"
        " model.safetensors."
    )


def test_pickled_weights_of_one_layer_are_refused(model_file: ModelFiles, tmp_path: Path) -> None:
    model_file.write("2_Dense/pytorch_model.bin", b"pickled")

    assert "2_Dense/pytorch_model.bin are pickled" in refusal(
        "some-model", model_file.models, tmp_path
    )


def test_pickled_weights_beside_others_are_not_read(
    model_file: ModelFiles, tmp_path: Path
) -> None:
    before = find("some-model", models=model_file.models, store=tmp_path).revision
    model_file.write("pytorch_model.bin", b"pickled")
    model_file.write("onnx/model.bin", b"unused")

    assert find("some-model", models=model_file.models, store=tmp_path).revision == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", {"auto_map": {"AutoModel": "modeling.Own"}}),
        ("tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["own.Own", None]}}),
        ("modules.json", [{"path": "", "type": "own.Transformer"}]),
        ("router_config.json", {"types": {"query": "own.Route"}}),
        ("2_Dense/config.json", {"activation_function": "os.system"}),
        ("config.json", {"sentence_transformers": {"activation_fn": "own.Act"}}),
        ("config.json", {"sbert_ce_default_activation_function": "torch.cuda.empty_cache"}),
        ("config.json", {"sbert_ce_default_activation_function": "own.Act"}),
        ("config.json", {"sentence_transformers": {"activation_fn": "torch.nn.init.torch"}}),
        ("config.json", {"whatever": [{"deep": ["torch.hub.load"]}]}),
        ("modules.json", [{"path": "", "type": "sentence_transformers.base.model.pickle"}]),
        ("router_config.json", {"types": {"query": "sentence_transformers.base.model.torch"}}),
        ("0_Words/config.json", {"tokenizer_class": "sentence_transformers.base.model.torch"}),
        ("config.json", {"attn_implementation": "org/kernel"}),
        ("sentence_bert_config.json", {"model_args": {"attn_implementation": {"": "org/kernel"}}}),
        ("sentence_bert_config.json", {"model_args": {"use_kernels": True}}),
        ("sentence_bert_config.json", {"model_args": {"weights_only": False}}),
        ("sentence_bert_config.json", {"tokenizer_name_or_path": "/etc"}),
    ],
)
def test_models_with_code_of_their_own_are_refused(
    name: str, content: object, model_file: ModelFiles, tmp_path: Path
) -> None:
    model_file.write(name, content)

    said = refusal("some-model", model_file.models, tmp_path)

    assert "asks for code of its own" in said
    assert name in said


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", {"sentence_transformers": {"activation_fn": "torch.nn.Sigmoid"}}),
        ("config.json", {"dtype": "torch.float32", "hidden_act": "gelu_pytorch_tanh"}),
        ("2_Dense/config.json", {"activation_function": "torch.nn.modules.activation.Tanh"}),
        ("modules.json", [{"path": "", "type": "sentence_transformers.models.Transformer"}]),
        ("tokenizer_config.json", {"tokenizer_class": "BertTokenizer", "auto_map": {}}),
        ("config.json", {"attn_implementation": "sdpa", "_name_or_path": "org/name"}),
    ],
)
def test_models_with_layers_of_the_libraries_are_read(
    name: str, content: object, model_file: ModelFiles, tmp_path: Path
) -> None:
    model_file.write(name, content)

    assert find("some-model", models=model_file.models, store=tmp_path).name == "some-model"


def test_modules_outside_the_model_are_refused(model_file: ModelFiles, tmp_path: Path) -> None:
    kind = "sentence_transformers.models.Pooling"
    model_file.write("modules.json", [{"path": "../other", "type": kind}])

    assert "outside the model" in refusal("some-model", model_file.models, tmp_path)


@pytest.mark.parametrize("folder", ["", "0_Transformer/"])
def test_adapters_are_refused(folder: str, model_file: ModelFiles, tmp_path: Path) -> None:
    model_file.write(f"{folder}adapter_config.json", {"base_model_name_or_path": "org/base"})

    assert "an adapter of another one" in refusal("some-model", model_file.models, tmp_path)


def test_a_folder_without_model_or_weights_says_what_it_lacks(
    model_file: ModelFiles, tmp_path: Path
) -> None:
    (model_file.folder / "model.safetensors").unlink()
    assert "no weights as safetensors" in refusal("some-model", model_file.models, tmp_path)

    (model_file.folder / "config.json").unlink()
    assert "neither config.json nor" in refusal("some-model", model_file.models, tmp_path)


def test_settings_that_are_no_json_name_the_file(model_file: ModelFiles, tmp_path: Path) -> None:
    path = model_file.write("config.json", b"{broken")

    assert f"The file {path} cannot be read" in refusal("some-model", model_file.models, tmp_path)


def test_the_revision_changes_with_weights_and_settings(
    model_file: ModelFiles, tmp_path: Path
) -> None:
    def revision() -> str:
        return find("some-model", models=model_file.models, store=tmp_path).revision

    first = revision()
    model_file.write("README.md", b"said about it")
    assert revision() == first

    model_file.write("model.safetensors", b"WEIGHTS")
    second = revision()
    model_file.write("1_Pooling/config.json", {"pooling_mode": "mean"})
    assert len({first, second, revision()}) == 3

    said = refusal("some-model", model_file.models, tmp_path, revision=first)
    assert f"not {first}" in said


def test_a_file_is_hashed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import hashlib

    file = tmp_path / "weights"
    file.write_bytes(b"weights")
    first = digest_of_file(file, tmp_path / "store")
    monkeypatch.setattr(hashlib, "file_digest", None)

    assert digest_of_file(file, tmp_path / "store") == first


def test_a_model_that_cannot_be_loaded_says_so(
    packages: None, model_file: ModelFiles, tmp_path: Path
) -> None:
    from scoring.baselines import Pair
    from tests.scoring.neural.making import scored

    with pytest.raises(ModelError, match="some-model cannot be loaded: "):
        scored(
            "bi_encoder", {"model": "some-model"}, [Pair("a", "b")], model_file.models, tmp_path
        )
