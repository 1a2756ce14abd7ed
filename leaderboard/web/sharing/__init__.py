"""A leaderboard outside its page: downloads, feeds, badges, frames."""
