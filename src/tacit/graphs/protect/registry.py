"""All protections of networks by their plan names: an example, when to use them and when not."""

from __future__ import annotations

from ...registry import Entry, Tags
from .attributes_in_classes import AttributesInClasses
from .change_edges import ChangeEdges
from .delete_edges import DeleteEdges
from .dp_degrees import DpDegrees
from .k_automorphism import KAutomorphism
from .k_degree import KDegree
from .spectral_switch import SpectralSwitch
from .super_nodes import SuperNodes
from .switch_edges import SwitchEdges

TRIED = Tags(about="identity", kind="method")
PROVEN = Tags(about="identity", kind="method", shown="proven")

ALL: dict[str, Entry] = {
    "change_edges": Entry(
        call=ChangeEdges,
        catalogue="K-01",
        tags=TRIED,
        example={"delete": 0.05, "add": 0.05},
        use="links are what must be denied, and a doubt about each of them is enough",
        avoid="a promise is needed, or triangles and short paths matter",
    ),
    "switch_edges": Entry(
        call=SwitchEdges,
        catalogue="K-01",
        tags=TRIED,
        example={"share": 0.1},
        use="degrees must stay exactly as they are",
        avoid="the intruder knows degrees",
    ),
    "spectral_switch": Entry(
        call=SpectralSwitch,
        catalogue="K-01",
        tags=TRIED,
        example={"share": 0.1, "band": 0.02},
        use="spreading, paths or groups are studied, which the spectrum governs",
        avoid="the intruder knows degrees; or the band is so narrow that few graphs are possible",
    ),
    "k_degree": Entry(
        call=KDegree,
        catalogue="K-01",
        tags=PROVEN,
        example={"k": 5},
        use="the intruder may know how many links somebody has; the cheapest of the promises",
        avoid="it knows more of the network: see k_automorphism and super_nodes",
    ),
    "k_automorphism": Entry(
        call=KAutomorphism,
        catalogue="K-01",
        tags=PROVEN,
        example={"k": 2},
        upto=5_000,
        use="no link of a small released network may tell k people apart, and it stays a network of its people",
        avoid="the intruder has the original network; large networks, where most edges change",
    ),
    "delete_edges": Entry(
        call=DeleteEdges,
        catalogue="K-01",
        tags=TRIED,
        example={"k": 2, "budget": 0.1, "known": "degree"},
        use="no false link may be told, and so many edges may be lost",
        avoid="every node must be anonymous",
    ),
    "super_nodes": Entry(
        call=SuperNodes,
        catalogue="K-01",
        tags=PROVEN,
        example={"k": 5},
        use="who is linked with whom in the large is wanted, not person by person",
        avoid="triangles and single paths matter",
    ),
    "dp_degrees": Entry(
        call=DpDegrees,
        catalogue="K-01",
        tags=Tags(about="identity and attribute", kind="method", form="semantic", shown="proven"),
        example={"epsilon": 1.0},
        use="only degrees are wanted, and every link must be deniable whatever anybody knows",
        avoid="anything but degrees is to be studied",
        repeatable=False,
    ),
    "attributes_in_classes": Entry(
        call=AttributesInClasses,
        catalogue="K-01",
        tags=PROVEN,
        example={"k": 5, "known": "degree"},
        use="nodes have attributes that an intruder knows; after k_degree with the same k",
        avoid="the nodes have no quasi-identifiers",
    ),
}
"""Plan name → protection of a network; a job ends with shuffle_nodes, which is not a protection by itself."""
