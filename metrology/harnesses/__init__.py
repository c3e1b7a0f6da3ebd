"""How an agent acts: harnesses drive a model or a program through one task. One file per kind."""
