"""What is proven and how it is laid out: spec, statement, shapes, commitments and witnesses."""
