"""A conversation with calls of tools is read as the POSTs in it, and what is ambiguous is reported."""

from tests.support.scoring.medagentbench_samples import lines, read, run, tool
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.reading.codes import DocumentCode

TASKS = ["task1_1", "task3_1"]
URL = "http://localhost:8080/fhir/Observation"
PROMPT = {"role": "user", "content": "Do it."}
FINISH = {"role": "agent", "content": "FINISH([])"}


def history_of(*items):
    return read_submission(lines(run(1, "[]", items)), task_ids=TASKS, version="v1").records[0].post_history


def codes_of(*items):
    problems, warnings = read(lines(run(0, history=items)))
    remarks = {(remark.code, remark.pointer) for remark in problems.listed + warnings.listed}
    return remarks - {(Code.TASKS_MISSING, ""), (Code.TASKS_BY_INDEX, "")}


def test_the_posts_of_tools_stay_in_order_and_all_else_is_left_out():
    get = tool("fhir_get", {"total": 1}, url=URL)
    first = tool("fhir_post", "POST request accepted", url=URL, body={"a": 1})
    second = tool("fhir_post", {"status": 400}, url=URL, body={"a": 2})
    assert history_of(PROMPT, *get, *first, *second, FINISH) == [
        {"role": "agent", "content": f'POST {URL}\n{{"a": 1}}'},
        {"role": "user", "content": "POST request accepted"},
        {"role": "agent", "content": f'POST {URL}\n{{"a": 2}}'},
        {"role": "user", "content": '{"status": 400}'},
    ]


def test_a_call_without_its_own_reply_has_none():
    post, place = tool("fhir_post", url=URL, body={"a": 1}), "/output/history/0/content"
    other = tool("fhir_get", {"status": 200}, url=URL)[1]
    for following in (FINISH, other):
        assert codes_of(*post, following) == {(Code.HISTORY_ENDS_WITH_POST, place)}
    accepted = tool("fhir_post", {"status": 201}, url=URL, body={"a": 1})
    assert codes_of(*post, *accepted) == {(Code.POST_UNCLEAR_REPLY, place)}


def test_a_remark_has_the_place_of_the_call_or_item():
    shell = tool("bash", "", command="curl -d @a.json http://localhost:8080/fhir/Observation")
    text = tool("fhir_post", "POST request accepted", url=URL, body="{'a': 1}")
    call = tool("fhir_get", {}, url=URL)
    for items, code, place in [
        (shell, Code.POST_PAYLOAD_UNKNOWN, "0/content"),
        ([PROMPT, *text], Code.PAYLOAD_NOT_JSON, "1/content"),
        ([*call, {"role": "tool", "content": ""}], Code.ROLE_UNKNOWN, "2/role"),
        ([{"role": "tool_call", "content": {}}], DocumentCode.FIELD_TYPE, "0/content"),
    ]:
        assert codes_of(*items) == {(code, f"/output/history/{place}")}


def test_a_call_that_may_have_been_a_post_is_stated_and_is_none():
    call = tool("chart", {"status": 201}, entry={"resourceType": "Observation"})
    assert history_of(*call) == []
    assert ("post.converted", "") in codes_of(*call)
