"""A harness: the answer is the instruction."""

from metrology.domain.status import Status
from metrology.harnesses.base import Harness, Outcome, Table


class EchoTable(Table):
    """Kind and loudness."""

    kind: str
    loud: bool = False


class EchoModel(Table):
    """No model."""


class EchoHarness(Harness):
    """Hands the instruction back."""

    ModelTable = EchoModel
    HarnessTable = EchoTable

    async def act(self, task, box, seed):
        """Return the instruction as the answer."""
        loud = self.configuration.harness.get("loud", False)
        return Outcome(Status.COMPLETED, answer=task.instruction.upper() if loud else task.instruction)
