"""Traces are stored with a file where the leaderboard keeps files as uploaded, and go with them."""

import json
from datetime import timedelta

import pytest

from leaderboard.models import DataClass, Submission
from leaderboard.services.data_class import VERSION
from leaderboard.services.files import orphans, store
from leaderboard.services.files.folder import Folder
from leaderboard.services.files.read import extract_records
from tests.support.factories import make_scored, send, send_runs, with_wrong
from wardboard.scoring.traces.trace_file import TraceFile

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("folder")]


def runs_of(submission: Submission) -> dict[str, list[int]]:
    with store.open_traces(submission.stored_as) as source:
        return TraceFile(source).runs


def test_each_task_with_a_history_has_a_trace_of_each_run(demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    with_history = [row["task_id"] for row in json.loads(good_file)["results"] if row["post_history"]]
    assert with_history
    assert [*runs_of(submission)] == with_history
    sizes = {entry.name: entry.size for entry in store.entries()}
    assert len(sizes) == 3
    assert submission.kept_bytes == sum(sizes.values())
    runs = send_runs(user, demo, [good_file, with_wrong(good_file, 1)]).submission
    assert {tuple(numbers) for numbers in runs_of(runs).values()} == {(1, 2)}


@pytest.mark.parametrize(
    "fields", [{"keep_originals": False}, {"keep_originals": True, "data_class": DataClass.CREDENTIALED}]
)
def test_a_board_that_keeps_no_files_keeps_no_traces(demo, user, good_file, fields):
    type(demo).objects.update(**fields)
    demo.refresh_from_db()
    submission = send(user, demo, good_file, acknowledgement=VERSION).submission
    assert submission.status == "scored"
    assert not store.has_traces(submission.stored_as)


def test_traces_go_to_quarantine_with_the_original_once_files_are_not_kept(
    demo, user, good_file, monkeypatch
):
    submission = make_scored(user, demo, good_file)
    type(demo).objects.update(keep_originals=False)
    monkeypatch.setattr(orphans, "ORPHANED_AFTER", timedelta(hours=-1))
    orphans.clear()
    assert [entry.name for entry in store.entries()] == [f"{submission.stored_as}.kept"]


def test_a_crash_between_records_and_traces_costs_the_traces_alone(demo, user, good_file, monkeypatch):
    submission = make_scored(user, demo, good_file)
    store.remove(submission.stored_as)
    file = store.store_file([good_file])
    Submission.objects.update(stored_as=file.id)
    replace = Folder.replace

    def crash_before_traces(folder, name, write):
        def write_and_crash(target):
            write(target)
            raise SystemExit

        replace(folder, name, write_and_crash if name.endswith(".traces") else write)

    monkeypatch.setattr(Folder, "replace", crash_before_traces)
    with pytest.raises(SystemExit):
        extract_records(board=demo, file_id=file.id, names=["a"])
    monkeypatch.undo()
    assert store.has_records(file.id)
    assert not store.has_traces(file.id)
