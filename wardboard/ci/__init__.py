"""What a CI job needs of a result: gates, and reports that its system shows."""
