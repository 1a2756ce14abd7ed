"""A FHIR-AgentBench file sent to a MedAgentBench board gets one problem that says so."""

import gzip

from tests.support.scoring.fhir_submissions import array, lines, record, table
from tests.support.scoring.medagentbench_samples import file_of, read, result

ROWS = [record(0), record(1, agent_answer=None)]
LATER = [{"run": 1, "agent_fhir_resources": {}, "agent_answer": "x"}]


def test_a_file_of_another_benchmark_is_named_with_its_own_leaderboard():
    for raw in [
        array(*ROWS),
        array(*ROWS, indent=4),
        array(*ROWS)[:-30],
        array(*LATER),
        lines(*ROWS),
        lines(ROWS[0]),
        lines(*LATER),
        table(*ROWS),
        table({"run": 1, **record()}),
        b"\xef\xbb\xbf" + table(*ROWS),
        table(*ROWS, delimiter=";"),
        table(*ROWS, quoting=1),
        gzip.compress(array(*ROWS), mtime=0),
        b'{"results": ' + array(*ROWS) + b"}",
    ]:
        problems, warnings = read(raw)
        assert [(p.code, p.pointer) for p in problems.listed] == [("layout.other-benchmark", "")], raw
        assert "FHIR-AgentBench" in problems.listed[0].message + problems.listed[0].hint, raw
        assert warnings.total == 0, raw


def test_words_of_another_benchmark_within_a_result_do_not_matter():
    spoken = result(answer='["question_id", "agent_answer"]')
    assert read(file_of({**spoken, "question_id": 7}))[0].total == 0
    assert read(file_of(result(answer='{"question_id": 7, "agent_answer": 8}')))[0].total == 0
    # Prose with these words is no table either.
    assert [p.code for p in read(b"the question_id is missing")[0].listed] != ["layout.other-benchmark"]
