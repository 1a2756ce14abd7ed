"""A third benchmark, with nothing that a family may leave out: a list of {id, answer}, matched exactly."""
