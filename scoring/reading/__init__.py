"""Read an uploaded file: limits, JSON, and every problem with its place and fix."""
