"""Frozen values of the field: benchmark, item, agent, campaign, trial, verdict, observation. No input or output."""
