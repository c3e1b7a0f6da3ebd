"""Conformance kits, shipped so that plug-ins of others can be held to the contracts of the built-in ones."""
