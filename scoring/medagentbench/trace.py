"""Sum up the history of a record."""

from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.trace import RecordTrace


def trace(record: TaskResult) -> RecordTrace:
    """Return what a record holds of its trace."""
    agent = [_command(item["content"]) for item in record.post_history if item["role"] == "agent"]
    reads = record.is_whole or any(content.startswith("GET") for content in agent)
    return RecordTrace(
        is_answered=record.answer is not None,
        reads=reads,
        writes=any(content.startswith("POST") for content in agent),
        is_conversation=reads or any(content.startswith("FINISH") for content in agent),
    )


def _command(content: str) -> str:
    """Return what the agent sent without the fence of a code block, as the harness reads it."""
    return content.lstrip().removeprefix("```tool_code").removeprefix("```").lstrip()
