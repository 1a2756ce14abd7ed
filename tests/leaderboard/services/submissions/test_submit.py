import hashlib
import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from leaderboard.models import AuditEvent, Board, IdempotencyKey, Status, Submission, System
from leaderboard.services.errors import BoardClosed, KeyReused, QuotaSpent, RequestInvalid
from leaderboard.services.files import read, store
from leaderboard.services.submissions import grade
from tests.support.factories import make_user, send, with_wrong
from wardboard.scoring.reading.problems import Problem, Remarks, SubmissionInvalid

pytestmark = pytest.mark.both_databases


def files_of(submission):
    return list(Path(settings.UPLOADS).glob(f"{submission.stored_as}.*"))


def test_a_good_file_is_scored_at_once_and_kept_with_its_provenance(demo, user, good_file):
    result = send(user, demo, good_file, filename="run 7.json")
    submission = result.submission
    assert (result.created, submission.status) == (True, Status.SCORED)
    assert (submission.evaluation.right, submission.evaluation.total) == (47, 50)
    assert submission.evaluation.revision == demo.active_revision
    assert submission.sha256 == hashlib.sha256(good_file).hexdigest()
    assert (submission.size_bytes, submission.filename) == (len(good_file), "run 7.json")
    with store.open_original(submission.stored_as) as file:
        assert file.read() == good_file


def test_a_file_with_problems_is_rejected_with_its_report_and_without_its_bytes(demo, user, malformed_file):
    submission = send(user, demo, malformed_file).submission
    assert submission.status == Status.REJECTED
    assert submission.problem_count >= len(submission.problems) > 0
    assert {"code", "pointer", "message", "hint", "line"} <= set(submission.problems[0])
    assert submission.problems[0]["where"].startswith("result 1, task1_1, line ")
    assert not files_of(submission)
    assert submission.evaluation is None


def test_the_same_bytes_give_the_same_submission(demo, user, good_file):
    first = send(user, demo, good_file)
    again = send(user, demo, good_file, system="Another name")
    assert (again.created, again.submission.pk) == (False, first.submission.pk)
    assert again.submission.system.name == "Careful agent"
    assert Submission.objects.count() == 1


def test_the_same_bytes_from_another_team_are_another_submission(demo, user, other_user, good_file):
    assert send(user, demo, good_file).submission.pk != send(other_user, demo, good_file).submission.pk


def test_a_rejected_file_sent_again_is_the_same_submission_while_the_reader_is_unchanged(
    demo, user, malformed_file
):
    first = send(user, demo, malformed_file).submission
    again = send(user, demo, malformed_file)
    assert (again.created, again.submission.pk) == (False, first.pk)


def test_a_rejected_file_that_a_changed_reader_accepts_is_received_again(demo, user, good_file, monkeypatch):
    real = read.read_with_places

    def too_strict(*args, **options):
        remarks = Remarks()
        remarks.add(Problem(code="too.strict", pointer="", message="no", hint="none"))
        raise SubmissionInvalid(remarks)

    monkeypatch.setattr(read, "read_with_places", too_strict)
    rejected = send(user, demo, good_file).submission
    monkeypatch.setattr(read, "read_with_places", real)
    result = send(user, demo, good_file)
    assert (result.created, result.submission.status) == (True, Status.SCORED)
    rejected.refresh_from_db()
    assert rejected.status == Status.REJECTED


@pytest.fixture
def reads(monkeypatch):
    """Return a list that gets an item for each file that is read."""
    files = []
    real = read.read_with_places

    def counted(benchmark, file, **options):
        files.append(file)
        return real(benchmark, file, **options)

    monkeypatch.setattr(read, "read_with_places", counted)
    return files


def test_a_rejected_file_is_read_once_and_once_more_each_time_it_is_sent(demo, user, malformed_file, reads):
    for times in (1, 2, 3):
        submission = send(user, demo, malformed_file).submission
        assert (submission.status, len(reads)) == (Status.REJECTED, times)
        assert submission.problems


