"""Which files of an archive are runs of one system, which are systems, and which hold no answers."""

import json
from io import BytesIO
from typing import Any

import pytest

from tests.support.scoring.files import as_tar, as_zip, opened, refused
from tests.support.scoring.inspect_logs import eval_log, sample
from wardboard.scoring.reading.formats.split import runs_of_one_system
from wardboard.scoring.reading.formats.systems import fault_of_selection
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import Problem


def files(*names: str, **fields: str) -> dict[str, bytes]:
    """Return a file of one answer for each name, each with another one, and with `fields`."""
    lines = [{"task_id": "task1_1", "answer": f'["{number}"]', **fields} for number, _ in enumerate(names)]
    return {name: f"{json.dumps(line)}\n".encode() for name, line in zip(names, lines, strict=True)}


def logs(**models: str) -> dict[str, bytes]:
    """Return a log of inspect_ai of one task for each name, with _ for /, and its model."""
    return {
        f"{name.replace('__', '/')}.eval": eval_log(sample(), eval={"model": model, "task_id": name})
        for name, model in models.items()
    }


def rows(**columns: list[Any]) -> bytes:
    """Return lines with an answer to each of two tasks for each place in the columns."""
    groups = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    each = [{"task_id": f"task1_{n}", "answer": f'["{n}"]', **group} for group in groups for n in (1, 2)]
    return "\n".join(map(json.dumps, each)).encode()


def beside(name: str, *texts: str) -> dict[str, bytes]:
    """Return runs of a system, with a file of each text beside them."""
    content = {f"run_{run}/{name}": text.encode() for run, text in enumerate(texts, 1)}
    return files(*(f"run_{run}/r.jsonl" for run, _ in enumerate(texts, 1))) | content


def which(content: dict[str, bytes], select: str = "") -> Problem:
    """Return the problem that asks for the system."""
    [problem] = refused(opened, as_zip(content), select)
    return problem


GRID = files(
    *(f"sweep/{model}/seed{n}/{arm}/runs.jsonl" for model in "ab" for n in (1, 2) for arm in ("code", "no"))
)
OTHER_MODELS = files("run_1.jsonl", model="m") | files("run_2.jsonl", model="n")
ONE = {
    "seeds": files("m/seed_42/r.json", "m/seed_7/r.json"),
    "runs, spelt otherwise": files("Run 1/r.json", "run-2/r.json", "RUN_03/r.json"),
    "trials in names of files": files("m_trial1.json", "m_trial2.json"),
    "replicates of seeds": files("s/seed=1/replicate.1.json", "s/seed=2/replicate.2.json"),
    "a count": files("results_1.json", "results_2.json"),
    "a count from 0, in folders": files("0/r.json", "1/r.json", "2/r.json"),
    "dates, and one model stated": files("2026-11-20_09-00/r.jsonl", "2026-11-21_09-00/r.jsonl", model="m"),
    "files beside each other, and one model stated": files("a.jsonl", "b.jsonl", model="m"),
    "logs of one model": logs(logs__a="m", logs__b="m"),
    "a folder in folders": files("a/b/c/runs.jsonl"),
}
SEVERAL = {
    "models": (files("a/r.json", "b/r.json", "c/r.json"), "a b c"),
    "models, each in a file": (files("gpt-4o.json", "claude.json"), "claude.json gpt-4o.json"),
    "versions of a model": (files("llama-1/r.json", "llama-2/r.json"), "llama-1 llama-2"),
    "dates": (files("20261120/r.json", "20261121/r.json"), "20261120 20261121"),
    "numbers that are no count": (files("42/r.json", "43/r.json"), "42 43"),
    "a count with a gap": (files("1/r.json", "3/r.json"), "1 3"),
    "models, seeds and conditions": (GRID, "a/code a/no b/code b/no"),
    "names that begin alike": (
        files(*(f"{model}_seed{seed}.json" for model in ("m", "m_x") for seed in (1, 2))),
        "m_seed*.json m_x_seed*.json",
    ),
    "names with signs of a selection": (files("[a|b].json", "!c/r.json"), "?c [[]a?b].json"),
    "conditions of one stated model": (files("code/r.json", "no/r.json", model="m"), "code no"),
    "runs that state other models": (OTHER_MODELS, "m n"),
    "logs of two models": (logs(x="m", y="n", z="n"), "m n"),
    "logs of one model in conditions": (logs(code__x="m", no__y="m"), "code no"),
    "a log beside other results": (logs(x="m") | files("r.jsonl"), "r.jsonl x.eval"),
}

