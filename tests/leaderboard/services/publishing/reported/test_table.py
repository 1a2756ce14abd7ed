"""What a table states of published results is checked, with every error at once; and those collected."""

import csv
import re

import pytest

from leaderboard.models import Board, Standing
from leaderboard.services.publishing.reported.results import changes_of, digest_of, put_table
from leaderboard.services.publishing.reported.table import TableInvalid, cells_of, read_table
from tests.support.reported import NOT_RANKED, TEXTS, as_csv, state
from tests.support.shared_data import PUBLISHED_ROWS, needs_shared
from wardboard.scoring.verdicts import Rate


def errors_of(board, content):
    with pytest.raises(TableInvalid) as caught:
        read_table(content, board=board)
    assert all(error.message for error in caught.value.errors)
    return [(error.line, error.column) for error in caught.value.errors]


def read_one(board, **texts):
    return read_table(as_csv({**TEXTS, **texts}), board=board)[0]


def test_a_count_gives_the_rate_and_the_other_metrics_are_as_printed(demo):
    row = read_one(demo)
    assert row.overall == Rate(right=41, total=50)
    assert (row.metrics["success_rate"], row.metrics["query_success_rate"]) == (0.82, 0.88)
    assert row.metrics["action_success_rate"] is None


def test_a_percentage_below_one_has_its_sign_also_in_the_download(demo, user):
    known = state(demo, user, score="0.8%", correct="")
    assert known.stated["score"] == 0.008
    assert cells_of(known)["score"] == "0.8%"


def test_every_error_is_listed_with_its_column(demo):
    wrong = {
        "system": "",
        "source_url": "javascript:alert(1)",
        "published_on": "4 May",
        "runs": "many",
        "score": "120",
        "grader": "mine",
        "open_weights": "perhaps",
        "note": "x" * 501,
        "colour": "red",
    }
    errors = errors_of(demo, as_csv({**TEXTS, **wrong}))
    assert errors[0] == (1, "colour")
    assert sorted(errors[1:]) == sorted((2, key) for key in wrong if key != "colour")


@pytest.mark.parametrize(
    ("texts", "column"),
    [
        ({"score": "85"}, "score"),
        ({"correct": "51"}, "score"),
        ({"score": "", "correct": ""}, "score"),
        ({"tasks": ""}, "tasks"),
        ({"tasks": "30", "correct": "", "score": "80"}, "tasks"),
        ({"grader": "ported"}, "grader"),
        ({"published_on": ""}, "published_on"),
        ({"published_on": "2999-01-01"}, "published_on"),
        ({"note": "a\u202eb"}, "note"),
        ({"score": "NaN", "correct": ""}, "score"),
        ({"score": "0.8", "correct": ""}, "score"),
        ({"runs": "0"}, "runs"),
        ({"tasks": "0"}, "tasks"),
        ({"source_url": "http://example.org/"}, "source_url"),
        ({"source_url": "https://a:b@example.org/"}, "source_url"),
    ],
)
def test_what_contradicts_itself_or_cannot_be_compared_is_refused(demo, texts, column):
    assert errors_of(demo, as_csv({**TEXTS, **texts})) == [(2, column)]


def test_what_is_not_ranked_may_be_over_other_tasks_by_another_grader_and_without_a_day(demo):
    row = read_one(demo, **{**NOT_RANKED, "published_on": "", "tasks": ""})
    assert (row.not_ranked, row.published_on, row.overall.total) == ("30 other tasks.", None, 0)


def test_the_errors_of_a_table_name_their_lines(demo):
    rows = [
        {**TEXTS, "score": "85"},
        {**TEXTS, "system": "b", "grader": "?"},
        {**TEXTS, "system": "c"},
        {**TEXTS, "system": "C"},
    ]
    assert errors_of(demo, as_csv(*rows)) == [(2, "score"), (3, "grader"), (5, "system")]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"system\n",
        b"\xff\xfe\x00",
        b'a,"b\nc',
        b"system,source\n" + b"x,y\n" * 1001,
        b"system;source\na;b\n",
        b"system\tsource\na\tb\n",
    ],
    ids=range(7),
)
def test_what_is_no_table_is_one_error(demo, content):
    assert errors_of(demo, content) == [(None, "")]


