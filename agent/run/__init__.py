"""Plan attempts, schedule them, store each durably, resume."""
