"""Pages about doubtful reference answers: a team's own reports, and the organisers' decisions."""
