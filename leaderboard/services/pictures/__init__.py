"""Badges and cards: pictures of a leaderboard for other sites."""
