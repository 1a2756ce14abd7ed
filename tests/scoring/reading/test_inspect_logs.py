"""Logs of inspect_ai as files of both benchmarks, honest and hostile."""

import io
import json
import stat
import zipfile
import zlib
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.scoring.inspect_logs import (
    ACCEPTED,
    ZSTANDARD,
    assistant,
    call,
    eval_log,
    header,
    json_log,
    members,
    reply,
    sample,
    user,
    zipped,
)
from wardboard.scoring import registry
from wardboard.scoring.medagentbench.reading.tasks import published_task_ids
from wardboard.scoring.reading.archives import archive_kind, is_eval_log
from wardboard.scoring.reading.inspect_logs import eval_file
from wardboard.scoring.reading.limits import MIB, Limits
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.runs import read_with_places

TASKS = published_task_ids("v1")
QUESTION = "a" * 24
FORMATS = [
    pytest.param(eval_log, id="zstandard"),
    pytest.param(partial(eval_log, method=zipfile.ZIP_DEFLATED), id="deflate"),
    pytest.param(json_log, id="json"),
]
URL = "http://localhost:8080/fhir/Observation"


def read(raw, benchmark="medagentbench", limits=None, task_ids=TASKS):
    benchmark = registry.get(benchmark)
    return read_with_places(
        benchmark, io.BytesIO(raw), limits=limits or benchmark.limits, task_ids=task_ids, version="v1"
    )


def problems(raw, *args, **options):
    with pytest.raises(SubmissionInvalid) as caught:
        read(raw, *args, **options)
    return [(problem.code, problem.pointer) for problem in caught.value.problems.listed]


def warnings(raw):
    listed = read(raw).warnings.listed
    return {(warning.code, warning.pointer) for warning in listed if warning.code != "tasks.missing"}


@pytest.mark.parametrize("write", FORMATS)
def test_a_log_in_any_format_gives_the_answers_within_finish_and_the_conversation(write):
    post = f'POST {URL}\n{{"a": 1}}'
    messages = [user("Do it."), assistant(post), user(ACCEPTED), assistant("FINISH([])")]
    reading = read(write(sample(), sample("task3_1", "```tool_code\nFINISH([])\n```", messages)))
    assert (reading.format, reading.count) == ("inspect-log", 2)
    first, second = reading.records
    assert (first.task_id, first.answer, first.finished) == ("task1_1", '["S1234567"]', 1795458199081)
    assert [item["role"] for item in first.post_history] == ["user", "agent"]
    assert (second.answer, second.post_history[1]) == ("[]", {"role": "agent", "content": post})
    assert [warning.code for warning in reading.warnings.listed] == ["tasks.missing"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("fhir_post", {"url": URL, "payload": {"a": 1}}),
        ("http", {"method": "post", "endpoint": URL, "body": '{"a": 1}'}),
    ],
)
def test_a_post_by_a_tool_is_written_as_the_harness_writes_one(tool, arguments):
    messages = [
        user("Do it."),
        assistant([{"type": "reasoning", "reasoning": "POST?"}], call(tool, **arguments)),
        reply(ACCEPTED),
        assistant("FINISH([])"),
    ]
    (record,) = read(eval_log(sample("task3_1", "FINISH([])", messages))).records
    assert [item["content"] for item in record.post_history] == [f'POST {URL}\n{{"a": 1}}', ACCEPTED]


def test_other_calls_of_tools_are_left_out_of_the_history():
    calls = [call("fhir_get", 1, url=f"{URL}?patient=S1"), call("calculator", 2, expression="1 + 1")]
    messages = [user("Do it."), assistant("", *calls), reply("{}", 1), reply("2", 2)]
    (record,) = read(eval_log(sample(messages=messages))).records
    assert record.post_history == []


def test_a_reply_that_proves_nothing_earns_a_warning_at_its_place():
    messages = [user("Do it."), assistant("", call("fhir_post", url=URL, payload={})), reply("Success")]
    raw = eval_log(sample("task3_1", "FINISH([])", messages))
    assert warnings(raw) == {("post.unclear-reply", "/samples/task3_1_epoch_1.json/messages/2/content")}


