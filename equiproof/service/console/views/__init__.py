"""The pages of the console, and what their forms do."""
