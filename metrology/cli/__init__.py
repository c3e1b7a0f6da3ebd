"""The command line: one file per noun; every command has ``--json``."""
