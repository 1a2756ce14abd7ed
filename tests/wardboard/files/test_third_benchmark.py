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


def test_a_file_of_a_third_benchmark_is_graded_with_dumped_references(references, answers, capsys):
    command = ["grade", str(answers), "--benchmark", "exact-match", "--references", str(references)]
    assert main([*command, "--json"]) == 0
    card = json.loads(capsys.readouterr().out)
    assert (card["overall"]["right"], card["overall"]["total"]) == (1, 3)
    assert card["breakdowns"] == {}
    assert main([*command, "--by-task"]) == 0
    assert "Exact match" in capsys.readouterr().out
