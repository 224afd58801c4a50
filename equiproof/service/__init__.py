"""The lending service: decides, keeps receipts, has certificates made and hands them out; it knows no mathematics."""
