"""What lies there in this frame? Pieces only: no rules, no scores."""
