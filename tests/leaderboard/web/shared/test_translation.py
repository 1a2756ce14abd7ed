"""Problems of a file in the language of the page."""

import json

import pytest
from django.urls import reverse
from hypothesis import strategies as st

from leaderboard.models import Submission
from leaderboard.services.files.remarks import columns_of, restore_texts
from leaderboard.web.shared import language
from leaderboard.web.shared.language import in_words
from tests.support.examples import given
from tests.support.factories import send
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import Problem, Remarks

LARGE = phrase("the answer is longer than {limit}", limit=phrase("{count:,} bytes", count=4300))
_JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=9,
)


@pytest.fixture
def catalogue(monkeypatch):
    """Replace the catalogue with a dictionary; texts without an entry stay in English."""
    translations: dict[str, str] = {}
    monkeypatch.setattr(language, "gettext", lambda text: translations.get(text, text))
    monkeypatch.setattr(
        language, "ngettext", lambda one, many, n: translations.get(one, one if n == 1 else many)
    )
    return translations


def make_remark(message: str, hint: str = "Mend it.") -> Problem:
    return Problem(code="answer.too-large", pointer="/results/0", message=message, hint=hint)


def test_only_values_that_are_messages_are_translated(catalogue):
    catalogue |= {
        "the answer is longer than {limit}": "答案超過 {limit}",
        "{count:,} bytes": "{count:,} 位元組",
    }
    assert in_words(LARGE) == "答案超過 4,300 位元組"
    plain = phrase("the answer is longer than {limit}", limit="{count:,} bytes")
    assert in_words(plain) == "答案超過 {count:,} bytes"


def test_a_translation_with_other_values_is_replaced_by_the_english(catalogue):
    for translated in ("{limit", "{other}", "{}", "{limit.x}", "{limit[x]}", "{limit:,}", "{0}"):
        catalogue["the answer is longer than {limit}"] = translated
        assert in_words(LARGE) == "the answer is longer than 4,300 bytes", translated


def test_a_remark_comes_back_from_the_database_with_its_template():
    collected = Remarks()
    collected.extend([make_remark(LARGE), make_remark(phrase("plain"))])
    kept = json.loads(json.dumps(columns_of(warnings=collected)["warnings"]))
    large, plain = restore_texts(kept)
    assert isinstance(large["message"], Phrase)
    assert large["message"].parts() == LARGE.parts()
    assert (large["hint"], plain["message"]) == ("Mend it.", "plain")
    assert "text_parts" in kept[0]
    assert "text_parts" not in kept[1]


@given(_JSON)
def test_a_stored_remark_with_an_invalid_template_is_shown_in_english(beside):
    kept = make_remark("the text").as_dict()
    for stored in (beside, {"message": beside}, {"message": ["the {x}", {"x": beside}]}):
        (restored,) = restore_texts([kept | {"text_parts": stored}])
        assert (restored["message"], restored["hint"]) == ("the text", "Mend it.")


@pytest.mark.django_db
def test_no_response_of_the_api_has_more_than_the_texts(client, demo, user, malformed_file):
    submission = send(user, demo, malformed_file).submission
    assert any("text_parts" in problem for problem in Submission.objects.get().problems)
    client.force_login(user)
    submission_json = client.get(reverse("api:submission", args=[submission.pk])).json()
    keys = {"code", "pointer", "line", "message", "hint"}
    places = {"where", "column", "record", "task", "quoted", "fix"}
    remarks = submission_json["problems"] + submission_json["warnings"]
    assert len(remarks) == len(submission.problems) + len(submission.warnings)
    assert all(keys <= set(remark) <= keys | places for remark in remarks)