def test_a_rejected_file_that_is_checked_in_the_background_is_read_once(
    demo, user, malformed_file, reads, settings
):
    settings.CHECK_AT_ONCE_BYTES = 10
    submission = send(user, demo, malformed_file).submission
    assert (submission.status, len(reads)) == (Status.REJECTED, 1)


def test_a_good_file_is_read_once(demo, user, good_file, reads):
    assert send(user, demo, good_file).submission.status == Status.SCORED
    assert len(reads) == 1


def test_a_file_with_invalid_facts_is_read_once(demo, user, malformed_file, reads):
    with pytest.raises(RequestInvalid) as refused:
        send(user, demo, malformed_file, system="")
    assert refused.value.file.total > 0
    assert len(reads) == 1


def test_the_report_of_a_rejected_file_follows_the_current_reader(demo, user, malformed_file):
    submission = send(user, demo, malformed_file).submission
    problems = submission.problems
    Submission.objects.filter(pk=submission.pk).update(problems=[], problem_count=1)
    assert send(user, demo, malformed_file).submission.problems == problems


def test_a_board_without_a_ground_truth_takes_no_file(user, good_file):
    board = Board.objects.create(slug="closed", benchmark="medagentbench", version="v2", title="Closed")
    with pytest.raises(BoardClosed):
        send(user, board, good_file)
    assert not Submission.objects.exists()


class TestQuota:
    @pytest.fixture
    def limited(self, demo):
        demo.daily_limit = 2
        demo.save()
        return demo

    def test_the_file_after_the_last_allowed_is_refused_with_the_time_to_wait(self, limited, user, good_file):
        for wrong in (1, 2):
            send(user, limited, with_wrong(good_file, wrong))
        with pytest.raises(QuotaSpent) as refused:
            send(user, limited, with_wrong(good_file, 3))
        assert 24 * 3600 - 60 < refused.value.retry_after <= 24 * 3600
        assert Submission.objects.count() == 2

    def test_the_same_file_again_costs_nothing(self, limited, user, good_file):
        for wrong in (1, 2):
            send(user, limited, with_wrong(good_file, wrong))
        assert send(user, limited, with_wrong(good_file, 1)).created is False

    def test_rejected_and_failed_files_cost_nothing(
        self, limited, user, good_file, malformed_file, monkeypatch
    ):
        send(user, limited, malformed_file)
        with monkeypatch.context() as broken:
            broken.setattr(grade, "grade", lambda *_, **__: 1 / 0)
            assert send(user, limited, with_wrong(good_file, 5)).submission.status == Status.FAILED
        for wrong in (1, 2):
            assert send(user, limited, with_wrong(good_file, wrong)).submission.status == Status.SCORED

    def test_the_quota_is_free_again_after_a_day(self, limited, user, good_file):
        for wrong in (1, 2):
            send(user, limited, with_wrong(good_file, wrong))
        Submission.objects.update(received_at=timezone.now() - timedelta(hours=24, seconds=1))
        assert send(user, limited, with_wrong(good_file, 3)).created

    def test_each_team_has_its_own_quota(self, limited, user, other_user, good_file):
        for wrong in (1, 2):
            send(user, limited, with_wrong(good_file, wrong))
        assert send(other_user, limited, with_wrong(good_file, 3)).created

    def test_a_limit_of_0_refuses_every_file(self, demo, user, good_file):
        demo.daily_limit = 0
        demo.save()
        with pytest.raises(QuotaSpent):
            send(user, demo, good_file)


class TestFactsAndFileTogether:
    def test_the_report_on_wrong_facts_alone_says_that_the_file_is_valid(self, demo, user, good_file):
        with pytest.raises(RequestInvalid) as refused:
            send(user, demo, good_file, system="", interaction="telepathy")
        assert {problem.pointer for problem in refused.value.facts} == {"/system", "/interaction"}
        assert refused.value.file is None
        assert not Submission.objects.exists()

    def test_wrong_facts_and_an_invalid_file_are_reported_together(self, demo, user, malformed_file):
        with pytest.raises(RequestInvalid) as refused:
            send(user, demo, malformed_file, system="")
        assert refused.value.facts
        assert refused.value.file.total > 1
        assert not Submission.objects.exists()


