"""Pages of seasons: for organisers who make them, and for teams with sealed files."""
