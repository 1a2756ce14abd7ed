"""What is said of a row of a leaderboard: the filters, the conditions of its run, and its fields in files."""
