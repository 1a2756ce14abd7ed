"""Read what Harbor writes: jobs, and trials that hold many tasks."""
