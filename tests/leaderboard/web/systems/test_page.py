"""The pages of a system and of a model."""

import re
from urllib.parse import quote

import pytest

from leaderboard.models import Standing, Submission, System
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing.publish import withdraw
from leaderboard.services.submissions.rescore import rescore
from tests.support import factories
from tests.support.databases import shared_rows
from tests.support.pages.visible_text import text_of
from tests.support.rows import put_row
from wardboard.scoring.medagentbench.demo import GOOD


@shared_rows
def published() -> Submission:
    user, demo = factories.make_user(), factories.make_demo()
    return factories.make_published(
        user, demo, GOOD.read_bytes(), code_url="https://git.example.org/agent", paper_url=""
    )


def make_address(submission) -> str:
    return f"/systems/{submission.system_id}/"


def test_the_page_describes_the_system_and_states_its_rank(visitor, published):
    response = visitor.get(make_address(published))
    text = text_of(response)
    assert response.status_code == 200
    for fact in ("Careful agent", "model-a model-b", "Example hospital", "Multi-turn", "Query generator"):
        assert fact in text
    assert "94.0%" in text
    assert "83.8% to 97.9%" in text
    assert "Rank 1" in text
    content = response.content.decode()
    assert re.search(r'rel="nofollow noopener external" title="[^"]+">git.example.org</a>', content)
    # What scored it.
    assert published.evaluation.revision.digest in text
    assert f"version {published.evaluation.scorer_version}" in text
    assert f"/submissions/{published.pk}/" in content


@pytest.mark.parametrize("address", ["javascript:alert(1)", "https://[", "ftp://host/x", "//host", ""])
def test_a_url_that_is_not_http_is_not_a_link(visitor, published, address):
    System.objects.filter(pk=published.system_id).update(code_url=address)
    content = visitor.get(make_address(published)).content.decode()
    assert "nofollow" not in content
    assert "Careful agent" in content


def test_a_system_that_was_never_published_is_not_found(visitor, ada, demo, user, good_file, published):
    hidden_submission = factories.make_scored(
        user, demo, factories.with_wrong(good_file, 3), system="Secret agent"
    )
    unknown_key = System.objects.order_by("-pk").first().pk + 1
    for client in (visitor, ada):
        for key in (hidden_submission.system_id, unknown_key, 0, 2**63, 10**30):
            response = client.get(f"/systems/{key}/")
            assert response.status_code == 404
            assert "Secret" not in response.content.decode()


def test_a_withdrawn_result_stays_struck_through_with_its_reason(visitor, user, published):
    withdraw(submission_id=published.pk, team=personal_team(user), by=user, reason="wrong model")
    response = visitor.get(make_address(published))
    content, text = response.content.decode(), text_of(response)
    assert response.status_code == 200
    assert "<del>94.0%</del>" in content
    assert "withdrawn" in text
    assert "wrong model" in text
    assert "This system has no result on this leaderboard at present." in text
    # Only its team can see the submission from then on.
    assert f"/submissions/{published.pk}/" not in content


def test_a_result_keeps_the_score_of_its_removal_when_it_is_rescored(visitor, user, demo, published):
    withdraw(submission_id=published.pk, team=personal_team(user), by=user)
    factories.correct_references(demo)
    rescore(board=demo)
    published.refresh_from_db()
    assert published.evaluation.right == 46
    text = text_of(visitor.get(make_address(published)))
    assert "47 of 50" in text
    assert "reference answers rev. 1" in text
    for hidden in ("46 of 50", "92.0%", "reference answers rev. 2"):
        assert hidden not in text


def test_a_system_on_two_leaderboards_has_a_tab_for_each(visitor, demo, fhir_demo):
    row = put_row(demo, "Both", counts=(40, 50))
    put_row(fhir_demo, "Alone", counts=(30, 60))
    Standing.objects.filter(name="Alone").update(system=row.system)
    for board, here, elsewhere in ((demo, "80.0%", "50.0%"), (fhir_demo, "50.0%", "80.0%")):
        text = text_of(visitor.get(f"/systems/{row.system_id}/?board={board.slug}"))
        assert (here in text, elsewhere in text) == (True, False)


def test_results_with_a_model_stand_with_their_harness_under_any_of_its_spellings(visitor, demo):
    put_row(demo, "Low", counts=(26, 50), model_names=["openai/gpt-4o"], harness="official")
    high = put_row(demo, "High", counts=(35, 50), model_names=["GPT-4o"], harness_name="careful-loop 2")
    put_row(demo, "Third", counts=(40, 50), model_names=["o3"])
    for spelling in ("GPT-4o", "openai/gpt-4o"):
        text = text_of(visitor.get(f"/models/{spelling}/"))
        for words in ("from 52.0% to 70.0% (n = 2", "High as published careful-loop 2", "Official harness"):
            assert words in text
        assert "Third" not in text
    assert 'href="/models/GPT-4o/"' in visitor.get(f"/systems/{high.system_id}/").content.decode()


@pytest.mark.parametrize("name", ["a/b//c", "x" * 200, "模型 ؟#?%", "\u202eevil", "<b>bold</b>", "…/.."])
def test_a_model_of_any_name_has_a_page_and_an_unknown_one_has_none(visitor, demo, name):
    address = f"/models/{quote(name)}/"
    assert visitor.get(address).status_code == 404
    put_row(demo, "System", counts=(40, 50), model_names=[name])
    assert "<b>" not in visitor.get(address).content.decode()
    assert address in visitor.get("/sitemap.xml").content.decode()
