"""The `wardboard` command on a benchmark without options of its own."""

import json

import pytest

from tests.support.exact_match.exact_match_benchmark.benchmark import ExactMatch, ExactReference
from wardboard.commands.main import main
from wardboard.scoring import registry


@pytest.fixture
def references(tmp_path):
    with registry.registered(ExactMatch()) as benchmark:
        dump = benchmark.dump_references({f"q{n}": ExactReference(answer=str(n)) for n in range(3)})
        (tmp_path / "references.json").write_bytes(dump)
        yield tmp_path


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.json"
    path.write_text(json.dumps([{"id": "q0", "answer": "0"}, {"id": "q1", "answer": "?"}]))
    return path


def test_a_file_of_a_third_benchmark_is_checked_by_name(references, answers, capsys):
    assert main(["validate", str(answers), "--benchmark", "exact-match"]) == 0
    assert "2 results" in capsys.readouterr().out


def test_a_file_of_a_third_benchmark_is_graded_with_dumped_references(references, answers, capsys):
    command = ["grade", str(answers), "--benchmark", "exact-match", "--references", str(references)]
    assert main([*command, "--json"]) == 0
    card = json.loads(capsys.readouterr().out)
    assert (card["overall"]["right"], card["overall"]["total"]) == (1, 3)
    assert card["breakdowns"] == {}
    assert main([*command, "--by-task"]) == 0
    assert "Exact match" in capsys.readouterr().out


def test_references_that_cannot_be_read_end_with_3(references, answers, tmp_path, capsys):
    for name, content in (("none", ""), ("references.json", "{"), ("references.json", "[")):
        folder = tmp_path / "other"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(content)
        command = ["grade", str(answers), "--benchmark", "exact-match", "--references", str(folder)]
        assert main(command) == 3
        assert "references" in capsys.readouterr().err


def test_an_option_of_another_benchmark_is_named(references, answers, capsys):
    command = ["validate", str(answers), "--benchmark", "exact-match", "--version", "v1"]
    assert main(command) == 2
    assert "--version is for --benchmark medagentbench" in capsys.readouterr().err