COMPARABLE = ("MedAgentBench, the 300 tasks (test_data_v2)", "300", "official", "high")
# No agents, and systems that saw the tasks or may have. Source: README.md of the collection.
OTHERS = re.compile("do-nothing|no tools|copilot|evolved|hand-written|Prism harness|Sara 1.5|fine-tun")
GRADERS = {"official grader (": "official", "own (": "ported", "not seen": "unknown"}
METRICS = {
    "medagentbench": {"query_success_rate": "query_percent", "action_success_rate": "action_percent"},
    "fhir-agentbench": {"precision": "precision", "recall": "recall"},
}


def stated(row: dict[str, str], benchmark: str) -> dict[str, str]:
    """Return a collected result as a row of the organiser's table."""
    address = re.search(r"https://\S+|arXiv:[\d.]+", row["source_url_or_id"])
    grader = next((key for start, key in GRADERS.items() if row["scored_by"].startswith(start)), "other")
    facts = (row["benchmark_and_task_set"], row["n_tasks"], grader, row["confidence"])
    day = row["date"] if row["date"].count("-") == 2 else ""
    is_ranked = facts == COMPARABLE and day and not OTHERS.search(row["system"])
    return {
        "system": f"{row['system']}, {row['models']}, {row['value_percent']}",
        "score": row["value_percent"] + "%",
        "tasks": re.sub(r"\D.*", "", row["n_tasks"]),
        "runs": re.sub(r"\D.*", "", row["n_runs"]),
        "published_on": day,
        "source": row["source_title"],
        "source_url": address[0].replace("arXiv:", "https://arxiv.org/abs/") if address else "",
        "harness": "official" if row["harness"].startswith("official") else "own-tools",
        "harness_name": row["harness"].removeprefix("own: ")[:80],
        "grader": grader,
        "saw_test": {"yes": "yes", "no": "no"}.get(row["trained_on_benchmark"], "unknown"),
        "not_ranked": "" if is_ranked else "It is not comparable, or its day is not known.",
        **{key: row[key] for key in ("organisation", "scored_by", "confidence", "note")},
        **{key: row[name] and f"{row[name]}%" for key, name in METRICS[benchmark].items()},
    }


@needs_shared
@pytest.mark.parametrize(
    ("benchmark", "version", "refused", "listed", "ranked"),
    [("medagentbench", "v2", 7, 74, 24), ("fhir-agentbench", "1", 1, 2, 0)],
)
def test_collected_results_are_previewed_and_loaded_in_full_and_each_refused_row_has_its_reason(
    db, user, benchmark, version, refused, listed, ranked
):
    board = Board.objects.create(slug="whole", benchmark=benchmark, version=version, title="T", question="?")
    with (PUBLISHED_ROWS / f"{benchmark.replace('-', '_')}.csv").open(newline="") as file:
        table = [stated(row, benchmark) for row in csv.DictReader(file)]
    with pytest.raises(TableInvalid) as invalid:
        read_table(as_csv(*table), board=board)
    reasons = {error.line: (error.column, error.message) for error in invalid.value.errors}
    # No address of the web is stated for the source.
    assert [*reasons.values()] == [("source_url", "This field is required.")] * refused
    taken = [row for line, row in enumerate(table, 2) if line not in reasons]
    rows = read_table(as_csv(*taken), board=board)
    previewed = changes_of(board=board, rows=rows)
    changed = put_table(board=board, rows=rows, previewed=digest_of(previewed), by=user)
    assert changed == len(previewed) == listed
    assert Standing.objects.filter(board=board).count() == ranked
