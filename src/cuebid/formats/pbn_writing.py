"""Boards as PBN in export format."""

from __future__ import annotations

from collections.abc import Iterable

from cuebid.formats.board import Board
from cuebid.formats.errors import FormatError, got
from cuebid.formats.pbn_syntax import HEADER, MANDATORY, write_comment, write_tag
from cuebid.formats.pbn_tables import write_table
from cuebid.formats.pbn_tokens import write_calls, write_cards
from cuebid.game import Contract

_NAMES = ("North", "East", "South", "West")
_VULNERABLE = ("None", "NS", "EW", "All")


def render(boards: Iterable[Board]) -> str:
    """Write boards in export format."""
    return HEADER + "\n".join(map(_render_board, boards))


def _render_board(board: Board) -> str:
    contract = board.contract if isinstance(board.contract, Contract) else None
    said = _said(board, contract)
    parts = [write_comment(comment) for comment in board.comments]
    parts += [write_tag(name, _literal(name, _irregular(board, name, said[name]))) for name in MANDATORY]
    parts += [write_tag(name, _literal(name, value)) for name, value in board.tags if name not in said]
    auction = board.auction
    if auction is not None and board.calls is not None:
        calling = board.in_progress and not auction.is_over
        parts += [write_tag("Auction", str(auction.dealer)), write_calls(board.calls, auction.is_over, calling)]
    playing = board.in_progress and (auction is None or auction.is_over)
    if contract and (board.play or playing):
        parts += [write_tag("Play", str(contract.declarer.lho)), write_cards(board.play, contract, playing)]
    if board.tricks is not None and all(section.name != "OptimumResultTable" for section in board.sections):
        parts.append(write_table(board.tricks))
    for section in board.sections:
        parts += [write_tag(section.name, section.value), *(f"{row}\n" for row in section.rows)]
    return "".join(parts)


def _said(board: Board, contract: Contract | None) -> dict[str, str]:
    """The mandatory tags from the fields; those with no field from the other tags."""
    said = {name: board.tag(name) or "" for name in ("Event", "Site", "Date", "Scoring")}
    said |= {name: board.names[seat] or "" for seat, name in enumerate(_NAMES)}
    said["Board"] = board.number or ""
    said["Dealer"] = "" if board.dealer is None else str(board.dealer)
    said["Vulnerable"] = "" if board.vulnerability is None else _VULNERABLE[board.vulnerability]
    hands = " ".join("-" if hand is None else str(hand) for hand in board.hands)
    said["Deal"] = "" if not any(board.hands) else f"N:{hands}"
    said["Declarer"] = str(contract.declarer) if contract else ""
    said["Contract"] = str(contract)[:-1] if contract else "Pass" if board.contract else ""
    said["Result"] = "" if board.result is None else str(board.result)
    return said


def _literal(name: str, value: str) -> str:
    """A value that would be taken for an inherited one; the boards that follow write every mandatory tag themselves."""
    if value != "#" and not value.startswith("##"):
        return value
    if name not in MANDATORY:
        raise FormatError(1, f"a [{name}] other than # and ##, which PBN takes from the board before", got(value))
    return "##" + value


def _irregular(board: Board, name: str, said: str) -> str:
    """A kept Declarer, Contract or Result where it says more than the field."""
    kept = board.tag(name) if name in ("Declarer", "Contract", "Result") else None
    return kept if kept and said in ("", kept.removeprefix("^")) else said
