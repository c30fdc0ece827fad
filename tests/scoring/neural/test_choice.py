import dataclasses
import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.neural.choice import choose
from scoring.neural.choice_settings import ChoiceSettings, Dialogue
from scoring.neural.likelihoods import Continuation, KeptLikelihoods, LanguageModel
from scoring.neural.prompts import check_template, prompt, template_of
from tests.scoring.neural.language_models import save_tiny_language_model, tiny_tokenizer


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory, packages: None) -> LanguageModel:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = save_tiny_language_model(tmp_path_factory.mktemp("gpt"))
    model = AutoModelForCausalLM.from_pretrained(folder, dtype="float32")
    return LanguageModel(AutoTokenizer.from_pretrained(folder), model.config, lambda: model)


@pytest.fixture
def kept(tmp_path: Path) -> KeptLikelihoods:
    return KeptLikelihoods(tmp_path / "store" / "likelihoods.sqlite3")


def dialogue(name: str = "d1", *, turns: int = 2, best: int = 1, n: int = 4) -> Dialogue:
    return Dialogue(
        id=name,
        turns=tuple(f"Kommst du am Abend {name} {i}?" for i in range(turns)),
        target=f"Ja, gern {name}.",
        options=("Gern.", "Nein, leider nicht heute Abend.", "Kino?", "Antwort: ja", "A")[:n],
        scores=tuple(1.0 if i == best else 0.1 * i for i in range(n)),
    )


def alone(model: LanguageModel, text: str, answer: str) -> float:
    """Log-likelihood of an answer, token by token: one run of the model for each."""
    import torch

    tokens = model.tokenizer(text + answer)["input_ids"]
    n_before = len(model.tokenizer(text)["input_ids"])
    assert tokens[:n_before] == model.tokenizer(text)["input_ids"]
    total = 0.0
    for i in range(n_before, len(tokens)):
        with torch.no_grad():
            logits = model._model(torch.tensor([tokens[:i]])).logits[0, -1]
        total += float(torch.log_softmax(logits.double(), dim=0)[tokens[i]])
    return total


def sums(
    model: LanguageModel, continuations: list[Continuation], *, batch_size: int
) -> np.ndarray:
    found = np.full(len(continuations), np.nan)
    for places, values in model.log_likelihoods(continuations, batch_size=batch_size):
        found[places] = values
    return found


def test_a_likelihood_is_that_of_the_answers_tokens_after_the_prompt(model: LanguageModel) -> None:
    question = "Gespräch: Kommst du?\nAntwort:"
    answers = ["Ja, gern.", "A", "Nein, leider nicht."]

    found = sums(model, model.continuations(question, answers), batch_size=8)

    expected = [alone(model, question, f" {answer}") for answer in answers]
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_padding_changes_no_likelihood(model: LanguageModel) -> None:
    continuations = [
        each
        for question in ("Antwort:", "Gespräch " * 20 + "Antwort:", "Kommst du heute Abend?")
        for each in model.continuations(question, ["Ja.", "A", "Nein, leider nicht heute Abend."])
    ]

    one_by_one = sums(model, continuations, batch_size=1)

    for batch_size in (2, 3, 64):
        together = sums(model, continuations, batch_size=batch_size)
        np.testing.assert_allclose(together, one_by_one, rtol=0, atol=1e-5 * 9)


def test_answers_of_one_token_are_read_off_one_run(model: LanguageModel) -> None:
    continuations = model.continuations("Antwort:", ["A", "B", "C"])
    assert [each.n_tokens for each in continuations] == [1, 1, 1]

    batches = list(model.log_likelihoods(continuations, batch_size=1))

    assert [sorted(places) for places, _ in batches] == [[0, 1, 2]]
    expected = [alone(model, "Antwort:", f" {letter}") for letter in "ABC"]
    np.testing.assert_allclose(sums(model, continuations, batch_size=1), expected, atol=1e-4)


