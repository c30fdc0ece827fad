"""What every room may use of tables and pages: jobs, locks, the audit log, permissions, frames, counted answers."""
