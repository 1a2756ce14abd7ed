"""The rank and the row that an unpublished result would have, from no more than its team may see."""

from leaderboard.services import visibility
from leaderboard.web.submissions.page import preview_of
from tests.support import factories


def span_of(submission) -> tuple[int, int, int]:
    preview = preview_of(submission, visibility.visible_result(submission))
    return preview["best"], preview["worst"], preview["systems"]


def test_two_files_with_the_same_rounded_score_would_have_the_same_range(hidden, user, good_file):
    factories.publish_others(hidden, good_file, 0, 2, 3, 4, 5, 6, 12)
    files = [
        factories.make_scored(user, hidden, factories.with_wrong(good_file, n), system=f"{n}")
        for n in (3, 4, 5)
    ]
    shown: dict[float, set] = {}
    for submission in files:
        rounded = visibility.visible_result(submission).overall.rate
        shown.setdefault(rounded, set()).add(span_of(submission))
    # Six points a step on 50 tasks: at least two of the three scores are rounded alike.
    assert len(shown) < len(files)
    assert all(len(spans) == 1 for spans in shown.values())
    for submission in files:
        best, worst, _ = span_of(submission)
        assert best < worst
