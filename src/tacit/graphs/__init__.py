"""Networks: how much a released graph tells of its people, attacked, protected, made synthetic, and what is lost.

    graph → risk → protect → attack → loss

The rooms are those of records: :mod:`.risk`, :mod:`.protect`, :mod:`.synth`, :mod:`.attack` and :mod:`.loss`.
"""

from . import attack as attack
from . import loss as loss
from . import protect as protect
from . import risk as risk
from . import synth as synth
from .attack.reidentify import reidentify_nodes
from .build import graph, with_roles
from .files.read import read_graph
from .files.write import write_graph
from .forms.networkx import to_networkx
from .forms.rustworkx import to_rustworkx
from .forms.sparse import to_sparse
from .graph import Graph
from .knowledge import Knowledge
from .masked import GraphMethod, MaskedGraph
from .registry import ALL
from .shuffle import ShuffleNodes

__all__ = [
    "ALL",
    "Graph",
    "GraphMethod",
    "Knowledge",
    "MaskedGraph",
    "ShuffleNodes",
    "graph",
    "read_graph",
    "reidentify_nodes",
    "to_networkx",
    "to_rustworkx",
    "to_sparse",
    "with_roles",
    "write_graph",
]