def test_a_reply_with_the_error_of_a_tool_is_a_refusal():
    error = {"type": "timeout", "message": "POST request accepted"}
    messages = [assistant("", call("fhir_post", url=URL, payload={})), reply("", error=error)]
    (record,) = read(eval_log(sample("task3_1", "FINISH([])", messages))).records
    assert "POST request accepted" not in record.post_history[1]["content"]


def test_a_call_that_could_not_be_parsed_was_not_sent():
    broken = {**call("fhir_post", url=URL, payload={}), "parse_error": "no JSON"}
    (record,) = read(eval_log(sample("task3_1", "FINISH([])", [assistant("", broken)]))).records
    assert record.post_history == []


def test_a_post_in_the_text_of_an_agent_with_tools_is_left_out_with_a_warning():
    calls = [call("fhir_get", number, url=URL) for number in (1, 2)]
    messages = [user(""), assistant("", *calls), reply("", 1), reply("", 2), assistant(f"POST {URL}\noops")]
    raw = json_log(sample("task3_1", "FINISH([])", messages))
    assert warnings(raw) == {("text.names-post", "/samples/0/messages/4/content")}


def test_a_remark_on_a_call_has_the_place_of_the_call():
    calls = [call("fhir_get", 1, url=URL), call("fhir_post", 2, url=URL, payload="oops")]
    messages = [user(""), assistant("", *calls), reply("", 1), reply(ACCEPTED, 2)]
    raw = json_log(sample("task3_1", "FINISH([])", messages))
    assert warnings(raw) == {("post.payload-not-json", "/samples/0/messages/1/tool_calls/1")}


def test_a_json_list_alone_is_an_answer_and_any_other_text_is_none():
    list_alone, prose = sample("task2_1", "[60]"), sample("task4_1", "It is 2.7, FINISH([2.7])")
    raw = eval_log(sample(), list_alone, prose)
    assert [record.answer for record in read(raw).records] == ['["S1234567"]', "[60]", None]
    assert warnings(raw) == {("log.answer-form", "/samples/task4_1_epoch_1.json/output/completion")}


def test_a_sample_that_ended_early_has_no_answer_and_says_why():
    ended = sample("task2_1", "", [], output={"choices": []}, error={"message": "timeout\nTraceback"})
    reading = read(eval_log(sample(), ended))
    assert reading.records[1].answer is None
    (warning,) = [each for each in reading.warnings.listed if each.code == "answer.null"]
    assert "ended with “timeout”" in warning.message


def test_a_text_in_an_attachment_is_read():
    attached = sample("task2_1", "attachment://ab", [], attachments={"ab": "FINISH([60])"})
    assert read(eval_log(attached)).records[0].answer == "[60]"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (
            eval_log(sample(), sample(epoch=2), sample("task2_1", "[60]", epoch=2)),
            [("log.several-runs", "/samples/task1_1_epoch_2.json")],
        ),
        (json_log(sample(), sample(epoch=2)), [("log.several-runs", "/samples/1")]),
        (eval_log(sample(), version=3), [("log.version-unknown", "/version")]),
        (json_log(sample(), version="2"), [("log.version-unknown", "/version")]),
        (eval_log(), [("log.no-attempts", "/samples")]),
        (json.dumps(header(sample())).encode(), [("log.no-attempts", "/samples")]),
        (json_log(sample(epoch=None)), [("log.damaged", "/samples/0")]),
        (eval_log(sample("task99_1")), [("task-id.unknown", "/samples/task99_1_epoch_1.json/id")]),
        (json_log(sample(), sample()), [("task-id.repeated", "/samples/1/id")]),
        (
            eval_log(sample(completion="Done.")),
            [("log.no-answers", "/samples/task1_1_epoch_1.json/output/completion")],
        ),
    ],
)
def test_each_problem_of_a_log_is_named_at_its_place(raw, expected):
    assert problems(raw) == expected


def test_many_samples_are_read_no_longer_than_a_file_may_take():
    limits = replace(registry.get("medagentbench").limits, seconds=0.1, problems=100_000)
    raw = json_log(*[{"id": "task1_1", "epoch": 1}] * 100_000)
    assert ("records.too-slow", "") in problems(raw, limits=limits)


