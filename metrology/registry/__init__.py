"""Benchmarks and agents as files: read into values, registered, compared, released, and led through their life."""
