"""Risk of a network by itself: how many nodes look alike to somebody who knows so much of their links."""

from ...registry import Entry, Tags
from .attribute_k import attribute_k
from .k_degree import k_degree
from .k_neighbourhood import k_neighbourhood
from .unique_nodes import unique_nodes

__all__ = ["ALL", "attribute_k", "k_degree", "k_neighbourhood", "unique_nodes"]

ALL = {
    "k_degree": Entry(
        call=k_degree,
        catalogue="K-02",
        tags=Tags(about="identity", kind="model", shown="proven"),
        use="who knows how many links",
    ),
    "k_neighbourhood": Entry(
        call=k_neighbourhood,
        catalogue="K-02",
        tags=Tags(about="identity", kind="model", shown="proven"),
        upto=10_000,
        use="who knows the links among the neighbours of a node",
    ),
    "unique_nodes": Entry(
        call=unique_nodes,
        catalogue="K-02",
        tags=Tags(about="identity", kind="measure", shown="proven"),
        use="who knows the surroundings of a node, as far as links reach",
    ),
    "attribute_k": Entry(
        call=attribute_k,
        catalogue="K-02",
        tags=Tags(about="identity", kind="model", shown="proven"),
        example={"rounds": 1},
        use="who knows attributes and links of a node",
    ),
}
"""Plan name → measure of a network."""