class TestIdempotencyKeys:
    def test_the_same_request_gives_the_same_submission(self, demo, user, good_file):
        first = send(user, demo, good_file, key="k1")
        again = send(user, demo, good_file, key="k1")
        assert first.submission.pk == again.submission.pk
        assert (first.created, again.created) == (True, True)

    @pytest.mark.parametrize(("wrong", "facts"), [(1, {}), (0, {"organisation": "Elsewhere"})])
    def test_a_key_with_another_request_is_refused_and_stores_nothing(
        self, demo, user, good_file, wrong, facts
    ):
        send(user, demo, with_wrong(good_file, 0), key="k1")
        with pytest.raises(KeyReused):
            send(user, demo, with_wrong(good_file, wrong), key="k1", **facts)
        assert Submission.objects.count() == 1

    def test_each_user_has_their_own_idempotency_keys(self, demo, user, other_user, good_file):
        send(user, demo, good_file, key="k1")
        assert send(other_user, demo, with_wrong(good_file, 1), key="k1").created
        assert IdempotencyKey.objects.count() == 2


class TestTheSystem:
    def test_facts_stated_later_change_the_system_with_an_audit_event(self, demo, user, good_file):
        send(user, demo, good_file)
        send(user, demo, with_wrong(good_file, 1), system="CAREFUL AGENT", reasoning="language")
        system = System.objects.get()
        assert (system.name, system.reasoning) == ("CAREFUL AGENT", "language")
        event = AuditEvent.objects.get(action=AuditEvent.Action.SYSTEM_CHANGED)
        assert (event.actor, sorted(event.data["fields"])) == (user, ["name", "reasoning"])

    def test_facts_not_stated_are_kept_and_empty_ones_are_cleared(self, demo, user, good_file):
        send(user, demo, good_file)
        send(user, demo, with_wrong(good_file, 1), organisation="", models=None, open_weights=None)
        system = System.objects.get()
        assert (system.organisation, system.open_weights) == ("", True)
        assert system.model_names == ["model-a", "model-b"]

    def test_teams_may_use_the_same_name(self, demo, user, good_file):
        send(user, demo, good_file)
        send(make_user("third@example.org"), demo, good_file)
        assert System.objects.filter(name="Careful agent").count() == 2


def test_a_file_name_is_kept_as_far_as_it_can_be_printed(demo, user, good_file):
    name = "run\x00\ud800\n.json" + "x" * 300
    submission = send(user, demo, good_file, filename=name).submission
    assert submission.filename == ("run.json" + "x" * 300)[:255]


def test_the_bytes_are_kept_compressed(demo, user, good_file):
    submission = send(user, demo, good_file).submission
    (original,) = [path for path in files_of(submission) if ".original" in path.name]
    assert original.stat().st_size < len(good_file) / 2


def test_a_board_may_keep_only_what_scoring_needs(demo, user, good_file):
    Board.objects.update(keep_originals=False)
    submission = send(user, Board.objects.get(), good_file).submission
    assert submission.status == Status.SCORED
    assert [path.suffix for path in files_of(submission)] == [".kept"]


def test_a_submission_keeps_how_many_errors_there_are_of_each_code(demo, user):
    results = [{"task_id": f"x{n}", "answer": n, "post_history": []} for n in range(150)]
    raw = json.dumps({"version": "demo", "results": [*results, {"task_id": "task1_1"}]}).encode()
    submission = send(user, demo, raw).submission
    assert submission.problems_by_code == {
        "answer.not-a-string": 150,
        "task-id.unknown": 150,
        "field.missing": 1,
    }
    assert (submission.problem_count, len(submission.problems)) == (301, 200)
    assert "field.missing" in {problem["code"] for problem in submission.problems}
