"""Read a leaderboard: its rows, ranks, filters, best scores and systems."""
