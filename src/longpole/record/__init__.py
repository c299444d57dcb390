"""Recording: the launcher, the agent, its samplers, and the client that lives in users' processes."""
