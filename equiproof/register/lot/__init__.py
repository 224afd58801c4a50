"""The audit by lot: a period is closed, chance draws receipts, the owner answers, anybody checks."""
