"""Doubtful reference answers: reports of teams, and revisions that set tasks aside."""
