"""Where an agent acts, and where a scorer that needs programs runs: boxes, opened for one purpose and thrown away."""
