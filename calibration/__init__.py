"""Where is the table in the camera's eye? Geometry only: no games, no meaning of pieces."""
