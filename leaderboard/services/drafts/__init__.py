"""Files that wait to be submitted: which leaderboards they can go to, and how long they are kept."""
