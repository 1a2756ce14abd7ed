"""Draw badges and cards: pictures of a leaderboard for other sites."""
