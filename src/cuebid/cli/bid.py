"""`cuebid bid`, `cuebid auction`, `cuebid agents`: what to call, a whole board, and who can be asked."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from cuebid.cli import common, searched
from cuebid.game import Auction, Call, Contract, Deal, Seat, Side, Situation, Vulnerability

if TYPE_CHECKING:
    from cuebid.agents import Advice

DEFAULT = "search:sayc"
POLICY = "sayc"
"""Bids whole boards, where nobody waits to be told why."""
SHOWN = 8
"""Candidates shown to people; `--json` has them all."""
BAR, NARROW = 30, 16


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    bid = verbs.add_parser("bid", help="what to call with a hand, and what else was considered")
    bid.add_argument("hand", help="spades first, such as AKQ2.JT9.876.543 or 'AKQ2 JT9 876 543'")
    bid.add_argument("--auction", default="", metavar="CALLS", help="the calls so far, such as '1H P 2N'")
    bid.add_argument("--dealer", type=common.seat, help="who dealt (default: fits --seat and the calls, else N)")
    bid.add_argument("--seat", type=common.seat, help="whose hand it is (default: whose turn it is)")
    bid.add_argument("--vul", type=common.vulnerability, default=Vulnerability.NONE, help="none, ns, ew or both")
    bid.add_argument("--agent", default=DEFAULT, help=f"who advises (default {DEFAULT}; see `cuebid agents`)")
    bid.add_argument("--seconds", type=common.seconds, help="time for a search (default: its number of deals decides)")
    bid.add_argument("--json", action="store_true", help="as JSON")
    bid.set_defaults(run=run_bid)

    auction = verbs.add_parser("auction", help="let four agents bid a board")
    auction.add_argument("deal", nargs="?", help='"N:AKQ2.JT9.876.543 …" (default: a random one)')
    auction.add_argument("--seed", type=common.whole, help="which random board (default: a new one, told)")
    auction.add_argument("--dealer", type=common.seat, default=Seat.N)
    auction.add_argument("--vul", type=common.vulnerability, default=Vulnerability.NONE)
    auction.add_argument("--agent", default=POLICY, help=f"for all four seats (default {POLICY})")
    for side, seats in (("ns", "North-South"), ("ew", "East-West")):
        auction.add_argument(f"--{side}", metavar="AGENT", help=f"for {seats} instead")
    auction.add_argument("--json", action="store_true", help="as JSON")
    auction.set_defaults(run=run_auction)

    agents = verbs.add_parser("agents", help="who can be asked to call")
    agents.add_argument("--json", action="store_true", help="the cards of the shipped networks")
    agents.set_defaults(run=run_agents)


def calls_of(text: str) -> list[Call]:
    """`1H P 2N`, `1H-P-2N` or `1H,P,2N`."""
    return [Call(word) for word in re.split(r"[\s,]+|(?<=\S)-(?=\S)", text.strip()) if word]


def run_bid(options: argparse.Namespace) -> None:
    calls = calls_of(options.auction)
    dealer = options.dealer
    if dealer is None:
        dealer = Seat.N if options.seat is None else options.seat + (-len(calls))
    situation = Situation(options.hand, options.seat, dealer, options.vul, calls)
    situation.check_turn()

    from cuebid.agents import seated

    common.check_searches(options.seconds, options.agent)
    with seated(common.taking(options.agent, options.seconds)) as (agent,):
        advice = agent.advise(situation)
    if options.json:
        common.print_json(advice.to_json() | {"agent": agent.name, "version": agent.version})
        return
    _show(situation, advice, agent.name)


def _show(situation: Situation, advice: Advice, name: str) -> None:
    from rich.text import Text

    from cuebid import draw

    out = draw.console()
    seat = draw.seat(situation.seat, situation.vulnerability)
    out.print(Text.assemble(seat, f" to call, {_vulnerable(situation.vulnerability)}, {situation.dealer.word} dealt"))
    out.print()
    out.print(Text("\n").join(draw.hand(situation.hand)))
    out.print()
    out.print(draw.auction(situation.auction, situation.vulnerability))
    out.print()
    decision = getattr(advice, "decision", None)
    out.print(
        Text.assemble(f"{name} calls ", (advice.call.symbol, "bold"), searched.verdict(decision) if decision else "")
    )
    shown = advice.candidates[:SHOWN]
    gains = searched.candidates(decision) if decision else {}
    width = NARROW if gains else BAR
    for one in shown:
        bar = "█" * max(1, round(width * one.probability))
        call = draw.call(one.call)
        line = Text.assemble("  ", call, " " * (6 - call.cell_len), f"{one.probability:6.1%}  ", (bar, "cyan"))
        if gain := gains.get(str(one.call)):
            line.append_text(Text.assemble(" " * (width + 2 - len(bar)), gain))
        out.print(line)
    if others := len(advice.candidates) - len(shown):
        rest = sum(one.probability for one in advice.candidates[SHOWN:])
        out.print(f"  and {others} more, {rest:.1%} together")
    if decision and decision.tried is not None:
        out.print()
        out.print(searched.basis(decision))


def _vulnerable(who: Vulnerability) -> str:
    return {
        Vulnerability.NONE: "nobody vulnerable",
        Vulnerability.NS: "North-South vulnerable",
        Vulnerability.EW: "East-West vulnerable",
        Vulnerability.BOTH: "everybody vulnerable",
    }[who]


def run_auction(options: argparse.Namespace) -> None:
    from cuebid.agents import seated

    title = ""
    if options.deal is not None:
        deal = Deal(options.deal)
    else:
        seed = common.new_seed() if options.seed is None else options.seed
        deal, title = common.deal_of(seed), f"Seed {seed}"
    made = Auction(options.dealer)
    with seated(*(name or options.agent for name in (options.ns, options.ew))) as sides:
        while not made.is_over:
            made = made.after(sides[made.turn.side].advise(Situation.at(deal, made, options.vul)).call)

    points, tricks = 0, None
    if made.contract is not None:
        tricks = _tricks(deal, made.contract)
        points = made.contract.score(tricks, options.vul.includes(made.contract.declarer))
        points = points if made.contract.declarer.side == Side.NS else -points
    if options.json:
        told = {
            "deal": str(deal), "dealer": str(options.dealer), "vulnerability": str(options.vul),
            "calls": [str(call) for call in made.calls],
            "contract": str(made.contract) if made.contract else None, "tricks": tricks, "north_south": points,
        }  # fmt: skip
        common.print_json(told | {side: agent.name for side, agent in zip(("ns", "ew"), sides, strict=True)})
        return

    from cuebid import draw

    out = draw.console()
    out.print(draw.deal(deal, options.dealer, options.vul, *([title] if title else [])))
    out.print()
    out.print(draw.auction(made, options.vul))
    out.print()
    out.print(draw.contract(made.contract), end="")
    out.print("" if tricks is None else f": {tricks} tricks double dummy, {points:+d} for North-South")


def _tricks(deal: Deal, contract: Contract) -> int:
    import numpy as np

    from cuebid.doubledummy import owner_of, solve_cells

    return int(solve_cells(owner_of([deal]), np.array([[0, contract.strain, contract.declarer]]))[0])


def run_agents(options: argparse.Namespace) -> None:
    from cuebid.agents import load
    from cuebid.networks.weights import read_card

    cards = [read_card(load.WEIGHTS / f"{name}.npz") for name in load.shipped()]
    if options.json:
        from dataclasses import asdict

        common.print_json([asdict(card) for card in cards])
        return
    for card in cards:
        print(f"{card.name:14} {card.purpose}")
    print(f"\nAlso {load.OTHERS}.")
