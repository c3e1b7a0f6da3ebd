"""A scorer: the answer is the expected text, backwards."""

from metrology.domain.verdict import Verdict
from metrology.scoring.base import Parameters, Scorer, Submission, shown


class ReversedParameters(Parameters):
    """The text to be written backwards."""

    expected: str


class ReversedScorer(Scorer):
    """1.0 when the answer is the expected text backwards."""

    Parameters = ReversedParameters

    def score(self, submission: Submission) -> Verdict:
        """Return the verdict."""
        answer = submission.answer.strip()
        return self.verdict(float(answer == self.parameters.expected[::-1]), shown(answer, 100))
