"""What a form of the page sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...errors import TacitError


class Form(Mapping[str, list[str]]):
    """Name → the texts that were sent under it."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._sent: dict[str, list[str]] = {}
        for name, text in pairs:
            self._sent.setdefault(name, []).append(text)

    def __getitem__(self, name: str) -> list[str]:
        return self._sent[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sent)

    def __len__(self) -> int:
        return len(self._sent)

    def get_last(self, name: str, default: str = "") -> str:
        """The last text under a name."""
        return self._sent.get(name, [default])[-1]

    def get_all(self, name: str) -> list[str]:
        """All texts under a name, without empty ones."""
        return [text for text in self._sent.get(name, []) if text]

    def number(self, name: str) -> int:
        """A whole number that the page itself put in."""
        try:
            return int(self.get_last(name))
        except ValueError:
            raise TacitError(
                f"{name} is no whole number", code="not_whole_number", fix="reload the page and do it again"
            ) from None