def test_references_to_one_attachment_do_not_fill_the_memory():
    limits = replace(registry.get("medagentbench").limits, unpacked_bytes=MIB)
    parts = [{"type": "text", "text": "attachment://a"}] * 5
    choice = {"message": {"role": "assistant", "content": parts}}
    long = sample(attachments={"a": "y" * MIB}, output={"completion": "", "choices": [choice]})
    assert problems(eval_log(long), limits=limits)[0][0] == "file.too-large"
    # One text of all references is bounded where a log may be large.
    one = replace(limits, unpacked_bytes=64 * MIB, record_bytes=4 * MIB)
    assert problems(eval_log(long), limits=one)[0][0] == "file.too-large"


def test_a_log_that_was_not_finished_is_read_with_a_warning():
    files = [file for file in members(sample()) if file[0] not in ("header.json", "summaries.json")]
    assert warnings(zipped(files)) == {("log.not-finished", "/samples/task1_1_epoch_1.json")}
    assert warnings(json_log(sample(), status="cancelled")) == {("log.not-finished", "/samples/0")}


def test_a_sample_that_is_no_json_is_named_beside_the_others():
    files = [*members(sample()), ("samples/task2_1_epoch_1.json", b'{"id": oops}')]
    assert problems(zipped(files)) == [("json.syntax", "/samples/task2_1_epoch_1.json")]
    files[-1] = ("samples/task2_1_epoch_1.json", b"\xff")
    assert problems(zipped(files)) == [("log.damaged", "/samples/task2_1_epoch_1.json")]


def test_a_log_of_fhir_agentbench_gives_answers_resources_and_tokens():
    retrieved = {"agent_fhir_resources": {"Patient": ["p1"]}}
    failed = sample("b" * 24, "", [], store=retrieved, error={"message": "timeout"})
    for write in (eval_log, json_log):
        raw = write(sample(QUESTION, "Yes.", store=retrieved), failed)
        kept = io.BytesIO()
        benchmark = registry.get("fhir-agentbench")
        reading = benchmark.read(io.BytesIO(raw), limits=benchmark.limits, task_ids=(), version="", keep=kept)
        kept.seek(0)
        first, second = benchmark.records(kept)
        assert (reading.format, first.task_id, first.answer) == ("inspect-log", QUESTION, "Yes.")
        assert (first.resources, first.usage.prompt_tokens, first.failed) == ({"Patient": ["p1"]}, 7, False)
        assert second.failed


def test_resources_that_a_log_does_not_hold_are_unknown_and_the_answers_are_read():
    benchmark = registry.get("fhir-agentbench")
    log = io.BytesIO(eval_log(sample(QUESTION, "Yes.")))
    reading = benchmark.read(log, limits=benchmark.limits, task_ids=(), version="")
    [warning] = [each for each in reading.warnings.listed if each.code == "resources.unknown"]
    assert warning.pointer == f"/samples/{QUESTION}_epoch_1.json"
    retrieved = {"agent_fhir_resources": {}}
    assert problems(json_log(sample("q1", "Yes.", store=retrieved)), "fhir-agentbench", task_ids=()) == [
        ("field.type", "/samples/0/id")
    ]


def test_the_command_takes_a_log_for_one_of_the_benchmark_whose_ids_it_has():
    recognises = registry.get("fhir-agentbench").cli().recognises
    for write in (eval_log, json_log):
        assert recognises(io.BytesIO(write(sample(QUESTION))))
        assert not recognises(io.BytesIO(write(sample())))


def test_a_log_is_no_archive_of_runs_and_an_archive_of_runs_is_no_log():
    assert archive_kind(io.BytesIO(eval_log(sample()))) is None
    for files in ([("run.json", b"{}")], [("header.json", b"{}")], []):
        assert not is_eval_log(io.BytesIO(zipped(files, zipfile.ZIP_DEFLATED)))


def test_without_zstandard_a_log_is_refused_with_the_fix(monkeypatch):
    monkeypatch.setattr(eval_file, "zstd", None)
    with pytest.raises(SubmissionInvalid) as caught:
        read(eval_log(sample()))
    (problem,) = caught.value.problems.listed
    assert not caught.value.warnings.listed
    assert problem.code == "log.version-unknown"
    assert "pip install backports.zstd" in problem.hint
    assert "inspect log convert" in problem.hint
    assert read(eval_log(sample(), method=zipfile.ZIP_DEFLATED)).count == 1


# Hostile logs


