"""Who judges: scorers turn what an agent left into a verdict. One file per kind."""
