"""Campaigns: the plan, one attempt of a trial, durable results, and the coordinator that ties them together."""
