"""Read trajectories in the Agent Trajectory Interchange Format (ATIF), alone or many in an archive."""
