"""The audit `leak`: what certificates give away about the model."""