def test_models_that_give_all_logits_are_read_as_those_that_give_some(
    model: LanguageModel,
) -> None:
    import torch

    class AllLogits(torch.nn.Module):
        device = torch.device("cpu")

        def forward(self, input_ids: Any, attention_mask: Any, use_cache: bool) -> Any:
            return model._model(input_ids=input_ids, attention_mask=attention_mask)

    other = LanguageModel(model.tokenizer, model._config, AllLogits)
    continuations = [
        each
        for question in ("Antwort:", "Kommst du heute Abend mit ins Kino? Antwort:")
        for each in model.continuations(question, ["Ja.", "A", "Nein, leider nicht."])
    ]

    np.testing.assert_allclose(
        sums(other, continuations, batch_size=4), sums(model, continuations, batch_size=4)
    )


@pytest.mark.parametrize("kind", ["bytes", "characters"])
def test_white_space_between_prompt_and_answer_is_the_answers(
    model: LanguageModel, kind: str
) -> None:
    reader = LanguageModel(tiny_tokenizer(kind), model._config, lambda: None)

    (blank,) = reader.continuations("Kommst du?", ["Ja, gern."])
    (line,) = reader.continuations("Kommst du?\n", ["Ja, gern."])

    def answer(each: Continuation) -> str:
        return reader.tokenizer.decode(each.tokens[each.start :].tolist()).strip()

    assert answer(blank) == answer(line).strip() == "Ja, gern."
    # However many tokens white space makes, none of the prompt's is counted.
    question = reader.tokenizer.decode(blank.tokens[: blank.start].tolist()).strip()
    assert question.startswith("Kommst du")
    assert "Ja" not in question


def test_an_answer_without_tokens_is_named(model: LanguageModel) -> None:
    reader = LanguageModel(tiny_tokenizer("characters"), model._config, lambda: None)

    with pytest.raises(ValueError, match="the model has no tokens for the answer '☃'"):
        reader.continuations("Kommst du?\n", ["Ja", "☃"])


def test_a_tokenizer_without_places_is_refused(model: LanguageModel) -> None:
    class Slow:
        is_fast = False

    with pytest.raises(ValueError, match="does not tell where its tokens lie"):
        LanguageModel(Slow(), model._config, lambda: None)


def test_values_and_choices_follow_from_the_likelihoods(
    model: LanguageModel, kept: KeptLikelihoods
) -> None:
    settings = ChoiceSettings(shuffles=3, likelihood="sum", with_dialogue=False)
    dialogues = [dialogue(f"d{i}", best=i % 4) for i in range(6)]

    found = choose(dialogues, settings, model=model, identity="m", stored=kept)

    # The same by hand, for the orders that were drawn.
    is_right = np.zeros((3, 6))
    for d, asked in enumerate(dialogues):
        rng = np.random.default_rng(
            [1, int.from_bytes(hashlib.sha256(asked.id.encode()).digest()[:8])]
        )
        by_shuffle = []
        for shuffle in range(3):
            question = prompt(
                template_of("de", with_dialogue=False),
                turns=(),
                target=asked.target,
                options=[asked.options[i] for i in rng.permutation(4)],
                answer="text",
            )
            by_shuffle.append([alone(model, question, f" {option}") for option in asked.options])
            is_right[shuffle, d] = np.argmax(by_shuffle[-1]) == d % 4
        np.testing.assert_allclose(found.values[d], np.mean(by_shuffle, axis=0), atol=1e-3)
    np.testing.assert_allclose(found.accuracy.per_shuffle, is_right.mean(axis=1))
    assert found.accuracy.overall.right == pytest.approx(is_right.mean(axis=0).sum())


def test_what_fits_is_all_but_the_last_token(model: LanguageModel) -> None:
    assert model.window == 256
    assert model.fits(Continuation(np.zeros(257, dtype=np.int64), 200))
    assert not model.fits(Continuation(np.zeros(258, dtype=np.int64), 200))


