"""Pages for submitting, checking and following a file."""
