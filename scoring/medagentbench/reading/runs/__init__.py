"""Read the runs.jsonl and the overall.json of the official harness."""
