"""All attacks on networks, by their plan names."""

from __future__ import annotations

from ...registry import Entry, Tags
from .alignment import Alignment
from .attributes import Attributes
from .coalition import Coalition
from .degree import Degree
from .group import Group
from .profile import Profile
from .propagation import Propagation
from .refinement import Refinement

TAGS = Tags(about="identity", kind="attack", linkage="generic")

ALL = {
    "degree": Entry(call=Degree, catalogue="K-02", tags=TAGS, use="who knows how many links somebody has"),
    "refinement": Entry(
        call=Refinement,
        catalogue="K-02",
        tags=TAGS,
        use="who knows the network around somebody, exactly",
        avoid="the release was changed much: take profile",
    ),
    "profile": Entry(
        call=Profile, catalogue="K-02", tags=TAGS, use="the same, when edges were changed or are in doubt"
    ),
    "group": Entry(call=Group, catalogue="K-02", tags=TAGS, use="who knows the links and non-links of a circle"),
    "coalition": Entry(
        call=Coalition,
        catalogue="K-02",
        tags=TAGS,
        example={"members": (0, 1, 2)},
        use="members, or planted accounts, who find themselves first",
    ),
    "attributes": Entry(call=Attributes, catalogue="C-06", tags=TAGS, use="who knows attributes and links"),
    "propagation": Entry(
        call=Propagation, catalogue="C-06", tags=TAGS, use="who has another network and knows a few of its people"
    ),
    "alignment": Entry(
        call=Alignment,
        catalogue="C-06",
        tags=TAGS,
        upto=500,
        use="who has another network, knowing nobody or a few of its people",
        avoid="more than 2,000 nodes",
    ),
}
"""Plan name → attack on a network."""
