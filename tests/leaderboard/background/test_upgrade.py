"""An earlier release that still serves while a later one migrates refuses requests, and fails none."""

import io
import threading
from collections import Counter

import pytest
import requests
from django.core.management import call_command

from leaderboard.models import Submission
from leaderboard.services.accounts import create_token
from tests.support.processes import wait_for

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


def test_uploads_during_an_incompatible_migration_are_stored_or_refused(
    later_release, demo, user, good_file, serve
):
    _, token = create_token(user=user, name="ci", days=1)
    base = serve(WEB_WORKERS="1")
    answers = []
    is_over = threading.Event()

    def post():
        while not is_over.is_set():
            response = requests.post(
                f"{base}/api/v1/submissions/",
                headers={"Authorization": f"Bearer {token}"},
                data={"benchmark": demo.slug, "system": f"Agent {len(answers)}"},
                # Other bytes each time: what is known already is not stored again.
                files={"file": ("good.json", good_file + b" " * len(answers))},
                timeout=120,
            )
            answers.append(response.status_code)

    client = threading.Thread(target=post)
    client.start()
    try:
        wait_for(lambda: answers.count(201) >= 2)
        call_command("migrate", verbosity=0, stdout=io.StringIO())
        refused = answers.count(503)
        wait_for(lambda: answers.count(503) > refused + 2)
        # The earlier release is restored.
        call_command("migrate", "leaderboard", later_release, verbosity=0)
        stored = answers.count(201)
        wait_for(lambda: answers.count(201) > stored)
    finally:
        is_over.set()
        client.join()
    counts = Counter(answers)
    assert set(counts) == {201, 503}
    assert Submission.objects.count() == counts[201]
