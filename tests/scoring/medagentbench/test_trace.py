"""What a file holds of the traces of its runs."""

from wardboard.scoring.medagentbench.benchmark import MedAgentBench
from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.trace import TraceCollector, TraceExtent

PROMPT = {"role": "user", "content": "You are an agent. Patient S1. NDC 40032."}
FINISH = {"role": "agent", "content": "FINISH([2.7])"}
GET = {"role": "agent", "content": "GET http://localhost:8080/fhir/Observation?patient=S1&code=MG"}
POST = {"role": "agent", "content": "POST http://localhost:8080/fhir/Observation\n{}"}
OFFICIAL = {
    "role": "user",
    "content": "POST request accepted and executed successfully. Please call FINISH if you have got answers "
    "for all the questions and finished all the requested tasks",
}


def response(value: str) -> dict[str, str]:
    return {"role": "user", "content": f"Here is the response from the GET request:\n{{'value': {value}}}."}


def record_of(history, answer: str | None = "[2.7]", task_id="task4_1", **fields) -> TaskResult:
    return TaskResult(task_id=task_id, answer=answer, post_history=history, **fields)


WHOLE, ENDED = [PROMPT, GET, response("2.7"), FINISH], [PROMPT, POST, OFFICIAL, FINISH]


def test_the_extent_of_a_trace_is_what_every_answer_shows():
    fenced = {"role": "agent", "content": f"```tool_code\n{GET['content']}\n```"}
    posts = record_of([POST, OFFICIAL])
    for records, extent in [
        ([record_of(WHOLE), record_of(ENDED)], TraceExtent.WHOLE),
        # A run without an answer has no conversation to its end.
        ([record_of(WHOLE), record_of([], None)], TraceExtent.WHOLE),
        # A command in a code block is read as the harness reads it.
        ([record_of([PROMPT, fenced, response("2.7"), FINISH])], TraceExtent.WHOLE),
        ([record_of(WHOLE), record_of([])], TraceExtent.PART),
        ([record_of(WHOLE), posts], TraceExtent.PART),
        # No GET is shown, or no request at all.
        ([record_of([]), posts], TraceExtent.POSTS),
        ([record_of(ENDED)], TraceExtent.POSTS),
        ([record_of([]), record_of([PROMPT, FINISH])], TraceExtent.NONE),
    ]:
        collector = TraceCollector(MedAgentBench().trace)
        assert list(collector.pass_on(records)) == records
        assert collector.extent == extent
