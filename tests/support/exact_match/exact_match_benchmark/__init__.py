"""A third benchmark with only the required members: a list of {id, answer}, matched exactly."""
