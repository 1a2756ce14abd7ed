"""Pages of a leaderboard: the table, About, the log, Compare."""
