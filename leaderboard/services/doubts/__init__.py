"""Doubtful references: reports of teams, and revisions that set tasks aside."""
