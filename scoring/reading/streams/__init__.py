"""Read large files piece by piece: their text, and the JSON values in it."""
