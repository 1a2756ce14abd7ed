"""Links by which reviewers see a result without names."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import AuditEvent, ReviewLink
from leaderboard.services.accounts import clear_expired, find_team
from leaderboard.services.delete_account import delete_account
from leaderboard.services.publishing.disqualify import disqualify, reinstate
from leaderboard.services.publishing.publish import publish, withdraw
from tests.support import factories

pytestmark = [pytest.mark.django_db]

SYSTEM, TEAM, MODEL, HOSPITAL = "Zyzzyva agent", "Quux Lab", "model-okapi", "Hospital of Xanadu"
FILE, RETRIES, VENUE = "quagga-results.json", "task1_1 again, for kudu", "Conference of Numbats"
RUN, NOTE, COMMIT = "https://ci.example.org/okapi/1", "Prompt of the tapirs", "feedc0de"


@pytest.fixture
def owner(user):
    user.first_name, user.email = "Zacharias Quux", "zq@lab.example.org"
    user.save()
    return user


@pytest.fixture
def signed_in(owner) -> Client:
    return factories.client_of(owner)


def score(user, board, raw, **facts):
    """Score a file of a team and system whose names nothing else has."""
    team = factories.personal_team(user)
    team.name = TEAM
    team.save()
    stated = {"system": SYSTEM, "models": MODEL, "organisation": HOSPITAL, "retries": RETRIES, **facts}
    stated |= {"run_url": RUN, "note": NOTE, "commit": COMMIT}
    return factories.send(user, board, raw, filename=FILE, **stated).submission


def make_link(client, submission, **fields) -> str:
    """Create a link with the form on the page of the submission; return its path."""
    address = reverse("web:create-review-link", args=[submission.pk])
    page = client.post(address, {"name": VENUE, "days": "180", **fields})
    assert page.status_code == 200
    [path] = re.findall(r"http://testserver(/review/[\w.-]+/)<", page.text)
    return path


def main_of(text: str) -> str:
    return " ".join(text.partition("<main")[2].partition("</main>")[0].split())


def names_of(submission) -> list[str]:
    """Return everything that tells whose submission it is, and when it came."""
    owner, evaluation = submission.submitted_by, submission.evaluation
    moments = (submission.received_at, submission.scored_at, submission.published_at)
    return [
        *(SYSTEM, TEAM, MODEL, HOSPITAL, FILE, RETRIES, VENUE, RUN, NOTE, COMMIT),
        *(owner.email, owner.first_name),
        *(str(submission.pk), submission.sha256, str(submission.stored_as), submission.pk.hex),
        *(f"/systems/{submission.system_id}/", f"evaluation-{evaluation.pk}"),
        *(f"{moment:{form}}" for moment in moments if moment for form in ("%H:%M", "%Y-%m-%dT", "%s")),
    ]


@pytest.mark.parametrize("is_published", [False, True])
def test_neither_page_nor_headers_name_the_submission_or_say_when_it_came(
    hidden, owner, signed_in, admin_client, good_file, is_published
):
    factories.publish_others(hidden, good_file, 0, 2)
    submission = score(owner, hidden, factories.with_wrong(good_file, 1))
    path = make_link(signed_in, submission)
    # The walk would find each name of the page of the submission.
    own = signed_in.get(f"/submissions/{submission.pk}/").text
    missing = [name for name in names_of(submission) if name not in own]
    assert {SYSTEM, FILE, VENUE, str(submission.pk), submission.sha256, MODEL}.isdisjoint(missing)
    assert f"{submission.received_at:%H:%M}" in own
    if is_published:
        submission = publish(submission_id=submission.pk, team=submission.team, by=owner)
    for client in (Client(), signed_in, admin_client):
        for address in (path, f"/zh-hant{path}"):
            answer = client.get(address)
            assert answer.status_code == 200
            # Its own address alone may stay: to the other language, and in links to the page itself.
            everything = answer.text + repr(sorted(answer.headers.items())) + repr(answer.cookies)
            assert [name for name in names_of(submission) if name in everything] == []
            assert re.findall(r"\d\d:\d\d", everything) == []
            assert main_of(answer.text) == main_of(Client().get(address).text)
            # Nobody sees an account in the header either.
            assert answer.text == Client().get(address).text


def test_headers_keep_the_page_out_of_caches_indexes_and_referrers(hidden, owner, signed_in, good_file):
    submission = score(owner, hidden, good_file)
    path = make_link(signed_in, submission)
    for address, status in ((path, 200), ("/review/unknown/", 404)):
        answer = Client().get(address)
        assert answer.status_code == status
        assert answer.headers["Cache-Control"] == "private, no-store"
        assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert '<meta name="robots" content="noindex, nofollow">' in answer.text
        assert {"ETag", "Last-Modified", "Set-Cookie", "Link"}.isdisjoint(answer.headers)
    assert "review" not in Client().get("/sitemap.xml").text
    # A crawler that may not read the page would not see that it must not be indexed.
    assert "/review/" not in Client().get("/robots.txt").text
    assert Client().post(path).status_code == 405


def test_a_reviewer_sees_no_more_than_the_team_and_how_it_was_scored(hidden, owner, signed_in, good_file):
    factories.publish_others(hidden, good_file, 0, 2)
    submission = score(owner, hidden, factories.with_wrong(good_file, 1))
    page = main_of(Client().get(make_link(signed_in, submission)).text)
    own = main_of(signed_in.get(f"/submissions/{submission.pk}/").text)
    [figure] = set(re.findall(r"about \d+%", own))
    assert figure in page
    assert "Rounded to 6 percentage points" in page
    # Neither the counts nor the interval, which would reveal the exact score.
    assert "95% interval" not in page
    assert "of 50 tasks" not in page
    assert "Added to the 2 ranked systems, it would rank 2 to 3" in page
    assert "Would rank 2 to 3 of 3 by score" in own
    assert submission.evaluation.revision.commitment in page
    assert submission.evaluation.revision.digest not in page
    assert f"version {submission.evaluation.scorer_version}" in page


def test_the_comparison_does_not_tell_whether_the_system_has_a_row_already(
    hidden, owner, signed_in, good_file
):
    factories.publish_others(hidden, good_file, 0, 8)
    first = score(owner, hidden, factories.with_wrong(good_file, 2))
    publish(submission_id=first.pk, team=first.team, by=owner)
    raw = factories.with_wrong(good_file, 4)
    second = score(owner, hidden, raw)
    stranger = factories.make_scored(factories.make_user("grace@example.org"), hidden, raw, system="New")
    pages = [Client().get(make_link(signed_in, second)).text]
    pages.append(Client().get(f"/review/{factories.make_review_link(stranger)}/").text)
    found = [re.search(r'<h2 id="rank">(.*?)</h2>', main_of(page))[1] for page in pages]
    assert found[0] == found[1]
    assert "Added to the 3 ranked systems" in found[0]


def test_links_that_show_nothing_have_one_page(hidden, owner, signed_in, good_file):
    submission = score(owner, hidden, good_file)
    revoked, expired, live = (make_link(signed_in, submission) for _ in range(3))
    links = list(ReviewLink.objects.order_by("created_at"))
    signed_in.post(reverse("web:revoke-review-link", args=[submission.pk]), {"link": links[0].pk})
    ReviewLink.objects.filter(pk=links[1].pk).update(expires_at=timezone.now() - timedelta(seconds=1))

    def gone(*paths: str) -> set[str]:
        answers = {path: Client().get(path) for path in paths}
        assert {answer.status_code for answer in answers.values()} == {404}
        # A page links to itself in the other language.
        return {answer.text.replace(path, "/") for path, answer in answers.items()}

    pages = gone(revoked, expired, "/review/x/", f"/review/{'x' * 43}/")
    assert len(pages) == 1
    gone("/review/%00/", "/review/é/", f"/review/{'x' * 5000}/")
    assert Client().get(live).status_code == 200
    publish(submission_id=submission.pk, team=submission.team, by=owner)
    withdraw(submission_id=submission.pk, team=submission.team, by=owner, reason="a wrong prompt")
    assert gone(live) == pages
    publish(submission_id=submission.pk, team=submission.team, by=owner)
    assert Client().get(live).status_code == 200
    organiser = factories.make_user("olga@example.org")
    disqualify(submission_id=submission.pk, by=organiser, reason="trained on the tasks")
    assert gone(live) == pages
    reinstate(submission_id=submission.pk, by=organiser)
    assert Client().get(live).status_code == 200


def test_only_the_team_makes_sees_and_revokes_links(hidden, owner, signed_in, admin_client, grace, good_file):
    submission = score(owner, hidden, good_file)
    make_link(signed_in, submission)
    [link] = ReviewLink.objects.all()
    for client in (grace, admin_client, Client()):
        assert VENUE not in client.get(f"/submissions/{submission.pk}/", follow=True).text
    assert list(ReviewLink.objects.all()) == [link]
    # Nor does someone revoke a link to a submission of another team through one of their own.
    other = score(factories.get_user("grace@example.org"), hidden, factories.with_wrong(good_file, 1))
    grace.post(reverse("web:revoke-review-link", args=[other.pk]), {"link": link.pk})
    assert list(ReviewLink.objects.all()) == [link]


def test_the_address_is_shown_once_and_cannot_be_made_without_the_key(hidden, owner, signed_in, good_file):
    submission = score(owner, hidden, good_file)
    path = make_link(signed_in, submission)
    token = path.split("/")[2]
    key, signature = token.split(".")
    # 43 characters of base64 are 256 bits.
    assert len(signature) == 43
    for forged in (key, f"{key}.", f"{key}.{signature[::-1]}", f"{key[::-1]}.{signature}"):
        assert Client().get(f"/review/{forged}/").status_code == 404
    assert token not in signed_in.get(f"/submissions/{submission.pk}/").text
    [link] = ReviewLink.objects.values()
    assert token not in repr(link)
    assert all(token not in repr(event.data) for event in AuditEvent.objects.all())
    assert abs(link["expires_at"] - timezone.now() - timedelta(days=180)) < timedelta(minutes=5)
    assert make_link(signed_in, submission) != path


def test_a_link_is_made_only_for_a_scored_result_that_was_never_published(
    hidden, owner, signed_in, good_file
):
    rejected = factories.send(owner, hidden, b'{"results": []}').submission
    published = factories.make_published(owner, hidden, good_file)
    for submission in (rejected, published):
        address = reverse("web:create-review-link", args=[submission.pk])
        answer = signed_in.post(address, {"days": "30"}, follow=True)
        assert "Only a scored result that was never published" in answer.text
    assert not ReviewLink.objects.exists()


def test_links_go_with_the_account_and_with_their_time(hidden, owner, signed_in, good_file):
    kept = factories.make_published(owner, hidden, good_file)
    unpublished = score(owner, hidden, factories.with_wrong(good_file, 1))
    past = timezone.now() - timedelta(seconds=1)
    tokens = [factories.make_review_link(one) for one in (kept, unpublished)]
    factories.make_review_link(kept, expires_at=past)
    clear_expired()
    assert ReviewLink.objects.count() == len(tokens)
    assert find_team(owner) == kept.team
    delete_account(owner)
    assert not ReviewLink.objects.exists()
    assert {Client().get(f"/review/{token}/").status_code for token in tokens} == {404}