def test_per_token_divides_by_the_number_of_the_answers_tokens(
    model: LanguageModel, kept: KeptLikelihoods
) -> None:
    asked = dialogue()

    def values(likelihood: str) -> np.ndarray:
        settings = ChoiceSettings(likelihood=likelihood)  # type: ignore[arg-type]
        return choose([asked], settings, model=model, identity="m", stored=kept).values[0]

    n_tokens = [each.n_tokens for each in model.continuations("Antwort:", list(asked.options))]
    assert len(set(n_tokens)) > 1
    np.testing.assert_allclose(values("sum") / n_tokens, values("per_token"))


def test_the_same_seed_gives_the_same_and_what_is_kept_is_not_computed_again(
    model: LanguageModel, kept: KeptLikelihoods
) -> None:
    dialogues = [dialogue("d1"), dialogue("d2", turns=4, best=0)]
    settings = ChoiceSettings(answer="letter", shuffles=4)

    first = choose(dialogues, settings, model=model, identity="m", stored=kept)
    again = choose(dialogues, settings, model=model, identity="m", stored=kept, batch_size=1)
    alone = choose(dialogues[1:], settings, model=model, identity="m", stored=kept)

    assert first.n_computed > 0
    assert (first.n_kept, again.n_computed, again.n_kept) == (0, 0, first.n_computed)
    np.testing.assert_array_equal(np.array(again.values), np.array(first.values))
    assert again.as_dict() == first.as_dict()
    # A dialogue is shuffled by its name: another one beside it changes nothing.
    np.testing.assert_array_equal(alone.values[0], first.values[1])
    other_model = choose(dialogues, settings, model=model, identity="other", stored=kept)
    assert other_model.n_computed == first.n_computed
    other_seed = dataclasses.replace(settings, seed=2)
    other = choose(dialogues, other_seed, model=model, identity="m", stored=kept)
    assert not np.array_equal(other.values[0], first.values[0])


def test_a_run_that_ends_early_goes_on_where_it_was(
    model: LanguageModel, kept: KeptLikelihoods
) -> None:
    dialogues = [dialogue(f"d{i}") for i in range(4)]
    settings = ChoiceSettings(shuffles=2)
    uninterrupted = choose(
        dialogues, settings, model=model, identity="another", stored=kept, batch_size=3
    )

    class KilledError(Exception):
        pass

    n_told = 0

    def die_at_the_third(share: float, message: str) -> None:
        nonlocal n_told
        n_told += 1
        if n_told == 3:
            raise KilledError

    with pytest.raises(KilledError):
        choose(
            dialogues,
            settings,
            model=model,
            identity="m",
            stored=kept,
            progress=die_at_the_third,
            batch_size=3,
        )
    resumed = choose(dialogues, settings, model=model, identity="m", stored=kept, batch_size=3)

    assert resumed.n_kept >= 9
    assert resumed.n_kept + resumed.n_computed == uninterrupted.n_computed
    np.testing.assert_allclose(
        np.array(resumed.values), np.array(uninterrupted.values), rtol=0, atol=1e-5
    )
    assert resumed.as_dict() == uninterrupted.as_dict()


@pytest.mark.parametrize("content", [b"", b"no database, but long enough to be looked at" * 20])
def test_kept_likelihoods_that_cannot_be_read_are_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "likelihoods.sqlite3"
    file.write_bytes(content)
    if not content:
        # As a process leaves it that dies when it has made the file.
        assert KeptLikelihoods(file).found([b"x"]) == {}
        return

    with pytest.raises(ValueError, match=r"likelihoods.sqlite3 cannot be used .*: remove that"):
        KeptLikelihoods(file)


