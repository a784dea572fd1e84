"""Seeded generators and training scripts of the networks that the package ships; not part of the package."""
