"""A submission with many things wrong at once, to show what the report of a rejected file is like."""

import json
from typing import Any


def malformed_text(right: dict[str, Any]) -> str:
    """Return the text of the file: `right`, a submission without fault, with its first results spoilt."""
    results = right["results"]
    results[0]["answer"] = ["S9100001"]
    results[1]["answer"] = 41
    del results[2]["answer"]
    results[3]["task_id"] = "Task1-4"
    results[4]["task_id"] = "task11_1"
    results[5]["task_id"] = results[6]["task_id"]
    del results[7]["task_id"]
    results[8]["post_history"] = "none"
    results[9] = "task2_5: 80 years"
    by_id = {r["task_id"]: r for r in results[10:]}
    by_id["task3_1"]["post_history"][0]["role"] = "assistant"
    by_id["task3_2"]["post_history"][1]["content"] = {"accepted": True}
    by_id["task3_3"]["post_history"][0] = "POST"
    del by_id["task3_4"]["post_history"][0]["content"]
    # From here on what is accepted with a warning: the task counts, and will most likely be wrong.
    by_id["task4_1"]["answer"] = "The magnesium is 2.2 mg/dL."
    by_id["task4_2"]["answer"] = None
    by_id["task4_3"]["answer"] = "[1.1, 2.2]"
    by_id["task4_4"]["confidence"] = float("nan")
    del by_id["task4_5"]["post_history"]
    by_id["task8_1"]["post_history"].pop()
    by_id["task8_2"]["post_history"][0]["content"] += "}"
    right["total_tasks"] = 60
    # NaN goes in as such: many programs write it, and JSON has no such thing.
    return json.dumps(right, indent=2) + "\n"
