"""What a log states of its runs fills in the form, and stands beside what its submitter states."""

import json

import pytest

from tests.support.pages.visible_text import text_of
from wardboard.scoring.reading.formats.attempts import Attempt, Facts, encode_attempt

pytestmark = pytest.mark.both_databases


@pytest.fixture
def log(good_file):
    """Return a result file as a log whose last task states no cost."""
    facts = Facts(
        model="heron-2",
        harness="harbor",
        harness_version="0.26.0",
        cost_usd=0.04,
        started=1_790_000_000_000,
    )
    results = json.loads(good_file)["results"]
    return b"".join(
        encode_attempt(
            Attempt(
                task_id=result["task_id"],
                answer=result["answer"],
                states_answer=True,
                history=tuple(result["post_history"]),
                facts=facts if number else Facts(model="heron-2"),
            )
        )
        for number, result in enumerate(results)
    )


def test_the_form_is_filled_in_where_all_tasks_state_a_fact(ada, demo, log, upload):
    page = text_of(ada.post("/submit/", {"file": upload(log, "log.jsonl")}, follow=True))
    assert "Filled in from the file: Model or models, Name of the harness, Date of the run." in page
    response = ada.get("/submit/")
    form = response.context["form"]
    assert not form.has_advanced
    assert (form["models"].value(), form["harness_name"].value()) == ("heron-2", "harbor 0.26.0")
    assert form["run_on"].value() == "2026-09-21"
    assert not form["cost_per_task"].value()
