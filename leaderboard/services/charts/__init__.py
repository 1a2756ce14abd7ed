"""Charts of a leaderboard, and the figures they show."""
