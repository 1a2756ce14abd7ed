"""Large files are received at once and checked in the background."""

import pytest

from leaderboard.models import Status, Submission, System
from leaderboard.services import background
from leaderboard.services.files import store
from leaderboard.services.submissions import admit, grade
from tests.support.factories import send, with_wrong
from tests.support.processes import run_at_once


@pytest.fixture(autouse=True)
def _everything_is_large(settings, folder):
    settings.CHECK_AT_ONCE_BYTES = 100


@pytest.fixture
def handed_over(monkeypatch) -> list:
    """Return the list of submissions that are queued, on which nothing works."""
    messages: list = []
    monkeypatch.setattr(background, "enqueue", lambda pk, **_: messages.append(pk))
    return messages


def test_a_large_file_is_received_and_checked_later(demo, user, good_file, handed_over):
    result = send(user, demo, good_file)
    submission = result.submission
    assert (result.created, submission.status) == (True, Status.RECEIVED)
    again = send(user, demo, good_file)
    assert (again.created, again.submission.pk) == (False, submission.pk)
    assert handed_over == [submission.pk], "it is not checked twice"
    admit.check(submission_id=submission.pk)
    submission.refresh_from_db()
    assert (submission.status, submission.count) == (Status.QUEUED, 50)
    assert handed_over[1:] == [submission.pk]


@pytest.mark.parametrize(("is_valid", "organisation"), [(True, "New clinic"), (False, "Old clinic")])
def test_a_known_system_changes_once_the_large_file_is_accepted(
    demo, user, good_file, malformed_file, handed_over, is_valid, organisation
):
    first = send(user, demo, with_wrong(good_file, 1), organisation="Old clinic").submission
    admit.check(submission_id=first.pk)
    facts = {"system": "CAREFUL agent", "models": "model-z", "organisation": "New clinic"}
    submission = send(user, demo, good_file if is_valid else malformed_file, **facts).submission
    assert submission.system_id == first.system_id
    assert System.objects.get().organisation == "Old clinic"
    admit.check(submission_id=submission.pk)
    submission.refresh_from_db()
    assert submission.status == (Status.QUEUED if is_valid else Status.REJECTED)
    system = System.objects.get()
    assert (system.organisation, system.model_names == ["model-z"]) == (organisation, is_valid)
    assert (submission.stated_facts is None) == is_valid


@pytest.mark.parametrize("is_large", [True, False])
def test_a_failed_file_sent_again_is_scored_also_where_it_was_lost(
    demo, user, good_file, monkeypatch, settings, is_large
):
    settings.CHECK_AT_ONCE_BYTES = 100 if is_large else 10**9
    for raw, is_lost in ((good_file, False), (good_file + b" ", True)):
        with monkeypatch.context() as broken:
            broken.setattr(grade, "grade", lambda *_, **__: 1 / 0)
            failed = send(user, demo, raw).submission
        assert failed.status == Status.FAILED
        if is_lost:
            store.remove(failed.stored_as)
        again = send(user, demo, raw)
        assert (again.created, again.submission.pk) == (False, failed.pk)
        assert again.submission.status == Status.SCORED
        assert store.can_be_scored(again.submission.stored_as)


@pytest.mark.django_db(transaction=True)
def test_the_same_large_file_twice_at_once_is_one_submission_with_one_file(demo, user, good_file, folder):
    results = run_at_once(*[lambda: send(user, demo, good_file)] * 3)
    assert sorted(result.created for result in results) == [False, False, True]
    submission = Submission.objects.get()
    assert submission.status == Status.SCORED
    assert {store.file_id_of(path.name) for path in folder.iterdir()} == {submission.stored_as}
