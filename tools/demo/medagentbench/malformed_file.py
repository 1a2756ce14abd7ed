"""A submission with many faults, to show the report of a rejected file."""

import json
from typing import Any


def malformed_text(submission: dict[str, Any]) -> str:
    """Return the text of a file with many faults, made by changing the flawless `submission`."""
    results = submission["results"]
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
    # From here on, faults that only cause a warning: the task is graded, and will most likely be wrong.
    by_id["task4_1"]["answer"] = "The magnesium is 2.2 mg/dL."
    by_id["task4_2"]["answer"] = None
    by_id["task4_3"]["answer"] = "[1.1, 2.2]"
    by_id["task4_4"]["confidence"] = float("nan")
    del by_id["task4_5"]["post_history"]
    by_id["task8_1"]["post_history"].pop()
    by_id["task8_2"]["post_history"][0]["content"] += "}"
    submission["total_tasks"] = 60
    # NaN is written as such: many programs do so, although JSON does not have it.
    return json.dumps(submission, indent=2) + "\n"
