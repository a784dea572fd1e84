"""What does it mean? Rules, the match log, and everything a person uses."""

__version__ = "0.1.0"
