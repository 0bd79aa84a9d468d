"""What the tests of self-play share: bidders with one idea, solved deals, scores by the plain rules."""

from dataclasses import replace

import pytest

from cuebid.doubledummy import shipped_store

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from cuebid.learn.dealing import SolvedDeals
from cuebid.learn.rollout import play

CPU = torch.device("cpu")


def bid(deals, networks, greedy=True, **options):
    """The first network against the last at every deal."""
    met = torch.full((len(deals),), len(networks) - 1)
    return play(deals, networks, met, torch.Generator().manual_seed(5), greedy=greedy, **options)


class Pushy(torch.nn.Module):
    """Bids on as cheaply as it can with so many points, else passes. Its scores are exact in 16 bits."""

    def __init__(self, points):
        super().__init__()
        self.points = points

    def forward(self, bits):
        worth = torch.tensor([max(rank - 8, 0) for rank in range(13) for _ in range(4)], dtype=bits.dtype)
        strong = (bits[:, 428:] * worth).sum(dim=1) >= self.points
        bids = -torch.arange(38, dtype=bits.dtype)
        scores = bids.repeat(len(bits), 1)
        scores[:, 0] = torch.where(strong, -60, 60).to(bits.dtype)
        scores[:, 1:3] = -50
        return scores


class PushyAgent:
    """The same, asked by a match."""

    version = "1"

    def __init__(self, points):
        self.points, self.name = points, f"pushy {points}"

    def calls(self, situations):
        return [
            next((call for call in situation.legal if call.is_bid), 0) if situation.hand.hcp >= self.points else 0
            for situation in situations
        ]


def drawn(count, seed=0):
    store = shipped_store()
    deals = SolvedDeals(torch.from_numpy(store.owner), torch.from_numpy(store.tricks))
    return deals.draw(count, torch.Generator().manual_seed(seed))


def worth(contract, tricks, vulnerable, strict):
    """What a contract brings its declarer; where `strict`, doubled if it fails."""
    if strict and tricks < contract.tricks_needed and not contract.doubled:
        contract = replace(contract, doubled=1)
    return contract.score(tricks, vulnerable)
