"""The audit `recourse`: what the refused can change, at what cost by group, and whom a sensitive value decides."""
