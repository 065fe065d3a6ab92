"""All tasks by the protocol that an agreement names."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import TacitError, instead
from ..agreement.agreement import Agreement
from ..learning.learn_task import LEARNERS, LearnTask
from ..protocols.protocol import PROTOCOLS
from ..statistics.dp_sum_task import DpSumTask
from ..statistics.statistic import STATISTICS
from ..statistics.sum_task import SumTask
from ..task import Task
from .compare_task import CompareTask
from .message_task import MessageTask
from .outsource_task import OutsourceTask
from .retrieval_task import RetrievalTask
from .set_task import SetTask
from .vertical_task import VerticalTask

__all__ = ["MAY_BE_EMPTY", "TASKS", "task_of"]


def _over_sums(agreement: Agreement) -> Task:
    """A statistic from one sum, or a model from as many as it needs."""
    compute, known = agreement.task.get("compute"), [*STATISTICS, *LEARNERS]
    if compute not in known:
        fix = instead(str(compute), known)
        raise TacitError(f"it is not known how to compute {compute!r}", fix=fix, where="task.compute")
    return LearnTask.of(agreement) if compute in LEARNERS else SumTask.of(agreement)


TASKS: dict[str, Callable[[Agreement], Task]] = {
    **dict.fromkeys(PROTOCOLS, _over_sums),
    "dp_sum": DpSumTask.of,
    "set_intersection": SetTask.of,
    "set_union": SetTask.of,
    "scalar_product": VerticalTask.of,
    "millionaires": CompareTask.of,
    "dining_cryptographers": MessageTask.of,
    "retrieval": RetrievalTask.of,
    "outsourced": OutsourceTask.of,
}
"""Protocol in the agreement → how its task is made."""
MAY_BE_EMPTY = ("dining_cryptographers", "outsourced")
"""Where a file without rows is nothing special: who has no message sends none, and a server that only adds up brings nothing."""


def task_of(agreement: Agreement) -> Task:
    """What the agreement asks for, by its protocol."""
    if agreement.protocol in TASKS:
        return TASKS[agreement.protocol](agreement)
    fix = instead(agreement.protocol, TASKS)
    raise TacitError(f"the protocol {agreement.protocol!r} is unknown", fix=fix, where="session.protocol")
