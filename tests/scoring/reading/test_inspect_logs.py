"""Logs of inspect_ai as files of both benchmarks, honest and hostile."""

import gzip
import io
import json
import zipfile
import zlib
from dataclasses import replace
from functools import partial

import pytest

from tests.support.scoring.files import kept_records, refused, runs_of_log
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
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt, attempts_of_lines
from wardboard.scoring.reading.limits import MIB, Limits
from wardboard.scoring.runs import read_with_places

TASKS = published_task_ids("v1")
FHIR_AGENTBENCH, QUESTION = registry.get("fhir-agentbench"), "a" * 24
FORMATS = (eval_log, partial(eval_log, method=zipfile.ZIP_DEFLATED), json_log)
PLACE = "/samples/task1_1_epoch_1.json"
URL = "http://localhost:8080/fhir/Observation"


def read(raw, benchmark="medagentbench", limits=None, task_ids=TASKS):
    benchmark = registry.get(benchmark)
    return read_with_places(
        benchmark, io.BytesIO(raw), limits=limits or benchmark.limits, task_ids=task_ids, version="v1"
    )


def problems(raw, *args, **options):
    return [(problem.code, problem.pointer) for problem in refused(read, raw, *args, **options)]


def warnings(raw):
    listed = read(raw).warnings.listed
    return {(warning.code, warning.pointer) for warning in listed if warning.code != "tasks.missing"}


def records(raw, **options):
    return list(read(raw, **options).records)


def sent(*messages) -> list[str]:
    """Return the contents of the history of a sample with these messages."""
    [record] = records(eval_log(sample("task3_1", "FINISH([])", [user("Do it."), *messages])))
    return [item["content"] for item in record.post_history]


def attempts(run: bytes) -> dict[str, Attempt]:
    found = attempts_of_lines(io.BytesIO(run), Findings.under(Limits()))
    return {attempt.task_id: attempt for attempt in found}


def test_a_log_in_any_format_gives_the_answers_within_finish_and_the_conversation():
    post = f'POST {URL}\n{{"a": 1}}'
    messages = [user("Do it."), assistant(post), user(ACCEPTED), assistant("FINISH([])")]
    for write in FORMATS:
        reading = read(write(sample(), sample("task3_1", "```tool_code\nFINISH([])\n```", messages)))
        assert (reading.format, reading.count) == ("inspect-log", 2)
        first, second = reading.records
        assert (first.task_id, first.answer, first.finished) == ("task1_1", '["S1234567"]', 1795458199081)
        assert [item["role"] for item in first.post_history] == ["user", "agent"]
        assert (second.answer, second.post_history[1]) == ("[]", {"role": "agent", "content": post})
        assert [warning.code for warning in reading.warnings.listed] == ["tasks.missing"]
    # The members of a JSON log may stand in any order, and be packed.
    raw = json.dumps(dict(sorted(json.loads(json_log(sample())).items()))).encode()
    for each in (raw, gzip.compress(raw)):
        assert (read(each).count, warnings(each)) == (1, set())


def test_calls_of_tools_that_post_are_the_history_and_others_are_left_out():
    as_sent = [f'POST {URL}\n{{"a": 1}}', ACCEPTED]
    payload = {"url": URL, "payload": {"a": 1}}
    thought = [{"type": "reasoning", "reasoning": "POST?"}]
    assert sent(assistant(thought, call("fhir_post", **payload)), reply(ACCEPTED)) == as_sent
    twice = [call("fhir_post", **payload)] * 2
    assert sent(assistant("", *twice), reply(ACCEPTED), reply(ACCEPTED)) == as_sent * 2
    by_method = call("http", method="post", endpoint=URL, body='{"a": 1}')
    assert sent(assistant("", by_method), reply(ACCEPTED)) == as_sent
    calls = [call("fhir_get", 1, url=f"{URL}?patient=S1"), call("calculator", 2, expression="1 + 1")]
    assert sent(assistant("", *calls), reply("{}", 1), reply("2", 2)) == []
    assert sent(assistant("", {**call("fhir_post", **payload), "parse_error": "no JSON"})) == ["Do it."]
    error = {"type": "timeout", "message": "POST request accepted"}
    assert ACCEPTED not in sent(assistant("", call("fhir_post", **payload)), reply("", error=error))[1]
    attached = sample(
        "task3_1",
        "attachment://b",
        [assistant("", call("fhir_post", url=URL, payload="attachment://a")), reply("status 201")],
        attachments={"a": '{"a": 1}', "b": "FINISH([60])"},
    )
    [record] = records(eval_log(attached))
    assert (record.answer, record.post_history[0]["content"]) == ("[60]", as_sent[0])


