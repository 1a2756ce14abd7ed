"""Read answers and references: dates, numbers, stance, words."""
