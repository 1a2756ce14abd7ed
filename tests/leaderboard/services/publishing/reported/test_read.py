"""What an organiser states of a published result is checked, with every problem at once."""

import pytest

from leaderboard.services.publishing.reported.fields import FIELDS, as_text
from leaderboard.services.publishing.reported.read import ReportedInvalid, read_csv, read_result
from tests.support.reported import NOT_RANKED, TEXTS, as_csv, state
from wardboard.scoring.reading.codes import ReportedCode
from wardboard.scoring.verdicts import Rate, Share


def problems_of(board, **texts):
    with pytest.raises(ReportedInvalid) as caught:
        read_result({**TEXTS, **texts}, board=board, tasks=50)
    return [(problem.code, problem.pointer) for problem in caught.value.problems]


def csv_problems(board, content):
    with pytest.raises(ReportedInvalid) as caught:
        read_csv(content, board=board, tasks=50)
    return [(problem.code, problem.pointer, problem.line) for problem in caught.value.problems]


def test_a_count_gives_the_rate_and_the_other_metrics_are_as_printed(demo):
    row = read_result(TEXTS, board=demo, tasks=50).row
    assert row.overall == Rate(right=41, total=50)
    assert (row.metrics["success_rate"], row.metrics["query_success_rate"]) == (0.82, 0.88)
    assert row.metrics["action_success_rate"] is None


def test_a_score_without_a_count_is_taken_as_printed(demo):
    row = read_result({**TEXTS, "score": "81.97%", "correct": ""}, board=demo, tasks=50).row
    assert row.overall == Share(rate=0.8197, total=50)


def test_a_percentage_below_one_has_its_sign_also_when_it_is_corrected(demo, user):
    known = state(demo, user, score="0.8%", correct="")
    assert known.stated["score"] == 0.008
    assert as_text(next(each for each in FIELDS if each.key == "score"), known.stated) == "0.8%"
    same = read_result({"score": "0.8%"}, board=demo, tasks=50, result=known)
    assert same.row.overall.rate == 0.008


def test_every_problem_is_listed_with_its_place_and_its_fix(demo):
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
    with pytest.raises(ReportedInvalid) as caught:
        read_result({**TEXTS, **wrong}, board=demo, tasks=50)
    found = {problem.pointer: problem.code for problem in caught.value.problems}
    assert found == {
        "/colour": ReportedCode.COLUMN,
        "/system": ReportedCode.MISSING,
        **{f"/{key}": ReportedCode.VALUE for key in wrong if key not in ("colour", "system")},
    }
    assert all(problem.hint and problem.message for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        ({"score": "85"}, (ReportedCode.SCORE, "/correct")),
        ({"correct": "51"}, (ReportedCode.SCORE, "/correct")),
        ({"score": "", "correct": ""}, (ReportedCode.MISSING, "/score")),
        ({"tasks": "30", "correct": "", "score": "80"}, (ReportedCode.RANKED, "/tasks")),
        ({"grader": "ported"}, (ReportedCode.RANKED, "/grader")),
        ({"published_on": ""}, (ReportedCode.RANKED, "/published_on")),
        ({"published_on": "2999-01-01"}, (ReportedCode.VALUE, "/published_on")),
        ({"note": "a\u202eb"}, (ReportedCode.VALUE, "/note")),
        ({"correct": "٤١"}, (ReportedCode.VALUE, "/correct")),
        ({"score": "NaN", "correct": ""}, (ReportedCode.VALUE, "/score")),
        ({"score": "0.8", "correct": ""}, (ReportedCode.VALUE, "/score")),
        ({"runs": "0"}, (ReportedCode.VALUE, "/runs")),
        ({"tasks": "0"}, (ReportedCode.VALUE, "/tasks")),
        ({"source_url": "http://example.org/"}, (ReportedCode.VALUE, "/source_url")),
        ({"source_url": "https://a:b@example.org/"}, (ReportedCode.VALUE, "/source_url")),
    ],
)
def test_what_contradicts_itself_or_cannot_be_compared_is_refused(demo, texts, problem):
    assert problems_of(demo, **texts) == [problem]


def test_what_is_not_ranked_may_be_over_other_tasks_by_another_grader_and_without_a_day(demo):
    row = read_result({**NOT_RANKED, "published_on": "", "tasks": ""}, board=demo, tasks=50).row
    assert (row.not_ranked, row.published_on, row.overall.total) == ("30 other tasks.", None, 0)


def test_a_table_corrects_what_it_names_and_adds_the_rest(demo, user):
    known = state(demo, user)
    table = as_csv({**TEXTS, "note": "Two runs.", "runs": "2"}, {**TEXTS, "system": "GPT-9 mini"})
    added, new = read_csv(b"\xef\xbb\xbf" + table, board=demo, tasks=50)
    assert (added.result, added.row.runs, new.result) == (known, 2, None)


def test_a_column_that_is_left_out_keeps_its_value(demo, user):
    known = state(demo, user)
    [stated] = read_csv(f"id,note\n{known.pk},Another note.\n".encode(), board=demo, tasks=50)
    assert (stated.row.note, stated.row.overall) == ("Another note.", Rate(right=41, total=50))


def test_the_problems_of_a_table_name_their_lines(demo):
    rows = [
        {**TEXTS, "score": "85"},
        {**TEXTS, "system": "b", "grader": "?"},
        {**TEXTS, "system": "c"},
        {**TEXTS, "system": "C"},
    ]
    assert csv_problems(demo, as_csv(*({**row, "colour": "x"} for row in rows))) == [
        (ReportedCode.COLUMN, "/colour", 1),
        (ReportedCode.SCORE, "/0/correct", 2),
        (ReportedCode.VALUE, "/1/grader", 3),
        (ReportedCode.TWICE, "/3/system", 5),
    ]


@pytest.mark.parametrize(
    "table", ["system;source\na;b\n", "system\tsource\na\tb\n", "sep=;\nsystem;source\na;b\n"]
)
def test_a_table_without_commas_is_one_problem(demo, table):
    assert csv_problems(demo, table.encode()) == [(ReportedCode.TABLE, "", None)]


@pytest.mark.parametrize(
    "content", [b"", b"system\n", b"\xff\xfe\x00", b'a,"b\nc', b"system\n" + b"x\n" * 1001], ids=range(5)
)
def test_what_is_no_table_is_refused(demo, content):
    assert [code for code, _, _ in csv_problems(demo, content)] == [ReportedCode.TABLE]


def test_an_id_of_another_leaderboard_is_unknown(demo, fhir_demo, user):
    other = state(fhir_demo, user)
    content = f"id,system,source\n{other.pk},x,y\n".encode()
    assert (ReportedCode.UNKNOWN, "/0/id", 2) in csv_problems(demo, content)


def test_the_name_of_another_result_is_refused(demo, user):
    state(demo, user)
    other = state(demo, user, system="GPT-9 mini")
    with pytest.raises(ReportedInvalid) as caught:
        read_result({"system": "gpt-9, OWN script"}, board=demo, tasks=50, result=other)
    assert [problem.code for problem in caught.value.problems] == [ReportedCode.TWICE]
    assert problems_of(demo) == [(ReportedCode.TWICE, "/system")]