def test_an_answer_is_a_list_alone_or_what_a_tool_submitted_and_its_lack_has_a_reason():
    list_alone, prose = sample("task2_1", "[60]"), sample("task4_1", "It is 2.7, FINISH([2.7])")
    raw = eval_log(sample(), list_alone, prose)
    assert [record.answer for record in records(raw)] == ['["S1234567"]', "[60]", None]
    assert warnings(raw) == {("log.answer-form", "/samples/task4_1_epoch_1.json/output/completion")}
    messages = [user("Age?"), assistant("I am done.", call("submit", answer="FINISH([60])")), reply("ok")]
    for output in ({"choices": []}, {"completion": "I am done.\n\nFINISH([60])"}):
        assert records(eval_log(sample("task2_1", "", messages, output=output)))[0].answer == "[60]"
    ended = sample("task2_1", "", [], output={"choices": []}, error={"message": "timeout\nTraceback"})
    (warning,) = [
        each for each in read(eval_log(sample(), ended)).warnings.listed if each.code == "answer.null"
    ]
    assert "ended with “timeout”" in warning.message
    limit = {"type": "message", "limit": 5}
    stopped = sample("task2_1", "", [], limit=limit)
    run, _ = runs_of_log(eval_log(sample(limit=limit), stopped, sample(epoch=2)))
    assert [attempt.error for attempt in attempts(run).values()] == ["", "message"]
    listed = read(json_log(sample("task1_1", "FINISH(S1)"))).warnings.listed
    # The agent has to write another answer.
    assert not any(warning.fix for warning in listed)


def test_each_problem_of_a_log_is_named_at_its_place():
    for raw, expected in (
        (
            eval_log(sample(), sample(epoch=2), sample("task2_1", "[60]", epoch=2)),
            ("log.several-runs", "/samples/task1_1_epoch_2.json"),
        ),
        (json_log(sample(), sample(epoch=2)), ("log.several-runs", "/samples/1")),
        (eval_log(sample(), version=3), ("log.version-unknown", "/version")),
        (json_log(sample(), version="2"), ("log.version-unknown", "/version")),
        (eval_log(), ("log.no-attempts", "/samples")),
        (json.dumps(header(sample())).encode(), ("log.no-attempts", "/samples")),
        (json_log(sample(epoch=None)), ("log.damaged", "/samples/0")),
        (eval_log(sample("task99_1")), ("task-id.unknown", "/samples/task99_1_epoch_1.json/id")),
        (json_log(sample(), sample()), ("task-id.repeated", "/samples/1/id")),
        (eval_log(sample(completion="Done.")), ("log.no-answers", f"{PLACE}/output/completion")),
        (json_log(sample())[:-900], ("json.truncated", "")),
    ):
        assert problems(raw)[0] == expected, expected


def test_tokens_of_a_model_that_grades_are_left_out():
    usage = {
        "heron-2": {"input_tokens": 7, "input_tokens_cache_read": 100, "output_tokens": 5, "total_cost": 0.5},
        "grader": {"input_tokens": 1000, "output_tokens": 1000},
    }
    stated = {**header()["eval"], "model": "heron-2", "packages": {"inspect_ai": "0.3.285"}}
    raw = json_log(sample(model_usage=usage), sample(epoch=2), eval=stated)
    facts = attempts(runs_of_log(raw)[0])["task1_1"].facts
    assert (facts.input_tokens, facts.cached_tokens, facts.output_tokens) == (107, 100, 5)
    assert (facts.cost_usd, facts.model, facts.harness_version) == (0.5, "heron-2", "0.3.285")


# Several epochs, and several logs


def log_of(task: str, *samples, status="success", completed="2026-11-01T00:00:00+00:00") -> bytes:
    stated = {**header()["eval"], "task_id": task}
    return eval_log(*samples, eval=stated, status=status, stats={"completed_at": completed})


def zip_of(**logs: bytes) -> bytes:
    return zipped([(f"logs/{name}.eval", log) for name, log in logs.items()], zipfile.ZIP_DEFLATED)


def test_a_log_of_one_epoch_is_kept_and_one_of_several_is_split():
    for write in FORMATS:
        assert runs_of_log(write(sample(), sample("task2_1", "[60]"))) == []
        runs = runs_of_log(write(sample(), sample("task2_1", "[60]"), sample("task2_1", "[61]", epoch=2)))
        answers = [[record.answer for record in records(run)] for run in runs]
        assert answers == [['["S1234567"]', "[60]"], ["[61]"]]


def test_logs_in_an_archive_are_parts_of_a_run_or_runs_or_retries_or_refused_by_name():
    first, other = sample(), sample("task2_1", "[60]")
    (run,) = runs_of_log(zip_of(a=log_of("a", first), b=log_of("b", other)))
    assert [record.task_id for record in records(run)] == ["task1_1", "task2_1"]
    runs = runs_of_log(zip_of(a=log_of("a", first), b=log_of("b", sample(completion="[61]"))))
    assert [records(run)[0].answer for run in runs] == ['["S1234567"]', "[61]"]
    later = log_of("a", first, other, completed="2026-11-02T00:00:00+00:00")
    (run,) = runs_of_log(zip_of(z=log_of("a", sample(completion="[1]"), status="error"), a=later))
    assert [record.answer for record in records(run)] == ['["S1234567"]', "[60]"]
    for logs, named in (
        ({"z": log_of("a", sample(completion="[1]")), "a": later}, "“logs/z.eval”, “logs/a.eval”"),
        ({"a": log_of("a", first), "b": log_of("b", first, other)}, "“logs/a.eval”, “logs/b.eval”"),
    ):
        [problem] = refused(runs_of_log, zip_of(**logs))
        assert problem.code == "log.several-runs"
        assert named in problem.message


