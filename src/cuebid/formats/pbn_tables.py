"""Double dummy tables in PBN: the section OptimumResultTable and the tag DoubleDummyTricks."""

from __future__ import annotations

import re

from cuebid.formats.board import Table
from cuebid.formats.errors import FormatError, expecting, got
from cuebid.formats.pbn_syntax import Tag, write_tag
from cuebid.game import Seat, Strain

_STRAINS = {"C": Strain.C, "D": Strain.D, "H": Strain.H, "S": Strain.S, "NT": Strain.N, "N": Strain.N}
_COLUMNS = ["Declarer", "Denomination", "Result"]
_HEX_SEATS = (Seat.N, Seat.S, Seat.E, Seat.W)
_HEX_STRAINS = (Strain.N, Strain.S, Strain.H, Strain.D, Strain.C)
_HEX = re.compile(r"[0-9A-Da-d]{20}")


def read_table(tag: Tag) -> Table | None:
    """The table of a section; none when its columns or rows are not the usual ones, so that it is kept as it is."""
    columns = [column.partition("\\")[0].lstrip("+-") for column in tag.value.split(";")]
    if columns != _COLUMNS or len(tag.section) != 20:
        return None
    tricks = [[-1] * 5 for _ in Seat]
    for line in tag.section:
        words = line.text.split()
        if len(words) != 3 or words[1] not in _STRAINS or not (words[2].isdecimal() and words[2].isascii()):
            raise FormatError(line.number, "declarer, denomination and tricks, such as N NT 9", got(line.text))
        with expecting("a declarer", line.number):
            row = tricks[Seat(words[0])]
        if len(words[2]) > 2 or int(words[2]) > 13:
            raise FormatError(line.number, "0 to 13 tricks", got(words[2]))
        row[_STRAINS[words[1]]] = int(words[2])
    if any(cell < 0 for row in tricks for cell in row):
        raise FormatError(tag.line, "each declarer in each denomination", "got one of them twice")
    return tuple(map(tuple, tricks))


def write_table(tricks: Table) -> str:
    rows = (f"{seat} {strain!s:>2} {tricks[seat][strain]:>2}\n" for seat in _HEX_SEATS for strain in _HEX_STRAINS)
    return write_tag("OptimumResultTable", r"Declarer;Denomination\2R;Result\2R") + "".join(rows)


def read_hex_table(tag: Tag) -> Table | None:
    """`DoubleDummyTricks`: twenty hex digits; none when some are left open with `*` or `-`."""
    if not tag.value or (len(tag.value) == 20 and ("*" in tag.value or "-" in tag.value)):
        return None
    if not _HEX.fullmatch(tag.value):
        raise FormatError(tag.line, "20 hexadecimal digits 0 to d", got(tag.value))
    digits = iter(tag.value)
    tricks = [[0] * 5 for _ in Seat]
    for seat in _HEX_SEATS:
        for strain in _HEX_STRAINS:
            tricks[seat][strain] = int(next(digits), 16)
    return tuple(map(tuple, tricks))
