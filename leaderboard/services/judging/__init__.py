"""The judge of a leaderboard, its budget, and the references that it may read."""
