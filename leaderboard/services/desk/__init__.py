"""What the organisers of leaderboards see and do, beyond what everybody does."""