CONDITIONS = {
    "`use_rag`: true (": {f"run_{n}.jsonl": rows(use_rag=[n == 1]) for n in (1, 2)},
    "`config.yaml.model`: m (": beside("config.yaml", "model: m\nseed: 1", "model: n\nseed: 2"),
    "`args.json.options.k`: 5 (": beside("args.json", '{"options": {"k": 5}}', '{"options": {}}'),
    "`score.json.skills_dir`: null (": beside("score.json", '{"skills_dir": null}', '{"skills_dir": "best"}'),
    "`eval.task_args.tools`: 1 (": {
        f"{n}.eval": eval_log(sample(), eval={"task_id": str(n), "task_args": {"tools": n}}) for n in (1, 2)
    },
}


@pytest.mark.parametrize("message", CONDITIONS)
def test_runs_that_state_different_settings_are_asked_about(message):
    problem, content = which(CONDITIONS[message]), as_zip(CONDITIONS[message])
    selects = [system.select for system in problem.systems]
    assert message in problem.message
    key, value = message.rstrip("( ").split(": ")
    assert f", {key.split('.')[-1].strip('`')} {value}" in "".join(each.name for each in problem.systems)
    assert [len(opened(content, select)) for select in (*selects, "|".join(selects))] == [1, 1, 2]


def test_measures_times_names_of_runs_and_references_are_no_settings():
    stated = [f"temperature: {n}\nname: m-run-{len(n)}\ndate: day {n}\ngold: {n}" for n in ("0.0", "0")]
    assert len(opened(as_zip(beside("config.yaml", *stated)))) == 2
    content = {f"run_{n}.jsonl": rows(seed=[n], expected=[f"x{n}"], cost=[n]) for n in (1, 2)}
    assert len(opened(as_zip(content))) == 2


@pytest.mark.parametrize("kind", ONE)
def test_runs_have_a_number_or_state_one_model(kind):
    for pack in (as_zip, as_tar):
        assert len(opened(pack(ONE[kind]))) == len(ONE[kind])
    given = [(name, BytesIO(raw)) for name, raw in ONE[kind].items()]
    assert runs_of_one_system(given, Limits()) == given


@pytest.mark.parametrize("kind", SEVERAL)
def test_all_else_is_asked_and_each_system_is_selected_by_what_is_offered_for_it(kind):
    content, names = SEVERAL[kind]
    systems = which(content).systems
    assert " ".join(sorted(system.name for system in systems)) == names
    assert sum(system.files for system in systems) == len(content)
    for system in systems:
        assert len(opened(as_zip(content), system.select)) == system.files, system
    given = [(f"/a/b/c/d/e/{name}", BytesIO(raw)) for name, raw in content.items()]
    [problem] = refused(runs_of_one_system, given, Limits())
    for system in problem.systems:
        assert len(runs_of_one_system(given, Limits(), system.select)) == system.files, system


def test_a_selection_is_of_one_system_or_of_several_that_are_stated_to_be_runs_of_one():
    for select in ("a/*/code/**", "sweep/a/**/code", "./sweep/a/seed?/code/", "a/seed1/code|a/seed2/code"):
        assert [*opened(as_zip(GRID), select)] == ["seed1/code/runs.jsonl", "seed2/code/runs.jsonl"], select
    assert [system.name for system in which(GRID, "a/**").systems] == ["code", "no"]
    assert "“c/**” selects nothing; there are sweep/a/seed*/code/**" in which(GRID, "c/**").message
    # What logs state is no matter of names.
    assert which(OTHER_MODELS, "run_1.jsonl|run_2.jsonl").code == "log.several-systems"
    for select in ("", "a||b", "/", "!a", "a|!b", "[!a]*", "a|" * 30 + "a"):
        assert fault_of_selection(select), select


