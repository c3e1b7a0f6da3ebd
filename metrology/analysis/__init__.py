"""Answers to the questions of a maintainer: one file per question, each joining stored counts to the statistics."""