def test_a_log_that_unpacks_to_too_much_is_refused():
    bomb = ("samples/bomb_epoch_1.json", b" " * (65 * MIB))
    for method in (ZSTANDARD, zipfile.ZIP_DEFLATED):
        assert problems(zipped([*members(sample()), bomb], method)) == [("file.too-large", "")]


def test_samples_that_together_unpack_to_too_much_are_refused():
    limits = replace(Limits(), log_bytes=10_000)
    files = [*members(sample()), *((f"samples/{n}_epoch_1.json", b" " * 4000) for n in range(3))]
    assert ("file.too-large", "") in problems(zipped(files), limits=limits)


def test_a_directory_that_would_fill_the_memory_is_refused():
    files = [*members(sample()), *((f"samples/{n}{'x' * 200}", b"") for n in range(20_000))]
    assert problems(zipped(files, zipfile.ZIP_STORED))[0][0] == "file.too-large"


def test_members_that_are_encrypted_links_twice_there_or_of_another_method_are_never_opened():
    files = members(sample(), sample("task2_1", "[60]"))
    place = "/samples/task1_1_epoch_1.json"
    raw = bytearray(zipped(files))
    raw[raw.index(b"PK\x01\x02", raw.index(b"PK\x01\x02") + 4) + 8] |= 1
    assert ("archive.member", place) in problems(bytes(raw))
    assert ("archive.member", place) in problems(zipped(files, zipfile.ZIP_LZMA))
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = zipped([*files, files[1]])
    assert problems(twice) == [("archive.member", place)]
    file = io.BytesIO(zipped(files[:1]))
    with zipfile.ZipFile(file, "a") as archive:
        link = zipfile.ZipInfo("samples/task1_1_epoch_1.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert problems(file.getvalue()) == [("archive.member", place)]


def test_a_name_that_leads_out_of_the_log_is_refused():
    files = [*members(sample()), ("samples/../../etc/passwd.json", b"{}")]
    assert problems(zipped(files)) == [("archive.member", "/samples/..~1..~1etc~1passwd.json")]


def test_a_log_that_was_cut_off_is_still_told_from_an_archive_of_files():
    raw = eval_log(sample())
    assert problems(raw[: len(raw) // 2]) == [("log.damaged", "")]
    assert problems(raw[:-20]) == [("log.damaged", "")]


def test_content_that_is_not_what_the_directory_says_is_damage():
    raw = bytearray(eval_log(sample()))
    crc = zlib.crc32(dict(members(sample()))["samples/task1_1_epoch_1.json"]).to_bytes(4, "little")
    raw[raw.rindex(crc)] ^= 1
    assert problems(bytes(raw)) == [("log.damaged", "")]


@settings(max_examples=examples(150), deadline=None)
@given(
    method=st.sampled_from([ZSTANDARD, zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED]),
    contents=st.lists(
        st.one_of(
            st.binary(max_size=60),
            st.recursive(
                st.one_of(st.none(), st.integers(), st.floats(), st.text(max_size=5)),
                lambda inner: (
                    st.lists(inner, max_size=3)
                    | st.dictionaries(
                        st.sampled_from(["id", "epoch", "messages", "role", "content", "tool_calls"]), inner
                    )
                ),
                max_leaves=8,
            ).map(lambda value: json.dumps(value).encode()),
        ),
        max_size=4,
    ),
    changes=st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=6),
    cut=st.integers(0, 4000),
)
def test_no_bytes_raise_anything_but_problems(method, contents, changes, cut):
    files = [*members(sample()), *((f"samples/{n}_epoch_1.json", each) for n, each in enumerate(contents))]
    raw = bytearray(zipped(files, method))
    for place, byte in changes:
        raw[place % len(raw)] = byte
    raw = bytes(raw[: len(raw) - cut]) if cut < len(raw) else bytes(raw)
    for benchmark in ("medagentbench", "fhir-agentbench"):
        try:
            read(raw, benchmark, limits=replace(Limits(), log_bytes=100_000), task_ids=TASKS)
        except SubmissionInvalid as invalid:
            assert invalid.problems.total  # noqa: PT017


def test_an_answer_in_a_log_gets_no_fix_since_the_agent_has_to_write_it():
    log = json_log(sample("task1_1", "FINISH(S1)"))
    (warning,) = [one for one in read(log).warnings.listed if one.code == "answer.not-json"]
    assert warning.fix is None
    assert "such as" in warning.hint
