"""Jobs of Harbor and trajectories in ATIF, as small as they can be."""

import json
from collections.abc import Mapping
from typing import Any

from tests.support.scoring.files import as_zip

FHIR = "http://localhost:8080/fhir/"
OBSERVATION = {"resourceType": "Observation", "status": "final"}


def call(name: str, *, id: str = "c1", **arguments: Any) -> dict[str, Any]:
    return {"tool_call_id": id, "function_name": name, "arguments": arguments}


def post(*, id: str = "c1", **body: Any) -> dict[str, Any]:
    return call("fhir_post", id=id, url=f"{FHIR}Observation", payload={**OBSERVATION, **body})


def reply(content: Any = "POST request accepted", *, id: str | None = "c1", **more: Any) -> dict[str, Any]:
    return {"source_call_id": id, "content": content, **more}


def step(
    text: Any = "", *calls: Any, replies: Any = (), source: str = "agent", **more: Any
) -> dict[str, Any]:
    return {
        "source": source,
        "message": text,
        **({"tool_calls": list(calls)} if calls else {}),
        **({"observation": {"results": list(replies)}} if replies else {}),
        **more,
    }


def trajectory(*steps: Any, version: str = "1.8", **more: Any) -> dict[str, Any]:
    return {
        "schema_version": f"ATIF-v{version}",
        "agent": {"name": "wardround", "version": "1", "model_name": "heron-2"},
        "steps": [step("Which?", source="user"), *steps],
        **more,
    }


def result(
    task: str = "task3_1", *, minute: int = 0, agent: str = "wardround", **more: Any
) -> dict[str, Any]:
    return {
        "task_name": task,
        "agent_info": {"name": agent, "version": "1", "model_info": {"name": "heron-2", "provider": None}},
        "started_at": f"2026-11-20T09:{minute:02}:00Z",
        "finished_at": f"2026-11-20T09:{minute:02}:30Z",
        **more,
    }


def command(text: str, *, id: str = "c1", name: str = "Bash", field: str = "command") -> dict[str, Any]:
    return call(name, id=id, **{field: text})


def zipped(files: Mapping[str, Any]) -> bytes:
    """Return a zip of `files`; what is no bytes becomes JSON."""
    return as_zip(
        {
            name: content if isinstance(content, bytes) else json.dumps(content).encode()
            for name, content in files.items()
        }
    )


def trial(folder: str = "job/task3_1__a1", **files: Any) -> dict[str, Any]:
    """Return the files of a trial. files: result, trajectory, answer, transcript."""
    names = {
        "result": "result.json",
        "trajectory": "agent/trajectory.json",
        "answer": "artifacts/workspace/answer.json",
        "transcript": "agent/medagentbench-parity-agent.json",
    }
    files = {"result": result(), "trajectory": trajectory(step("FINISH([])")), **files}
    found = {f"{folder}/{names[key]}": content for key, content in files.items() if content is not None}
    return {**found, f"{folder}/trial.log": b""}
