"""Of two files with equal shown figures, all that their sender may open is equal.

The files of a pair give the same texts, to other tasks. Each is sent to the same board, and taken back.
"""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.core.cache import caches
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, assume, example, given
from hypothesis import settings as of_hypothesis
from hypothesis import strategies as st

from leaderboard.api.serializers.submissions import show_submission
from leaderboard.models import UNLIMITED, Access, Board, Scope, Submission, User
from leaderboard.services.accounts import create_token
from leaderboard.services.notifications.send import notify
from tests.support import factories
from tests.support.pairs import NUMBERS, Tasks, with_fhir, with_medagentbench
from tests.support.walk import mask, paths, text_of

pytestmark = pytest.mark.django_db
# No file has a part in these: documents, forms of accounts and of the desk, and pictures, which take long.
_APART = re.compile(
    r"(api|web):(docs|organise|view|.*card|.*badge|terms|privacy|citation|tokens|revoke|emails-off|join-team"
    r"|me$|schema|problem|openapi|embed|status|names|emails|delete|publishers|device|team|choose|keys|.*about"
    r"|board-(tex|md|bib|eee|chart)|edit-system|log)|.*(callback|login|signature|index|robots|sitemap|favicon)"
)


def _everything(user: User, board: Board, files: list[bytes]) -> tuple[float, dict[str, str]]:
    """Send the runs of a file; return the shown score, and all that its sender gets, without names."""
    for cache in caches.all():
        cache.clear()
    with transaction.atomic():
        sent = factories.send_runs(user, board, files) if files[1:] else factories.send(user, board, files[0])
        # A score that comes late is emailed.
        late = {"received_at": sent.submission.received_at - timedelta(hours=1)}
        Submission.objects.filter(pk=sent.submission.pk).update(**late)
        submission = Submission.objects.with_result().get(pk=sent.submission.pk)
        shown = show_submission(submission, to_team=True)["result"]["score"]
        mail.outbox.clear()
        notify()
        answers = {"email": "\n".join(f"{each.subject}\n{each.body}" for each in mail.outbox)}
        assert "scored" in answers["email"]
        token = create_token(user=user, name="ci", days=1, scopes=tuple(Scope))[1]
        api, browser = Client(headers={"authorization": f"Bearer {token}"}), factories.client_of(user)
        for name, path in paths(board, [submission], "0"):
            if not _APART.match(name):
                answer = (api if name.startswith("api:") else browser).get(path)
                kept = [answer.status_code, *map(answer.headers.get, ("Retry-After", "Location"))]
                answers[f"{name} {len(answers)}"] = f"{kept}\n{text_of(answer)}"
        transaction.set_rollback(True)
    return shown, mask(answers)


def _pairs(tasks: list[int], most: int) -> st.SearchStrategy[list[list[Tasks]]]:
    """Return two files of one or two runs, as the tasks whose answers each run changes: as many in both."""

    def two(sizes: list[int]) -> st.SearchStrategy[list[list[Tasks]]]:
        runs = [st.frozensets(st.sampled_from(tasks), min_size=size, max_size=size) for size in sizes]
        file = st.tuples(*runs).map(list).filter(lambda file: len({*file}) == len(file))
        return st.lists(file, min_size=2, max_size=2, unique_by=str)

    return st.lists(st.integers(1, most), min_size=1, max_size=2).flatmap(two)


@pytest.mark.parametrize(
    ("make", "write", "tasks", "fields"),
    [
        (factories.make_demo, with_medagentbench, NUMBERS, {"feedback": "by-type"}),
        (factories.make_demo, with_medagentbench, NUMBERS, {"feedback": "by-check", "rounding": 10}),
        (factories.make_fhir_demo, with_fhir, [*range(60)], {"feedback": "overall", "most_open": 0.05}),
    ],
)
def test_two_files_with_equal_shown_figures_get_equal_answers_everywhere(
    user, settings, make, write, tasks, fields
):
    settings.NOTIFIES = True
    factories.verify(user)
    fields = {"is_demo": False, "access": Access.ANYONE, **UNLIMITED, "rounding": 1, **fields}
    board = make("hidden", **fields)
    factories.make_published(user, board, write(frozenset(tasks[:1])))

    # Against the entry, one loses five tasks and wins none, and the other loses six and wins one.
    @example([[frozenset(tasks[:6])], [frozenset(tasks[1:7])]])
    @given(_pairs(tasks, 9))
    @of_hypothesis(max_examples=2, deadline=None, derandomize=True, suppress_health_check=[*HealthCheck])
    def check(pair):
        shown, answers = zip(
            *(_everything(user, board, [write(run) for run in runs]) for runs in pair), strict=True
        )
        assume(shown[0] == shown[1])
        lines = [{(name, line) for name in each for line in each[name].split("\n")} for each in answers]
        assert lines[0] ^ lines[1] == set()

    check()
