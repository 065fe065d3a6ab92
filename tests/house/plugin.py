"""A method as another distribution has it."""

from dataclasses import dataclass

from tacit.registry import MethodEffects, Tags, describe
from tacit.release.masked import Masked
from tacit.release.trace import Trace


@describe(tags=Tags(about="identity", kind="method"), effects=MethodEffects("changes", ("columns",)))
@dataclass(frozen=True, kw_only=True)
class OfficeRule:
    """Set every value of the columns to 0."""

    columns: str

    def apply(self, release, *, seed=None, progress=None):
        """The release with zeros."""
        return Masked(release.with_columns({self.columns: [0] * release.size}), (Trace.of(self),))


class Undescribed:
    """A class that says nothing of itself."""
