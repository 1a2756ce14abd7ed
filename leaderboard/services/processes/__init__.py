"""What processes do beside their work: give signs of life, and take up the work of those that give none."""
