"""Numbers that read as text."""


class Shown:
    """Formats as its text, with any padding, also where the value is an integer underneath: `f"{call:>4}"`."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)