def test_the_dialogue_is_cut_from_its_beginning_and_that_is_told(
    model: LanguageModel, kept: KeptLikelihoods
) -> None:
    long, short = dialogue("long", turns=60), dialogue("short", turns=1)
    template = "{dialogue}|{target}|{options}:"
    settings = ChoiceSettings(template=template, shuffles=2)

    found = choose([long, short], settings, model=model, identity="m", stored=kept)

    assert found.shortened == ["long"]
    assert found.as_dict()["n_shortened"] == 1
    # As many of the last turns as fit, and no more.
    for n_turns in range(1, 60):
        rest = dataclasses.replace(long, turns=long.turns[-n_turns:])
        one = choose([rest], settings, model=model, identity="m", stored=kept)
        if one.shortened:
            break
        same = one.values[0]
    np.testing.assert_array_equal(found.values[0], same)


def test_options_are_never_cut(model: LanguageModel, kept: KeptLikelihoods) -> None:
    asked = dataclasses.replace(dialogue("d7"), target="Ja, gern. " * 300)

    with pytest.raises(ValueError, match=r"dialogue d7: its last turn and options alone are \d+"):
        choose([asked], ChoiceSettings(), model=model, identity="m", stored=kept)


def test_dialogues_without_scores_have_values_but_do_not_count(
    model: LanguageModel, kept: KeptLikelihoods
) -> None:
    unscored = dataclasses.replace(dialogue("d2"), scores=(math.nan,) * 4)

    found = choose(
        [dialogue(), unscored], ChoiceSettings(), model=model, identity="m", stored=kept
    )

    assert found.accuracy.n_left_out == 1
    assert found.accuracy.overall.n == 1
    assert np.isfinite(found.values[1]).all()
    assert list(found.accuracy.by_subset) == ["3 turns"]


def test_a_prompt_holds_the_texts_once_and_as_they_are() -> None:
    made = prompt(
        "{dialogue}\n#{target}#\n{options}",
        turns=["eins {target}", "zwei\nzeilig"],
        target="drei {options}",
        options=["x {dialogue}", "y"],
        answer="letter",
    )

    assert made == ("eins {target}\nzwei zeilig\n#drei {options}#\nA) x {dialogue}\nB) y")


def test_a_prompt_in_the_form_of_giccs_numbers_turns_and_letters_candidates() -> None:
    def made(*, with_dialogue: bool, n_left_out: int = 0) -> str:
        return prompt(
            template_of("en", with_dialogue=with_dialogue, style="giccs"),
            turns=["Is this seat taken?", "No,\nplease sit."][n_left_out:],
            target="Thank you. {options}",
            options=["Thanks.", "Goodbye."],
            answer="text",
            style="giccs",
            n_left_out=n_left_out,
        )

    assert made(with_dialogue=True) == (
        "Conversation:\n1. Is this seat taken?\n2. No, please sit.\n3. Thank you. {options}\n\n"
        "Which of these sentences comes closest to the meaning of the last utterance in this"
        " conversation?\nA. Thanks.\nB. Goodbye.\n\nAnswer:"
    )
    # Of a dialogue that is cut, the turns keep their numbers.
    assert made(with_dialogue=True, n_left_out=1).startswith(
        "Conversation:\n2. No, please sit.\n3. Thank you."
    )
    assert made(with_dialogue=False) == (
        "Utterance:\nThank you. {options}\n\n"
        "Which of these sentences comes closest to the meaning of the utterance?\n"
        "A. Thanks.\nB. Goodbye.\n\nAnswer:"
    )


def test_in_the_form_of_giccs_the_likelihood_is_that_of_the_sentence(
    model: LanguageModel, kept: KeptLikelihoods
) -> None:
    asked = dialogue()
    settings = ChoiceSettings(style="giccs", shuffles=1, likelihood="sum")

    found = choose([asked], settings, model=model, identity="m", stored=kept)

    expected = [alone(model, found.example, f" {option}") for option in asked.options]
    np.testing.assert_allclose(found.values[0], expected, atol=1e-3)
    lines = found.example.splitlines()
    assert lines[1:4] == [f"{n}. {text}" for n, text in enumerate((*asked.turns, asked.target), 1)]
    marks, listed = zip(*(line.split(" ", 1) for line in lines[6:10]), strict=True)
    assert (marks, sorted(listed)) == (("A.", "B.", "C.", "D."), sorted(asked.options))
    figures = found.as_dict()
    assert (figures["style"], figures["example"]) == ("giccs", found.example)


