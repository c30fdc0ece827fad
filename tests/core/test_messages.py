"""Messages of `scoring` and `tuples`: English wherever they are printed, translated on pages."""

import copy
import json
import pickle
from decimal import Decimal

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from annotation.basics.sentences import in_words, read, sentence, stored, translated
from annotation.models import Job
from annotation.people.queries import person as queries
from annotation.people.services import exclusions
from shell.messages import Message, apart, as_data, joined, message, ngettext, of_data
from tests.support.factories import make_annotator, make_open_study, make_study

# Django's own catalogues have these, so the tests need none of ours.
COUNTED = ("%(n)s hour", "%(n)s hours")
REQUIRED = "This field is required."
REQUIRED_IN_GERMAN = "Dieses Feld ist zwingend erforderlich."

texts = st.text(max_size=9)
values = st.recursive(
    texts
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-99, max_value=99)
    | st.lists(texts, max_size=3),
    lambda inner: st.builds(lambda n, x: message("%(n)s and %(x)s", n=n, x=x), inner, inner),
    max_leaves=5,
)


def there_and_back(value: object) -> object:
    return json.loads(json.dumps(as_data(value)), object_hook=of_data)


def test_as_a_text_it_is_english() -> None:
    parts = message("%(n)s of %(names)s, %(share)s", n=1200, names=["a", "b"], share=0.25)

    assert parts == "1,200 of a, b, 0.25"
    assert json.dumps({"reason": parts}) == '{"reason": "1,200 of a, b, 0.25"}'
    assert message("95 %") == "95 %"
    assert message("95 %% of %(x)s", x=Decimal("0.20")) == "95 % of 0.20"
    assert [ngettext(*COUNTED, "n", n=n) for n in (1, 2)] == ["1 hour", "2 hours"]


def test_a_page_translates_the_template_and_then_fills_in_the_values() -> None:
    inner = message(REQUIRED)
    outer = message("%(problem)s %(r)s %(x)s", problem=inner, r=Decimal("-0.20"), x=0.5)

    with translation.override("de"):
        in_german = in_words(outer)

    assert outer == f"{REQUIRED} -0.20 0.5"
    assert in_german == f"{REQUIRED_IN_GERMAN} −0,20 0,5"
    assert in_words(None) == ""
    assert in_words("no message") == "no message"


def test_what_a_page_stores_of_it_is_said_in_the_language_of_who_reads_it() -> None:
    line = stored(
        translated(message("%(all)s: %(r)s", all=[message(REQUIRED)], r=Decimal("0.20")))
    )

    with translation.override("de"):
        assert read(line) == f"{REQUIRED_IN_GERMAN}: 0,20"


def test_several_are_joined_to_one() -> None:
    both = joined(None, message(REQUIRED), message(REQUIRED))

    assert both == f"{REQUIRED} {REQUIRED}"
    with translation.override("de"):
        assert in_words(both) == f"{REQUIRED_IN_GERMAN} {REQUIRED_IN_GERMAN}"
    assert joined(None, None) is None


def test_what_was_joined_can_be_taken_apart() -> None:
    messages = [message(name) for name in ("one", "two", "three")]
    all_of_them = joined(*messages)

    assert all_of_them is not None
    assert apart(all_of_them) == messages
    assert apart(messages[0]) == ["one"]
    assert apart("no message") == ["no message"]


def test_texts_among_its_values_can_be_changed() -> None:
    inner = message("In %(folder)s", folder="/srv/models/a")
    outer = message("%(inner)s: %(n)s", inner=inner, n=3)

    changed = outer.with_texts(lambda text: text.replace("/srv/models", "<models>"))

    assert changed == "In <models>/a: 3"
    assert changed.template == outer.template


@given(values)
def test_nothing_is_lost_on_the_way_through_json_copies_and_processes(value: object) -> None:
    sent = message("say %(it)s", it=value)
    for received in (there_and_back(sent), copy.deepcopy(sent), pickle.loads(pickle.dumps(sent))):
        assert isinstance(received, Message)
        assert (received, received.template) == (sent, sent.template)
        assert str(translated(received)) == str(translated(sent))


@given(st.dictionaries(texts, texts | st.integers() | st.dictionaries(texts, texts)))
def test_what_is_no_message_stays_as_it_is(data: dict[str, object]) -> None:
    assert there_and_back(data) == data


@pytest.mark.django_db
def test_a_column_of_figures_keeps_its_messages() -> None:
    reason = ngettext("%(n)s of %(all)s", "%(n)s of %(all)s", "n", n=2, all=1200)
    job = Job.objects.create(study=make_study(), kind=Job.Kind.SCORE, figures={"why": [reason]})

    job.refresh_from_db()

    assert job.figures == {"why": ["2 of 1,200"]}
    assert job.figures["why"][0].values == {"n": 2, "all": 1200}


@pytest.mark.django_db
def test_a_reason_that_looks_like_a_stored_sentence_is_text() -> None:
    study = make_open_study()
    person = make_annotator(study)
    typed = '{"say":"%(x)900000s","with":{"x":"a"}}'
    exclusions.exclude(annotator=person, reason="too fast", by=study.owner)

    exclusions.include_again(annotator=person, reason=typed, by=study.owner)

    (past,) = queries.exclusions(person)
    assert past.lifted_reason == typed


def test_what_cannot_be_written_is_read_as_it_is() -> None:
    for text in (
        '{"say":"%(x)99999999999999s","with":{"x":"a"}}',
        '{"say":"%(x)s","with":{"x":{"decimal":"abc"}}}',
    ):
        assert read(text) == text
    assert there_and_back({"decimal": "abc"}) == {"decimal": "abc"}


@pytest.mark.parametrize("typed", ["NaN", "-Infinity", "1E+999999", "1E-999999"])
def test_a_number_that_somebody_typed_is_said_as_it_is(typed: str) -> None:
    said = str(sentence("%(sum)s") % {"sum": Decimal(typed)})

    assert said == typed
    assert read(stored(sentence("%(sum)s") % {"sum": Decimal(typed)})) == typed
