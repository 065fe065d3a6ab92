"""Protect: methods that turn a network into one with less to disclose, and say what they did."""

from .attributes_in_classes import AttributesInClasses
from .change_edges import ChangeEdges
from .delete_edges import DeleteEdges
from .dp_degrees import DpDegrees
from .k_automorphism import KAutomorphism
from .k_degree import KDegree
from .registry import ALL
from .spectral_switch import SpectralSwitch
from .super_nodes import SuperGraph, SuperNodes
from .switch_edges import SwitchEdges

__all__ = [
    "ALL",
    "AttributesInClasses",
    "ChangeEdges",
    "DeleteEdges",
    "DpDegrees",
    "KAutomorphism",
    "KDegree",
    "SpectralSwitch",
    "SuperGraph",
    "SuperNodes",
    "SwitchEdges",
]
