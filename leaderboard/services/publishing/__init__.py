"""What changes a leaderboard: publishing, disqualifying, importing references."""