def test_turns_that_do_not_fit_leave_a_gap_in_the_numbers(
    model: LanguageModel, kept: KeptLikelihoods
) -> None:
    asked = dialogue(turns=60)

    found = choose([asked], ChoiceSettings(style="giccs"), model=model, identity="m", stored=kept)

    assert found.shortened == ["d1"]
    assert f"\n61. {asked.target}\n" in found.example
    assert "\n60. " in found.example
    assert "\n1. " not in found.example


def test_an_example_that_is_very_long_is_cut(
    model: LanguageModel, kept: KeptLikelihoods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoring.neural.choice.MAX_EXAMPLE_LENGTH", 8)
    settings = ChoiceSettings(with_dialogue=False)

    found = choose([dialogue()], settings, model=model, identity="m", stored=kept)

    assert found.example == "Äußerung […]"


@pytest.mark.parametrize("language", ["de", "en", "cs"])
@pytest.mark.parametrize("style", ["plain", "giccs"])
@pytest.mark.parametrize("with_dialogue", [True, False])
def test_our_templates_hold_what_they_need(language: Any, style: Any, with_dialogue: bool) -> None:
    check_template(
        template_of(language, with_dialogue=with_dialogue, style=style),
        with_dialogue=with_dialogue,
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"template": "{target} {options}"}, r"the template lacks \{dialogue\}"),
        ({"template": "{dialogue} {options}"}, r"the template lacks \{target\}"),
        ({"template": "{dialogue} {target}"}, r"the template lacks \{options\}"),
        (
            {"template": "{dialogue} {target} {options}", "with_dialogue": False},
            "asked without the dialogue: take",
        ),
        ({"template": "{dialogue} {target} {options} {x}"}, r"has \{x\}, which is unknown"),
        ({"template": 3}, "template is 3: give a text, or none for ours"),
        ({"language": "fr"}, "no template in 'fr': choose one of de, en, cs"),
        ({"likelihood": "mean"}, "likelihood is 'mean': choose sum or per_token"),
        ({"style": "GiCCS"}, "style is 'GiCCS': choose plain or giccs"),
        ({"answer": "number"}, "answer is 'number': choose text or letter"),
        ({"shuffles": 0}, "shuffles is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"with_dialogue": "no"}, "with_dialogue is 'no'"),
        ({"shuffels": 3}, "'shuffels' is no setting of multiple choice: there are language"),
    ],
)
def test_wrong_settings_are_refused_with_a_remedy(given: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ChoiceSettings.of_json(given)


def test_what_cannot_be_asked_is_refused(model: LanguageModel, kept: KeptLikelihoods) -> None:
    def refused(dialogues: list[Dialogue], message: str, **settings: object) -> None:
        asked = ChoiceSettings.of_json(settings)
        with pytest.raises(ValueError, match=message):
            choose(dialogues, asked, model=model, identity="m", stored=kept)

    refused([], "there is no dialogue")
    refused([dialogue(), dialogue()], "two dialogues are called d1")
    many = dataclasses.replace(dialogue(), options=("x",) * 27, scores=(0.0,) * 27)
    refused([many], "27 options are more than the 26 letters", answer="letter")
    refused([many], "27 options are more than the 26 letters", style="giccs")
    with pytest.raises(ValueError, match="dialogue d1 has 1 options"):
        dialogue(n=1)
    with pytest.raises(ValueError, match="dialogue d1 has an empty last turn or option"):
        dataclasses.replace(dialogue(), target=" ")
