"""Importers of recorded results and production outcomes, one file per format."""
