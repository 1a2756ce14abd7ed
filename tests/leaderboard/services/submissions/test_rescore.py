"""A leaderboard is scored against its present references by a worker."""

from leaderboard.models import Standing
from leaderboard.services import engine
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.submissions.rescore import rescore_board
from tests.support.factories import make_published, other_references, with_wrong


def test_the_task_of_the_worker_rescores_the_board_once(demo, user, good_file):
    make_published(user, demo, good_file)
    import_references(board=demo, references=other_references(), origin="corrected")
    assert rescore_board(board_id=demo.pk) == 1
    assert Standing.objects.get().right == 46
    assert rescore_board(board_id=demo.pk) == 0


def test_a_large_board_is_rescored_in_several_tasks(
    demo, user, good_file, settings, monkeypatch, django_capture_on_commit_callbacks
):
    make_published(user, demo, good_file)
    make_published(user, demo, with_wrong(good_file, 3), system="Other")
    import_references(board=demo, references=other_references(), origin="corrected")
    settings.WORKERS = True
    queued = []
    monkeypatch.setattr(engine, "defer_rescoring", queued.append)
    monkeypatch.setattr(engine, "defer_statistics", lambda _: None)
    clock = iter([0.0, 1.0, 1000.0])
    with monkeypatch.context() as slow, django_capture_on_commit_callbacks(execute=True):
        slow.setattr("leaderboard.services.submissions.rescore.monotonic", lambda: next(clock))
        assert rescore_board(board_id=demo.pk) == 1
    assert queued == [demo.pk]
    queued.clear()
    assert rescore_board(board_id=demo.pk) == 1
    assert queued == []