# Limits


def test_references_to_one_attachment_do_not_fill_the_memory():
    limits = replace(registry.get("medagentbench").limits, unpacked_bytes=MIB)
    parts = [{"type": "text", "text": "attachment://a"}] * 5
    choice = {"message": {"role": "assistant", "content": parts}}
    long = sample(attachments={"a": "y" * MIB}, output={"completion": "", "choices": [choice]})
    assert problems(eval_log(long), limits=limits)[0][0] == "file.too-large"
    # One text of all references is bounded where a log may be large.
    one = replace(limits, unpacked_bytes=64 * MIB, record_bytes=4 * MIB)
    assert problems(eval_log(long), limits=one)[0][0] == "file.too-large"


def test_a_log_that_was_not_finished_is_read_with_a_warning_and_a_sample_that_is_no_json_is_named():
    files = [file for file in members(sample()) if file[0] not in ("header.json", "summaries.json")]
    assert warnings(zipped(files)) == {("log.not-finished", "/samples/task1_1_epoch_1.json")}
    assert warnings(json_log(sample(), status="cancelled")) == {("log.not-finished", "/samples/0")}
    for content, code in ((b'{"id": oops}', "json.syntax"), (b"\xff", "file.not-utf-8")):
        files = [*members(sample()), ("samples/task2_1_epoch_1.json", content)]
        assert problems(zipped(files)) == [(code, "/samples/task2_1_epoch_1.json")]


def test_an_edit_of_a_log_is_named_unless_it_changes_no_sample():
    for kind, found in (("tags", set()), ("scores", {"log.invalidated"}), (["tags"], {"log.invalidated"})):
        log = eval_log(sample(), log_updates=[{"edits": [{"type": kind}]}])
        assert {code for code, _ in warnings(log)} == found, kind
    assert {code for code, _ in warnings(eval_log(sample(), log_updates=[{}]))} == {"log.invalidated"}


def test_a_log_of_fhir_agentbench_gives_answers_tokens_and_the_resources_that_it_holds():
    retrieved = {"agent_fhir_resources": {"Patient": ["p1"]}}
    failed = sample("b" * 24, "", [], store=retrieved, error={"message": "timeout"})
    for write in (eval_log, json_log):
        first, second = kept_records(
            FHIR_AGENTBENCH, write(sample(QUESTION, "Yes.", store=retrieved), failed)
        )
        assert (first.task_id, first.answer, first.failed) == (QUESTION, "Yes.", False)
        assert (first.resources, first.usage.prompt_tokens) == ({"Patient": ["p1"]}, 7)
        assert second.failed
    listed = read(eval_log(sample(QUESTION, "Yes.")), "fhir-agentbench", task_ids=()).warnings.listed
    [warning] = [each for each in listed if each.code == "resources.unknown"]
    assert warning.pointer == f"/samples/{QUESTION}_epoch_1.json"
    unknown = json_log(sample("q1", "Yes.", store={"agent_fhir_resources": {}}))
    assert problems(unknown, "fhir-agentbench", task_ids=()) == [("field.type", "/samples/0/id")]


# Hostile logs


def test_a_log_that_unpacks_to_too_much_or_lists_too_much_is_refused():
    bomb = ("samples/bomb_epoch_1.json", b" " * (65 * MIB))
    for method in (ZSTANDARD, zipfile.ZIP_DEFLATED):
        assert problems(zipped([*members(sample()), bomb], method)) == [("archive.too-large", "")]
    files = [*members(sample()), *((f"samples/{n}_epoch_1.json", b" " * 4000) for n in range(3))]
    assert ("archive.too-large", "") in problems(zipped(files), limits=replace(Limits(), log_bytes=10_000))
    files = [*members(sample()), *((f"samples/{n}{'x' * 200}", b"") for n in range(20_000))]
    assert problems(zipped(files, zipfile.ZIP_STORED))[0][0] == "file.too-large"


def test_members_that_are_encrypted_or_twice_there_are_never_opened():
    files = members(sample(), sample("task2_1", "[60]"))
    place = "/samples/task1_1_epoch_1.json"
    raw = bytearray(zipped(files))
    raw[raw.index(b"PK\x01\x02", raw.index(b"PK\x01\x02") + 4) + 8] |= 1
    assert ("archive.member", place) in problems(bytes(raw))
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = zipped([*files, files[1]])
    assert problems(twice) == [("log.damaged", "")]


def test_a_log_that_was_cut_off_or_is_not_what_its_directory_says_is_damaged():
    raw = bytearray(eval_log(sample()))
    assert problems(bytes(raw[: len(raw) // 2])) == problems(bytes(raw[:-20])) == [("log.damaged", "")]
    crc = zlib.crc32(dict(members(sample()))["samples/task1_1_epoch_1.json"]).to_bytes(4, "little")
    raw[raw.rindex(crc)] ^= 1
    assert problems(bytes(raw)) == [("archive.damaged", "")]
