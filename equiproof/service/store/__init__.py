"""What the service keeps: tables, and the one place where SQL stands."""