def test_columns_tell_systems_and_runs_apart_where_tasks_are_in_several():
    for name in ("run", "seed", "trial_idx", "attempt", "Sample"):
        for raw in (rows(**{name: [3, 4]}), as_zip({"all.jsonl": rows(**{name: ["3", "4"]}), "a.md": b""})):
            assert [*opened(raw)] == ["run 3.jsonl", "run 4.jsonl"]
    for name in ("model", "agent_name", "config", "run_name", "Evaluated system"):
        raw = rows(**{name: ["a/b", "c", "c"]}, seed=[1, 1, 2])
        for sent in (raw, as_zip({"all.jsonl": raw})):
            [problem] = refused(opened, sent)
            assert [(each.name, each.select) for each in problem.systems] == [
                ("a-b", "a-b/**"),
                ("c", "c/**"),
            ]
            runs = opened(sent, "c/**")
            assert [*runs] == ["run 1.jsonl", "run 2.jsonl"]
            assert all(b'"c"' in run and b"a/b" not in run and run.count(b"\n") == 2 for run in runs.values())
    router = rows(seed=[1]).replace(b'"seed": 1', b'"model": "a"', 1)
    retried = rows(attempt=[1, 1, 2]).rpartition(b"\n")[0]
    failed = rows(seed=[1, 2]).replace(b"[", b'x", "error": "[')
    for raw in (router, retried, failed, rows(judge_model=["a", "b"]), b""):
        assert opened(raw) is None


def test_parts_of_a_run_are_no_runs_of_it():
    lines = rows(model=["m", "m"]).replace(b"task1_1", b"task1_3", 1).splitlines()
    for pattern in ("shard-{:04}.jsonl", "{}-of-00002.json", "chunk{}/r.jsonl", "results_{}.json"):
        [problem] = refused(opened, as_zip({pattern.format(n): lines[n] for n in (0, 1)}))
        assert problem.code == "runs.parts"
    halves = ({"version": "v2", "results": [json.loads(line)]} for line in lines[:2])
    of_results = {f"run-{n}.json": json.dumps(half).encode() for n, half in enumerate(halves)}
    assert refused(opened, as_zip(of_results))[0].code == "runs.parts"
    for pattern in ("{}.json", "cases/{}/response.txt", "out/answer_{}.md"):
        content = {pattern.format(f"task1_{n}"): b'{"answer": "[1]"}' for n in range(1, 13)}
        assert refused(opened, as_zip(content))[0].code == "runs.parts"
    assert len(opened(as_zip(files("batch_1.jsonl", "batch_2.jsonl", model="m")))) == 2
    assert [*opened(as_zip({"a.csv": b"", "b.jsonl": rows(seed=[1, 2])}), "b.jsonl")] == [
        "run 1.jsonl",
        "run 2.jsonl",
    ]


def test_what_stands_beside_the_results_is_left_out_unless_it_may_hold_answers():
    beside = {
        "summary.json": '{"accuracy": 0.8, "by_task": {"task1": {"correct": 3}}}',
        "x/metrics.json": '{"samples": 50}',
        "eval_report.json": '{"output": "out/", "score": 1}',
        "usage.jsonl": '{"task_id": "task1_1", "tokens": 3}\n',
        "leaderboard.csv": "rank,model,score\n1,m,0.8\n",
        **dict.fromkeys(("README.md", "a.yaml", "plot.png", "run.log", "stderr", "notes.txt"), "words"),
        **dict.fromkeys(("git.patch", "prompt.j2", "debug.log.1", "events.out.tfevents.17"), "words"),
        **dict.fromkeys(("__MACOSX/._x", ".hidden.json"), "{}"),
    }
    content = files("run_1/r.jsonl", "run_2/r.jsonl")
    assert [*opened(as_zip(content | {name: text.encode() for name, text in beside.items()}))] == [*content]
    others = {
        **dict.fromkeys(("summary.json", "answers.txt", "output"), b'{"answer": "1"}\n{"answer": "2"}\n'),
        "x.parquet": b"PAR1\0",
        "by_id.json": b'{"task1_1": "[60]"}',
        "preds.csv": b"id,model_answer\n1,2\n",
        "big.json": b'{"a": [' + b"1, " * 100_000 + b"1]}",
    }
    for name, text in others.items():
        assert name in {each.name for each in which(files("r.jsonl") | {name: text}).systems}, name
    for name in ("answers.jsonl", "dataset.jsonl", "oracle.jsonl", "fhir_ids.json", "evaluation.json"):
        assert [*opened(as_zip(files("predictions.jsonl", name)))] == ["predictions.jsonl"], name
        assert [*opened(as_zip(files(name)))] == [name], "there is nothing else"
