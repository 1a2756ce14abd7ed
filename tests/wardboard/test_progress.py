"""Progress of an upload and of scoring, as a log shows it."""

from wardboard.client.upload import FilePart, UploadForm
from wardboard.commands.progress import ProgressLines, describe_status


def test_a_log_has_a_line_at_each_quarter_of_a_large_file(tmp_path, capsys):
    path = tmp_path / "run.json"
    path.write_bytes(b"x" * 8_000_000)
    progress = ProgressLines(is_shown=True)
    with path.open("rb") as file:
        form = UploadForm([], [FilePart(name="run.json", file=file)], progress.show_upload)
        assert sum(map(len, form)) == len(form)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"wardboard: sent {share}% of 8 MB" for share in (25, 50, 75, 100)]


def test_a_small_file_and_quiet_show_nothing(capsys):
    for progress in (ProgressLines(is_shown=True), ProgressLines(is_shown=False)):
        progress.show_upload(50_000, 100_000)
    ProgressLines(is_shown=False).show_upload(8_000_000, 8_000_000)
    ProgressLines(is_shown=False).show_status({"status": "queued"})
    assert capsys.readouterr().err == ""


def test_each_status_is_shown_once_the_first_with_the_id_of_the_submission(capsys):
    progress = ProgressLines(is_shown=True)
    for status in ("queued", "queued", "scoring", "scored"):
        progress.show_status({"id": "6f1f3c0a", "status": status})
    assert capsys.readouterr().err == "wardboard: 6f1f3c0a: queued\nwardboard: scoring\n"


def test_the_status_has_what_is_known_of_its_progress():
    counted = {"judged_share": None, "to_judge": 2931, "judged": 1200}
    for status, progress, waits_for, text in (
        ("scoring", {"judged_share": 0.3}, "", "scoring, 30% judged"),
        ("scoring", counted, "", "scoring, 1,200 of 2,931 answers judged"),
        ("incomplete", None, "budget-spent", "incomplete, waits: budget-spent"),
        ("queued", None, "", "queued"),
    ):
        document = {"status": status, "progress": progress, "waits_for": waits_for}
        assert describe_status(document) == text
