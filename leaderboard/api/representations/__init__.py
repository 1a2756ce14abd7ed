"""What the API shows: models and results of services as the structs of `leaderboard.api.schema`."""
