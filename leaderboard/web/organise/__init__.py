"""The organiser's desk: pages for staff and for organisers of a leaderboard."""
