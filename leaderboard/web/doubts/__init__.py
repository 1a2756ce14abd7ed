"""Pages about doubtful references: a team's own reports, and the organisers' decisions."""
