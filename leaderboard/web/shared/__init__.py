"""What several rooms of the pages use."""
