"""Reports of doubtful reference answers."""
