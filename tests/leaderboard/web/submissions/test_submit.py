"""The form to submit a file, and what it says of its limits and conditions."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.models import Board, Submission, System, TeamApproval
from leaderboard.services.data_class import VERSION
from leaderboard.services.publishing import approvals
from tests.support.addresses import BOARD, SUBMIT
from tests.support.factories import make_form_facts, make_hidden
from tests.support.pages.visible_text import text_of
from wardboard.scoring.reading.formats.attempts import Attempt, Facts, encode_attempt


def after_the_file(client, raw: bytes, query: str = "") -> str:
    """Send a file alone, and return the page with the form about its system."""
    file = SimpleUploadedFile("results.json", raw)
    return client.post(f"/submit/{query}", {"file": file}, follow=True).content.decode()


def test_a_good_file_goes_to_its_own_page_with_its_score_and_the_same_one_again_says_so(
    ada, demo, upload, good_file
):
    response = ada.post(SUBMIT, make_form_facts(file=upload(good_file)), follow=True)
    assert response.status_code == 200
    assert "94.0%" in response.content.decode()
    submission = Submission.objects.get()
    assert submission.filename == "results.json"
    assert submission.system.open_weights is True
    response = ada.post(SUBMIT, make_form_facts(file=upload(good_file)), follow=True)
    assert "You have already submitted this file" in response.content.decode()
    assert Submission.objects.count() == 1
    # A script gets the address.
    headers = {"X-Requested-With": "XMLHttpRequest"}
    response = ada.post(SUBMIT, make_form_facts(file=upload(good_file)), headers=headers)
    assert response.json() == {"url": f"/submissions/{submission.pk}/"}


def test_a_designated_file_is_published_with_its_score_and_marked(ada, visitor, demo, upload, good_file):
    response = ada.post(SUBMIT, make_form_facts(file=upload(good_file), designate="on"), follow=True)
    assert "Published on" in response.content.decode()
    assert "designated file 1" in visitor.get(BOARD).content.decode()


def test_wrong_facts_are_shown_beside_their_fields_together_with_the_files_problems(
    ada, demo, upload, malformed_file
):
    wrong = {"system": "", "code_url": "nowhere", "retrieval": "magic", "organisation": "Typed in"}
    response = ada.post(SUBMIT, make_form_facts(file=upload(malformed_file, "bad.json"), **wrong))
    form = response.context["form"]
    assert response.status_code == 422
    assert set(form.errors) == {"system", "code_url", "retrieval"}
    assert all(len(errors) == 1 for errors in form.errors.values())
    content = response.content.decode()
    assert 'aria-describedby="id_system_helptext id_system_error"' in content
    links = dict(re.findall(r'<li><a href="#(id_\w+)">([^<]+)</a>:', content))
    assert links == {"id_system": "Name of the system", "id_retrieval": "Retrieval", "id_code_url": "Code"}
    assert all(f'id="{target}"' in content for target in links)
    # What was typed is kept.
    assert 'value="Typed in"' in content
    assert 'value="multi-turn" selected' in content
    assert re.search(r"bad\.json has \d+ errors", content)
    assert "answer.not-a-string" in content
    assert not Submission.objects.exists()


def test_known_systems_are_offered_to_their_own_team_only(ada, grace, demo, upload, good_file):
    ada.post(SUBMIT, make_form_facts(file=upload(good_file)))
    system = System.objects.get()
    assert '<option value="Careful agent">' in after_the_file(ada, good_file)
    query = f"?system={system.pk}"
    assert 'value="Careful agent"' in after_the_file(ada, good_file, query)
    assert "Careful agent" not in after_the_file(grace, good_file, query)


def test_hostile_text_in_facts_and_file_names_breaks_no_page(ada, demo, upload, good_file):
    fields = make_form_facts(file=upload(good_file, "<b>\x00name.json"), system="<script>alert(1)</script>")
    content = ada.post(SUBMIT, fields, follow=True).content.decode()
    assert "&lt;script&gt;alert" in content
    assert "<script>alert" not in content
    assert "&lt;b&gt;" in content
    assert "<b>" not in content.split("<main")[1]
    response_to_nul = ada.post(SUBMIT, make_form_facts(file=upload(good_file), system="a\x00b"))
    assert response_to_nul.status_code == 422


def test_the_upload_pages_take_few_queries(ada, demo, team, django_assert_max_num_queries):
    ada.get(SUBMIT)
    # Two for the session, three for the leaderboard and those that are open, three for the teams and their
    # systems, three for what may be sent, two for the header.
    for address in (SUBMIT, "/submit/"):
        with django_assert_max_num_queries(16):
            ada.get(address)


class TestCredentialedData:
    @pytest.fixture
    def guarded(self, demo):
        Board.objects.filter(pk=demo.pk).update(data_class="credentialed")
        return demo

    def test_the_form_asks_for_the_acknowledgement_before_the_file(self, ada, guarded):
        content = ada.get(SUBMIT).content.decode()
        assert content.index('name="acknowledgement"') < content.index('type="file"')
        # Nothing is sent before the button is pressed.
        assert "data-send-when-chosen" not in content
        assert "This is not legal clearance." in content
        assert "https://physionet.org/news/post/llm-responsible-use" in content

    def test_without_it_the_file_is_refused_and_with_it_taken(self, ada, guarded, upload, good_file):
        facts = make_form_facts()
        refused = ada.post(SUBMIT, {**facts, "file": upload(good_file)})
        assert refused.status_code == 422
        assert "terms have to be acknowledged" in refused.content.decode()
        assert not Submission.objects.exists()
        terms = {"acknowledgement": VERSION}
        assert ada.post(SUBMIT, {**facts, **terms, "file": upload(good_file)}).status_code == 302
        assert Submission.objects.get().acknowledged == VERSION

    def test_its_files_are_not_checked_without_an_account(self, visitor, guarded, upload, good_file):
        response = visitor.post("/submit/", {"benchmark": guarded.slug, "file": upload(good_file)})
        assert response.status_code == 409
        assert "can be scored" not in response.content.decode()


FORM, APPROVAL = "/benchmarks/hidden/submit/", "/benchmarks/hidden/approval/"


def test_asking_shows_on_the_form_and_so_does_a_refusal(ada, visitor, user):
    def content() -> str:
        return ada.get(FORM, follow=True).content.decode()

    make_hidden(newcomer_limit=1)
    assert "/accounts/login/" in visitor.post(APPROVAL)["Location"]
    response = ada.post(APPROVAL, {"message": "<b>A lab</b>"})
    assert response["Location"] == FORM
    assert "the organisers have not decided yet" in content()
    assert "&lt;b&gt;A lab&lt;/b&gt;" in content()
    approvals.refuse(approval=TeamApproval.objects.get(), by=user, answer="One team per person.")
    assert "One team per person." in content()
    ada.post(APPROVAL, {"message": "again"})
    assert "The organisers decided not to approve your team." in content()


@pytest.fixture
def log(good_file):
    """Return a result file as a log whose last task states no cost."""
    facts = Facts(
        model="heron-2",
        harness="harbor",
        harness_version="0.26.0",
        cost_usd=0.04,
        started=1_790_000_000_000,
    )
    results = json.loads(good_file)["results"]
    return b"".join(
        encode_attempt(
            Attempt(
                task_id=result["task_id"],
                answer=result["answer"],
                states_answer=True,
                history=tuple(result["post_history"]),
                facts=facts if number else Facts(model="heron-2"),
            )
        )
        for number, result in enumerate(results)
    )


@pytest.mark.both_databases
def test_the_form_is_filled_in_where_all_tasks_state_a_fact(ada, demo, log, upload):
    page = text_of(ada.post("/submit/", {"file": upload(log, "log.jsonl")}, follow=True))
    assert "Filled in from the file: Model or models, Name of the harness, Date of the run." in page
    response = ada.get("/submit/")
    form = response.context["form"]
    assert not form.has_advanced
    assert (form["models"].value(), form["harness_name"].value()) == ("heron-2", "harbor 0.26.0")
    assert form["run_on"].value() == "2026-09-21"
    assert not form["cost_per_task"].value()
