"""What every room may use: jobs, locks, the audit log, permissions, frames, counted answers."""
