"""Answers are compressed, but none that has a secret beside a stranger's text."""

import gzip

import pytest

from leaderboard.models import Submission
from tests.support.addresses import BOARD
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_published, make_user
from wardboard.scoring.medagentbench.demo import GOOD

GZIP = {"Accept-Encoding": "gzip, br"}
TABLE = "/api/v1/benchmarks/medagentbench-demo/leaderboard/"


@shared_rows
def key() -> int:
    return make_published(make_user(), make_demo(), GOOD.read_bytes(), system="First").pk


@pytest.fixture
def published(key, db) -> Submission:
    return Submission.objects.get(pk=key)


def test_what_is_the_same_for_everyone_is_compressed_and_revalidated(visitor, published):
    # A cookie of a visitor, such as one with a CSRF token, changes nothing.
    visitor.cookies["csrftoken"] = "x" * 32
    for path in (BOARD, TABLE, f"{BOARD}board.csv"):
        plain, *packed = (visitor.get(path, headers=headers) for headers in ({}, GZIP, GZIP))
        assert "Content-Encoding" not in plain.headers
        body = plain.getvalue()
        for one in packed:
            assert (one["Content-Encoding"], one["ETag"], one["Vary"]) == (
                "gzip",
                plain["ETag"],
                plain["Vary"],
            )
            sent = one.getvalue()
            assert gzip.decompress(sent) == body, path
            assert len(sent) < len(body), path
        assert "Accept-Encoding" in plain["Vary"]
        again = visitor.get(path, headers={**GZIP, "If-None-Match": plain["ETag"]})
        assert (again.status_code, again.getvalue(), again["Vary"]) == (304, b"", plain["Vary"])


def test_what_may_have_a_secret_beside_a_strangers_text_is_not(ada, visitor, published):
    page = f"/submissions/{published.pk}/"
    for path in (f"{BOARD}?q=csrfmiddlewaretoken", page, "/account/tokens/", "/submissions/"):
        answer = ada.get(path, headers=GZIP)
        assert (answer.status_code, "Content-Encoding" in answer.headers) == (200, False), path
    # The first two set a cookie with the CSRF token of their forms.
    for path in ("/accounts/login/?next=/csrfmiddlewaretoken", f"{BOARD}submit/", "/review/none/"):
        assert "Content-Encoding" not in visitor.get(path, headers=GZIP).headers, path
