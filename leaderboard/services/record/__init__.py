"""The append-only record of a leaderboard: what happened, and the rows at any moment."""
