"""URLs of the demonstration leaderboard and of submissions."""

SUBMISSIONS = "/api/v1/submissions/"
BOARD = "/benchmarks/medagentbench-demo/"
SUBMIT = f"{BOARD}submit/"
