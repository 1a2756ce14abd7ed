"""What agents did, task by task: taken from files while they are read, stored, and read again."""
