"""Check values of a file against the JSON Schemas that benchmarks publish."""
