"""A file comes first and waits for its sender, within bounds, and for nobody else."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import Board, Draft, Submission
from leaderboard.services.files import orphans, store
from leaderboard.services.submissions.sweep import sweep
from tests.support.factories import PASSWORD, make_demo, make_form_facts, with_answer, with_wrong
from tests.support.pages.desk import words
from tests.support.scoring.files import as_zip

pytestmark = pytest.mark.usefixtures("folder")
PAGE = "/submit/"


def page(client, address: str = PAGE) -> str:
    return words(client.get(address))


def send_and_sign_in(user, send, raw: bytes):
    """Send a file as a visitor, open the page as an account, and return the id of the draft."""
    client = Client()
    send(client, raw)
    client.force_login(user)
    page(client)
    return Draft.objects.latest("made_at").pk


def stored(folder) -> int:
    return len(list(folder.glob("*.original*"))) if folder.exists() else 0


def test_a_file_that_says_nothing_says_so_first_and_is_submitted_only_after_a_yes(
    client, user, demo, send, good_file
):
    client.force_login(user)
    content = send(client, with_answer(good_file, "—"))
    most = "33 of 50 tasks have no answer (blank, an error, a refusal, one text for most, or missing)"
    assert f"mine.json: {most} </h1>" in content
    assert '<details class="report warnings" open>' in content
    assert content.index(f"<strong>{most}.") < content.index("Warnings:")
    assert content.index("Warnings:") < content.index('name="allow_empty"')
    facts = {"benchmark": demo.slug, **make_form_facts()}
    refused = client.post(PAGE, facts)
    assert (refused.status_code, Submission.objects.count()) == (422, 0)
    assert 'aria-describedby="empty-error"' in refused.content.decode()
    client.post(PAGE, {**facts, "allow_empty": "on"})
    assert Submission.objects.get().no_answers == 33


def test_a_file_names_its_leaderboard_version_and_tasks_and_nothing_is_submitted(
    visitor, demo, fhir_demo, send, good_file
):
    content = send(visitor, good_file)
    assert "<h1> mine.json can be scored </h1>" in content
    assert "Create an account to submit it. We keep your file meanwhile." in content
    # A visitor is not asked for more.
    assert 'name="system"' not in content
    assert "<strong>MedAgentBench demo</strong>" in content
    assert "50 results for 50 tasks · read as a result file" in content
    assert "FHIR-AgentBench demo" not in content.split('id="report"')[1].split("</section>")[0]
    assert not Submission.objects.exists()


def test_a_file_with_errors_is_not_kept_and_lists_them_for_the_leaderboard_that_it_is_meant_for(
    visitor, demo, fhir_demo, send, malformed_file, folder
):
    content = send(visitor, malformed_file)
    assert "answer.not-a-string" in content
    assert "Read as a file for MedAgentBench demo" in content
    assert (Draft.objects.count(), stored(folder)) == (0, 0)


def test_a_file_for_several_leaderboards_asks_for_one_and_goes_where_it_is_told(
    ada, demo, send, good_file, folder
):
    make_demo("twin", title="The twin")
    content = send(ada, good_file)
    assert "Which leaderboard?" in content
    assert " checked" not in content.split('class="targets"')[1].split("</fieldset>")[0]
    refused = ada.post(PAGE, make_form_facts())
    assert refused.status_code == 422
    assert "Choose the leaderboard that the file is for." in refused.content.decode()
    assert ada.post(PAGE, make_form_facts(benchmark="twin")).status_code == 302
    assert Submission.objects.get().board.slug == "twin"
    # Its own copy of the file, and nothing else.
    assert stored(folder) == 1


def test_a_file_survives_signing_in_and_belongs_to_that_account_from_then_on(
    visitor, user, grace, demo, send, good_file
):
    send(visitor, good_file)
    facts = make_form_facts(system="Typed in", harness="own-tools", benchmark=demo.slug, then="login")
    response = visitor.post(PAGE, facts)
    assert response["Location"].startswith("/accounts/login/?next=%2Fsubmit%2F")
    form = {"login": user.email, "password": PASSWORD}
    # One is led to the file that waits.
    assert visitor.post("/accounts/login/", form)["Location"] == PAGE
    assert "mine.json can be scored" in page(visitor)
    other = Client()
    other.cookies["draft"] = visitor.cookies["draft"].value
    for client in (other, grace):
        client.cookies["draft"] = visitor.cookies["draft"].value
        assert "mine.json" not in page(client)
    assert visitor.post(PAGE, facts).status_code == 302
    assert Submission.objects.get().system.name == "Typed in"


def test_a_forged_cookie_finds_nothing(visitor, demo, send, good_file):
    send(visitor, good_file)
    forged = Client()
    forged.cookies["draft"] = str(Draft.objects.get().pk)
    assert "mine.json" in page(visitor)
    assert "mine.json" not in page(forged)


def test_refused_facts_and_a_spent_quota_keep_the_file(ada, demo, send, good_file, folder):
    Board.objects.filter(pk=demo.pk).update(daily_limit=0)
    content = send(ada, good_file)
    assert "files that you can send now: 0" in content
    for facts, status in ((make_form_facts(system=""), 422), (make_form_facts(system="Kept"), 429)):
        response = ada.post(PAGE, {**facts, "benchmark": demo.slug})
        assert response.status_code == status
        assert "mine.json can be scored" in response.content.decode()
        assert stored(folder) == 1
    Board.objects.filter(pk=demo.pk).update(daily_limit=None)
    assert ada.post(PAGE, {**make_form_facts(), "benchmark": demo.slug}).status_code == 302


def test_of_an_archive_with_several_systems_one_is_ticked_and_not_sent_again(
    visitor, demo, send, folder, good_file
):
    archive = as_zip({f"{name}.json": with_wrong(good_file, n) for n, name in enumerate(("gpt", "opus"))})
    content = send(visitor, archive)
    assert "Which system of mine.json?" in content
    assert content.count('type="checkbox" name="select"') == 2
    assert "can be scored" not in content
    for ticked, text in (
        ("opus.json", "mine.json (opus.json) can be scored"),
        (["gpt.json", "opus.json"], "100 results for 50 tasks"),
        ("!opus.json", "selection names what is taken"),
    ):
        send(visitor, archive)
        assert text in words(visitor.post(PAGE, {"select": ticked}, follow=True))
        assert stored(folder) == Draft.objects.count() == 1


def test_a_second_click_leads_to_the_same_submission(ada, demo, send, good_file):
    send(ada, good_file)
    form = {**make_form_facts(), "benchmark": demo.slug}
    first = ada.post(PAGE, form)
    assert ada.post(PAGE, form)["Location"] == first["Location"]
    assert Submission.objects.count() == 1
    assert "mine.json" not in page(ada)


def test_a_form_of_another_file_than_the_one_that_waits_neither_submits_nor_deletes_it(
    ada, demo, send, good_file
):
    send(ada, good_file)
    form = {**make_form_facts(), "benchmark": demo.slug, "draft": Draft.objects.get().pk}
    send(ada, with_wrong(good_file, 1))
    refused = ada.post(PAGE, form)
    text = "Another file was chosen meanwhile: mine.json. Check it, then submit."
    assert (refused.status_code, text in words(refused)) == (422, True)
    assert text in words(ada.post("/submit/discard/", form, follow=True))
    assert (Draft.objects.count(), Submission.objects.count()) == (1, 0)


class TestHostileText:
    """NUL characters, which PostgreSQL takes neither in a query nor in JSON."""

    def test_a_benchmark_that_is_no_slug_counts_as_none(self, visitor, ada, demo):
        for client in (visitor, ada):
            for asked in ("%00", "demo%00", "a%20b", "..%2F"):
                response = client.get(f"{PAGE}?benchmark={asked}")
                assert (response.status_code, response.context["aim"]) == (200, None)
            for asked in ("\0", "medagentbench-demo\0"):
                for form in ({"benchmark": asked}, make_form_facts(board=asked)):
                    response = client.post(f"{PAGE}?benchmark=%00", form)
                    assert response.status_code == 422
                    assert "Choose a file first." in response.content.decode()


class TestBounds:
    def test_what_waits_of_an_address_is_bounded_and_a_file_that_an_account_takes_over_counts_still(
        self, user, demo, send, good_file, settings
    ):
        settings.DRAFT_ADDRESS_FILES = 2
        assert "can be scored" in send(Client(), good_file)
        send_and_sign_in(user, send, good_file)
        # It is checked all the same.
        refused = send(Client(), good_file)
        assert "mine.json can be scored" in refused
        assert "Sign in, and drop the file again to keep it." in refused
        assert Draft.objects.count() == 2

    @pytest.mark.parametrize("limit", ["DRAFT_ADDRESS_BYTES", "DRAFT_VISITORS_BYTES"])
    def test_so_are_the_bytes_of_an_address_and_of_all_visitors(
        self, visitor, ada, demo, send, good_file, settings, limit, folder
    ):
        setattr(settings, limit, len(good_file) - 1)
        assert "Sign in, and drop the file again to keep it." in send(visitor, good_file)
        assert (Draft.objects.count(), stored(folder)) == (0, 0)
        assert "can be scored" in send(ada, good_file)

    def test_an_account_has_one_file_the_newest(self, user, demo, send, good_file, folder):
        newest = [send_and_sign_in(user, send, good_file) for _ in range(2)][-1]
        assert (Draft.objects.get().pk, stored(folder)) == (newest, 1)

    def test_a_file_that_was_submitted_counts_for_the_address_no_more(
        self, visitor, user, demo, send, good_file, settings
    ):
        settings.DRAFT_ADDRESS_FILES = 1
        send(visitor, good_file)
        visitor.force_login(user)
        assert visitor.post(PAGE, {**make_form_facts(), "benchmark": demo.slug}).status_code == 302
        assert Draft.objects.get().address_digest == ""
        assert "can be scored" in send(Client(), good_file)

    def test_a_browser_has_one_file_and_can_delete_it(self, visitor, demo, send, good_file, folder):
        send(visitor, good_file)
        send(visitor, with_wrong(good_file, 1))
        assert (Draft.objects.count(), stored(folder)) == (1, 1)
        content = visitor.post("/submit/discard/", follow=True).content.decode()
        assert "The file was deleted." in content
        assert (Draft.objects.count(), stored(folder)) == (0, 0)

    def test_the_sweep_of_files_leaves_one_that_waits_for_a_day_and_then_it_is_neither_shown_nor_kept(
        self, visitor, demo, send, good_file, folder, monkeypatch
    ):
        send(visitor, good_file)
        monkeypatch.setattr(orphans, "ORPHANED_AFTER", timedelta(seconds=-10))
        orphans.clear()
        assert store.can_be_scored(Draft.objects.get().stored_as)
        Draft.objects.update(made_at=timezone.now() - timedelta(hours=25))
        assert "mine.json" not in page(visitor)
        sweep()
        assert (Draft.objects.count(), stored(folder)) == (0, 0)

    def test_credentialed_data_never_waits(self, ada, demo, send, good_file, folder):
        Board.objects.filter(pk=demo.pk).update(data_class="credentialed")
        content = page(ada)
        assert "Credentialed data: submit on the page of the leaderboard" in content
        assert ada.post(PAGE, {"file": "x"}).status_code == 422
        send(ada, good_file)
        assert (Draft.objects.count(), stored(folder)) == (0, 0)
