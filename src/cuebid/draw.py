"""Hands, deals, auctions and tables as people are used to seeing them, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from cuebid.game import Auction, Call, Contract, Deal, Hand, Par, Seat, Strain, Suit, Vulnerability

_RED = "bold red"
_COLUMN = 18
_GRID = (Seat.W, Seat.N, Seat.E, Seat.S)


def console(*, stderr: bool = False) -> Console:
    """Where commands print: colours on a terminal, plain text elsewhere, no line broken."""
    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def suit_symbol(strain: Suit | Strain) -> Text:
    return Text(strain.symbol, style=_RED if strain in (1, 2) else "")


def call(made: Call) -> Text:
    """A call as drawn in a grid."""
    return Text.assemble(str(made.level), suit_symbol(made.strain)) if made.is_bid else Text(made.symbol)


def contract(final: Contract | None) -> Text:
    """A contract, `4♠X by N`, or `passed out`."""
    if final is None:
        return Text("passed out")
    return Text.assemble(call(final.bid), "X" * final.doubled, f" by {final.declarer.word}")


def hand(held: Hand) -> list[Text]:
    """Four lines, spades first."""
    return [
        Text.assemble(suit_symbol(suit), " ", held.holding(suit).replace("T", "10") or "—") for suit in reversed(Suit)
    ]


def deal(all_hands: Deal, dealer: Seat, vulnerability: Vulnerability, *titles: str) -> Text:
    """The four hands around the table; the corner tells dealer, vulnerability and up to two titles of 17 letters."""
    lines = [*titles, f"{dealer.word} deals", f"vulnerable: {vulnerability}", "", ""][:4]
    corner = [Text(line[: _COLUMN - 1]) for line in lines]
    rows = [
        _beside(corner, hand(all_hands[Seat.N]), [Text("")] * 4),
        _beside(hand(all_hands[Seat.W]), _compass(vulnerability), hand(all_hands[Seat.E])),
        _beside([Text("")] * 4, hand(all_hands[Seat.S]), [Text("")] * 4),
    ]
    return Text("\n").join(line for row in rows for line in row)


def _compass(vulnerability: Vulnerability) -> list[Text]:
    north, east, south, west = (seat(place, vulnerability, place.name) for place in Seat)
    return [
        Text.assemble("    ", north),
        Text.assemble("  ", west, "   ", east),
        Text.assemble("    ", south),
        Text(""),
    ]


def seat(place: Seat, vulnerability: Vulnerability, name: str = "") -> Text:
    """A seat's name, red when vulnerable."""
    return Text(name or place.word, style=_RED if vulnerability.includes(place) else "bold")


def _beside(*columns: list[Text]) -> list[Text]:
    lines = []
    for cells in zip(*columns, strict=True):
        line = Text()
        for cell in cells:
            line.append_text(_padded(cell, _COLUMN))
        line.rstrip()
        lines.append(line)
    return lines


def _padded(text: Text, width: int) -> Text:
    return Text.assemble(text, " " * (width - text.cell_len))


def auction(made: Auction, vulnerability: Vulnerability, *, question: bool = True, alerts: Sequence[int] = ()) -> Text:
    """The grid W N E S, the first row indented to the dealer, vulnerable seats red, `?` where a call is awaited.

    `alerts` are the places of alerted calls, counted from 0; they are starred.
    """
    cells = [Text("")] * _GRID.index(made.dealer)
    for place, (_, one) in enumerate(made):
        cells.append(Text.assemble(call(one), "*" if place in alerts else ""))
    if question and not made.is_over:
        cells.append(Text("?", style="bold"))
    lines = [_row([seat(place, vulnerability) for place in _GRID])]
    lines += [_row(cells[start : start + 4]) for start in range(0, len(cells), 4)]
    return Text("\n").join(lines)


def _row(cells: list[Text], width: int = 8) -> Text:
    line = Text()
    for cell in cells:
        line.append_text(_padded(cell, width))
    line.rstrip()
    return line


def double_dummy(tricks: Sequence[Sequence[int]]) -> Text:
    """The table of tricks `tricks[declarer][strain]`, notrump first."""
    strains = list(reversed(Strain))
    lines = [_row([Text(""), *map(suit_symbol, strains)], 5)]
    for place in Seat:
        lines.append(_row([Text(place.name), *(Text(f"{tricks[place][strain]:2}") for strain in strains)], 5))
    return Text("\n").join(lines)


def par(reached: Par) -> Text:
    """North-South's score and the contracts that give it."""
    if not reached.contracts:
        return Text("Par 0: all pass")
    line = Text(f"Par {reached.score:+d} for North-South: ")
    sides: dict[tuple[Call, int, str], list[Seat]] = {}
    for found, tricks in reached.contracts:
        sides.setdefault((found.bid, found.doubled, found.result(tricks)), []).append(found.declarer)
    for place, ((bid, doubled, result), seats) in enumerate(sides.items()):
        who = "".join(each.name for each in seats)
        line.append_text(Text.assemble(", " if place else "", call(bid), "X" * doubled, result, " by ", who))
    return line
