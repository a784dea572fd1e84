"""The games as pure engines over plain values; standard library only."""
