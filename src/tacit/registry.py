"""Registries: measures, models, methods, attacks and losses by the names that plans use, each described where it is defined.

A class or function describes itself, in its own file; :func:`describe` attaches the description and registers nothing::

    @describe(
        tags=Tags(about="identity", kind="method"),
        effects=MethodEffects("changes", ("columns",), exchanges=True),
        example={"columns": ["income"], "percent": 5},
    )
    @dataclass(frozen=True, slots=True, kw_only=True)
    class RankSwap: ...

A package adopts the mechanism in two files. Its stub ``__init__.pyi`` is the one list of its names
(:mod:`tacit.lazy`); those below the declaration of the registry are its entries::

    from ..registry import Registry
    from .load import from_json as from_json

    METHODS: Registry

    from .rank_swap import RankSwap as RankSwap

Its ``__init__.py`` has a docstring and three lines; the group is that of the entry points by which other distributions
add entries::

    load_lazily(__name__)
    METHODS = Registry(__name__, "METHODS", group="tacit.methods")

The name in plans comes from the class or function: RankSwap → rank_swap. So a new method is a file and a line in the
stub. A method of another distribution is a described class and a line in its ``pyproject.toml``::

    [project.entry-points."tacit.methods"]
    office_rule = "office.rules:OfficeRule"

The groups are ``tacit.methods``, ``tacit.attacks``, ``tacit.measures``, ``tacit.models``, ``tacit.losses`` and
``tacit.formats``; :func:`find_plugins` reads any of them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeAlias, TypeVar, get_args

from .errors import TacitError, nearest_name
from .lazy import load_target, stub_targets

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Described = TypeVar("Described", bound=Callable[..., Any])
Options = ParamSpec("Options")
EffectKind: TypeAlias = Literal["nothing", "hides", "coarsens", "changes", "unknown"]
Family: TypeAlias = Literal[
    "provide", "coarser", "remove", "average", "exchange", "noise", "special", "private", "synthetic", "frame", "other"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """Where a notion stands among the dimensions of privacy.

    What it is about and whether it is a model, a measure, a method or an attack; whose privacy, what drives it, a
    property of the data or of the mechanism, shown by experiment or proven.
    """

    about: Literal[
        "identity",
        "attribute",
        "identity and attribute",
        "membership",
        "copies",
        "linkability",
        "singling out",
        "utility",
    ]
    kind: Literal["measure", "model", "method", "attack"]
    whose: Literal["respondent", "owner", "user"] = "respondent"
    driven: Literal["data", "computation", "result"] = "data"
    form: Literal["syntactic", "semantic"] = "syntactic"
    shown: Literal["empirically", "proven"] = "empirically"
    linkage: Literal["generic", "specific"] | None = None


@dataclass(frozen=True, slots=True)
class MethodEffects:
    """What a masking method does to a file; every question about a published step is answered from here.

    ``kind`` is what happens to values. ``"nothing"``: they stay, are left out or are made missing. ``"hides"``: other
    values stand there that mean nothing to an intruder. ``"coarsens"``: a true value is covered by what is released.
    ``"changes"``: the released value may be anything that the masking model allows.

    ``columns`` are the parameters or findings that name the columns it changes; a method that goes by a ``role`` changes
    the columns of that role (``"keys"``: the quasi-identifiers). It may leave records out (``drops``), in a random sample
    (``samples``), or invent some (``adds``); make cells missing (``blanks``); draw records anew (``synthetic``); give two
    records each other's values (``exchanges``); part the members of a household number (``regroups``). ``model`` names the
    masking model by which an intruder or an analyst reads the published parameters: ``"noise"``, ``"rank_swap"``,
    ``"pram"`` and the others of :data:`tacit.attack.masking_models.MASKING_MODELS`.
    """

    kind: EffectKind
    columns: tuple[str, ...] = ()
    role: Literal["keys", "household", "weight"] | None = None
    drops: bool = False
    samples: bool = False
    adds: bool = False
    blanks: bool = False
    synthetic: bool = False
    exchanges: bool = False
    regroups: bool = False
    model: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The effects as plain data, without those that are absent.

        >>> MethodEffects("changes", ("columns",), exchanges=True).as_json()
        {'kind': 'changes', 'columns': ['columns'], 'exchanges': True}
        """
        plain = {name: value for name, value in asdict(self).items() if value}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}

    @staticmethod
    def from_json(given: object) -> MethodEffects | None:
        """The effects that :meth:`as_json` wrote; None for anything else, for a trace may be typed by anybody."""
        if not isinstance(given, Mapping) or not set(given) <= {one.name for one in fields(MethodEffects)}:
            return None
        flags = [one for one in fields(MethodEffects) if one.default is False]
        columns, model = given.get("columns", []), given.get("model")
        readable = (
            given.get("kind") in get_args(EffectKind)
            and given.get("role") in (None, "keys", "household", "weight")
            and isinstance(columns, list | tuple)
            and all(isinstance(name, str) for name in columns)
            and (model is None or isinstance(model, str))
            and all(isinstance(given.get(flag.name, False), bool) for flag in flags)
        )
        return MethodEffects(**{**given, "columns": tuple(columns)}) if readable else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What an entry says of itself.

    The ``example`` gives parameters for the clinic register. ``tacit methods`` and the docs show it, and the battery of
    tests runs the entry with it. ``needs`` names the roles or files without which a measure means nothing, so that an
    audit leaves it out in silence; ``upto`` the number of records up to which an audit takes it unasked. Methods say when
    to ``use`` and when to ``avoid`` them. ``repeatable`` is False for methods whose noise comes from the secure source of
    the differential-privacy library: no seed repeats it. ``effects`` is what a masking method does to a file, ``family``
    its heading in menus; ``suits`` the kinds of columns on which it is tried first, each with its rank among such methods.
    A method that ``provides`` models takes them as a parameter: those of equivalence classes, or also those of households.
    """

    tags: Tags
    example: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[Literal["weight", "household", "population", "confidential", "hierarchy", "original"], ...] = ()
    upto: int | None = None
    use: str = ""
    avoid: str = ""
    repeatable: bool = True
    effects: MethodEffects | None = None
    family: Family = "other"
    suits: Mapping[str, int] = field(default_factory=dict)
    provides: tuple[Literal["classes", "households"], ...] = ()


def _as_decorator(make: Callable[Options, Description]) -> Callable[Options, Callable[[Described], Described]]:
    def describe(*args: Options.args, **options: Options.kwargs) -> Callable[[Described], Described]:
        """Attach a :class:`Description` of these fields to a class or function, which is returned as it is.

        >>> @describe(tags=Tags(about="identity", kind="method"))
        ... class Nothing: ...
        >>> describe_type(Nothing).tags.about
        'identity'
        """
        description = make(*args, **options)

        def attach(described: Described) -> Described:
            described.__description__ = description  # type: ignore[attr-defined]
            return described

        return attach

    return describe


describe = _as_decorator(Description)


def describe_type(described: object) -> Description | None:
    """The description of a class or function; one that it only inherits is not its own."""
    found = getattr(described, "__dict__", {}).get("__description__")
    return found if isinstance(found, Description) else None


def plan_name(name: str) -> str:
    """The name in plans of a class or function.

    >>> plan_name("RankSwap"), plan_name("KAnonymity"), plan_name("k_map")
    ('rank_swap', 'k_anonymity', 'k_map')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Description):
    """One entry of a registry: the class or function, and what it says of itself."""

    call: Callable[..., Any]
    catalogue: str = ""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters: the fields of a model, method or attack, the options of a measure."""
        if is_dataclass(self.call):
            return tuple(one.name for one in fields(self.call))
        return tuple(one.name for one in self._keyword_options)

    @property
    def required(self) -> tuple[str, ...]:
        """The options that a measure cannot do without."""
        return tuple(one.name for one in self._keyword_options if one.default is one.empty)

    @property
    def _keyword_options(self) -> list[inspect.Parameter]:
        beside = ("original", "lineage", "population")
        every = inspect.signature(self.call).parameters.values()
        return [one for one in every if one.kind is one.KEYWORD_ONLY and one.name not in beside]

    @property
    def summary(self) -> str:
        """The first line of the docstring, as plain text."""
        first = (self.call.__doc__ or "").strip().split("\n")[0]
        return re.sub(r":math:`([^`]*)`", r"\1", first).replace("``", "")


class Registry(Mapping[str, Entry]):
    """The entries of a package by the names that plans use; each is imported when it is looked up.

    Entries are those that the package's stub lists below ``section``, then those of entry points in ``group``. The names
    of built-in entries are known without importing any of them, and entry points are read only when a name is not built
    in or all names are asked for. ``describe`` finds the description of an entry: what :func:`describe` attached, unless
    the package has another way, as attacks do, whose classes say all of it already.
    """

    def __init__(
        self,
        package: str,
        section: str,
        *,
        group: str,
        describe: Callable[[Any], Description | None] | None = None,
    ) -> None:
        self.package, self.section, self.group = package, section, group
        self.describe = describe or describe_type
        self._entries: dict[str, Entry] = {}

    @cached_property
    def _builtin(self) -> dict[str, str]:
        targets = stub_targets(self.package, below=self.section)
        return {plan_name(name): target for name, target in targets.items()}

    @cached_property
    def _plugins(self) -> dict[str, EntryPoint]:
        return find_plugins(self.group, taken=self._builtin)

    def __getitem__(self, name: str) -> Entry:
        if name not in self._entries:
            self._entries[name] = self._load(name)
        return self._entries[name]

    def _load(self, name: str) -> Entry:
        if name in self._builtin:
            call = load_target(self._builtin[name])
        elif name in self._plugins:
            call = load_plugin(self._plugins[name])
        else:
            raise KeyError(name)
        description = self.describe(call)
        if description is None or plan_name(call.__name__) != name:
            raise TacitError(
                f"{call.__module__}.{call.__qualname__} is registered as {name!r} in {self.group} and is not described, "
                "or has another name",
                code="plugin_unusable",
                fix="decorate it with tacit.registry.describe (an attack declares makes and linkage), "
                f"and register it as {plan_name(call.__name__)!r}",
            )
        return Entry(call=call, **{one.name: getattr(description, one.name) for one in fields(Description)})

    def __iter__(self) -> Iterator[str]:
        return iter([*self._builtin, *self._plugins])

    def __len__(self) -> int:
        return len(self._builtin) + len(self._plugins)

    def __contains__(self, name: object) -> bool:
        return name in self._builtin or name in self._plugins

    def __repr__(self) -> str:
        return f"{self.package}.{self.section}: {', '.join(self)}"


def find_plugins(group: str, *, taken: Mapping[str, Any] | None = None) -> dict[str, EntryPoint]:
    """The entry points of other distributions in a group, by name; refuses a name that is ``taken`` or comes twice."""
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=group), key=lambda one: (one.name, distribution_name(one))):
        if point.name in (taken or {}):
            raise TacitError(
                f"the distribution {distribution_name(point)!r} adds {point.name!r} to {group}, which Tacit has already",
                code="plugin_name_taken",
                fix=f"rename that entry point, or uninstall {distribution_name(point)}",
            )
        if point.name in found and point.value != found[point.name].value:
            others = f"{distribution_name(found[point.name])!r} and {distribution_name(point)!r}"
            raise TacitError(
                f"the distributions {others} both add {point.name!r} to {group}",
                code="plugin_name_taken",
                fix="rename one, or uninstall one",
            )
        found[point.name] = point
    return found


def load_plugin(point: EntryPoint) -> Any:
    """The object that an entry point names; an error names the distribution that it comes from."""
    try:
        return point.load()
    except Exception as problem:
        raise TacitError(
            f"{point.name!r} of the distribution {distribution_name(point)!r} cannot be imported from {point.value}: "
            f"{type(problem).__name__}",
            code="plugin_unusable",
            fix=f"repair or uninstall {distribution_name(point)}",
        ) from problem


def distribution_name(point: EntryPoint) -> str:
    """The name of the distribution that declares an entry point."""
    return point.dist.name if point.dist is not None else "unknown"


def build_from_params(name: str, kind: Callable[..., Any], parameters: Mapping[str, Any]) -> Any:
    """What a plan describes, from its parameters by name: one that it does not take, or lacks, is named in the error."""
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    takes = f"{name} takes {', '.join(known)}" if known else f"{name} takes no parameter"
    for parameter in parameters:
        if parameter not in known:
            near = nearest_name(str(parameter), known)
            raise TacitError(
                f"{name} has no parameter {parameter!r}",
                code="unknown_name",
                fix=f"did you mean {near!r}? {takes}" if near else takes,
            )
    for parameter, one in known.items():
        if parameter not in parameters and one.default is MISSING and one.default_factory is MISSING:
            raise TacitError(f"{name} lacks its parameter {parameter!r}", code="missing_parameter", fix=takes)
    return kind(**parameters)
