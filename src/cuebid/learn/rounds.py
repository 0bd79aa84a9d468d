"""A round of self-play: deal, bid, learn."""

from __future__ import annotations

import copy
import math
from typing import Any

import torch
from torch import Tensor, nn

from cuebid.game import BridgeError
from cuebid.learn import tricks
from cuebid.learn.adan import Adan
from cuebid.learn.critic import Critic
from cuebid.learn.dealing import Deals, SolvedDeals
from cuebid.learn.imitation import Corpus
from cuebid.learn.league import League, frozen
from cuebid.learn.networks import Layers, policy
from cuebid.learn.postmortem import review
from cuebid.learn.replay import Replay
from cuebid.learn.rollout import Seen, advantages, duel, play
from cuebid.learn.runs import check_finite, pick_device, set_rate
from cuebid.learn.selfplay_settings import Settings
from cuebid.learn.updates import Learner, Told, Weights

HOLD = 4.0
"""How hard imitation is pulled up where agreement is short: a point for 25 rounds multiplies its weight by e."""
LEAST, MOST = 3e-3, 10.0
"""Between these that weight stays, so that it is soon back when it is needed."""


class SelfPlay:
    """A run's networks, opponents and randomness, and one round of it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.device = pick_device(settings.device)
        torch.manual_seed(settings.seed)
        self.policy = _starting_policy(settings).to(self.device)
        self.begin = frozen(self.policy)
        self.against = {name: frozen(policy(name)).to(self.device) for name in settings.against}
        sees = settings.value_sees_all, settings.value_sees_tricks, settings.value_sees_others
        judged = settings.algorithm != "postmortem"
        value = Critic(settings.value_width, *sees).to(self.device) if judged else None
        capture = settings.capture and self.device.type == "cuda" and settings.optimizer == "adamw"
        self.learner = Learner(
            self.policy,
            value,
            _optimizer(settings, self.policy, value, capture),
            reference=self.begin if settings.pull or settings.last_pull else None,
            corpus=Corpus.read(settings.corpus, self.device, settings.openings) if settings.corpus else None,
            largest_gradient=settings.gradient,
            clip=settings.clip,
            largest_ratio=settings.largest_ratio,
            capture=capture,
        )
        rivals = [policy(name).to(self.device) for name in settings.rivals]
        self.league = League(self.policy, settings.opponents, settings.league_most, rivals)
        self.replay = Replay(settings.replay, settings.priority_exponent, self.device)
        self.averaged = copy.deepcopy(self.begin)
        self.source = torch.Generator(self.device).manual_seed(settings.seed)
        self.choices = torch.Generator().manual_seed(settings.seed)
        self.deals, self.watch = SolvedDeals.read(
            settings.deals, self.device, settings.vulnerability, settings.validation
        )
        self.deals.perfect_defence = settings.perfect_defence
        if settings.estimator:
            network = tricks.load(settings.estimator, self.device)
            self.deals.add(*tricks.estimated_deals(network, settings.estimated, settings.seed, self.device))
        self.imitation = settings.imitation
        """Its weight now."""
        self.trained = 0
        """Transitions learned from so far."""
        self.seconds = 0.0
        """Spent in rounds so far."""

    def parts(self) -> dict[str, Any]:
        """All that a checkpoint keeps."""
        parts = {
            "policy": self.policy,
            "optimizer": self.learner.optimizer,
            "averaged": self.averaged,
            "league": self.league,
            "replay": self.replay,
            "rest": self,
        }
        return parts | ({"value": self.learner.value} if self.learner.value else {})

    def state_dict(self) -> dict[str, Any]:
        return {
            "source": self.source.get_state(),
            "choices": self.choices.get_state(),
            "imitation": self.imitation,
            "trained": self.trained,
            "seconds": self.seconds,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.source.set_state(state["source"])
        self.choices.set_state(state["choices"])
        self.imitation, self.trained, self.seconds = (state[name] for name in ("imitation", "trained", "seconds"))

    def round(self, number: int) -> Told | None:
        """Bid, learn, and now and then admit the new self to the league; nothing told while the buffer burns in."""
        settings = self.settings
        if settings.opponents != "self" and number % settings.league_every == 0:
            self.league.admit(self.policy)
        met, players, members = self._meeting()
        deals = self.deals.draw(len(met), self.source)
        self.policy.eval()
        self._schedule(number)
        learn = self._go_over if settings.algorithm == "postmortem" else self._reinforce
        told, won = learn(deals, players, met, self._weights(number))
        for place, member in enumerate(members, start=1):
            if bool((met == place).any()):
                self.league.learn(member, float(won[met == place].mean()))
        if told is not None and settings.agreement and number >= self._waiting:
            short = settings.agreement - float(told.agreement)
            self.imitation = min(max(self.imitation * math.exp(HOLD * short), LEAST), MOST)
        if settings.average:
            with torch.no_grad():
                for kept, new in zip(self.averaged.parameters(), self.policy.parameters(), strict=True):
                    kept.lerp_(new, max(1 - settings.average, 1 / (number + 1)))
        self._check()
        return told

    def _check(self) -> None:
        """A network whose weights are no numbers must neither play on, for it would never pass, nor be saved."""
        check_finite(*filter(None, (self.policy, self.learner.value)))

    def _meeting(self) -> tuple[Tensor, list[nn.Module], list[int]]:
        """Whom the learner meets at each deal of a round, int64 [deals]; those networks; their places in the league."""
        settings = self.settings
        count = settings.tables // (2 * settings.copies)
        members = self._opponents()
        share = (settings.league_share + settings.rival_share) / max(len(members), 1)
        met = torch.zeros(count, dtype=torch.int64, device=self.device)
        bounds = [round(place * share * count) for place in range(len(members) + 1)]
        for place in range(len(members)):
            met[bounds[place] : bounds[place + 1]] = place + 1
        return met, [self.policy, *(self.league.members[member] for member in members)], members

    def _go_over(
        self, deals: Deals, players: list[nn.Module], met: Tensor, weights: Weights
    ) -> tuple[Told | None, Tensor]:
        settings = self.settings
        found = review(
            deals,
            players,
            met,
            self.source,
            least=settings.least,
            most=settings.most,
            doubt=settings.doubt,
            reward=settings.reward,
        )
        if not len(found.reviewed):
            raise BridgeError(
                "the policy is sure of every call, there is nothing to go over; raise `doubt` or `entropy`"
            )
        self.trained += len(found.reviewed)
        self.policy.train()
        told = self.learner.postmortem(found.reviewed, weights, settings.epochs, settings.minibatch, self.source)
        return told, found.won

    def _reinforce(
        self, deals: Deals, players: list[nn.Module], met: Tensor, weights: Weights
    ) -> tuple[Told | None, Tensor]:
        settings = self.settings
        played = play(deals, players, met, self.source, copies=settings.copies, remember=True, reward=settings.reward)
        assert played.seen is not None
        return self._learn(played.seen, weights), played.won

    def _opponents(self) -> list[int]:
        """The members of the league to meet in this round."""
        settings = self.settings
        shares = settings.league_share, settings.rival_share if settings.rivals else 0.0
        if settings.opponents == "self" or not sum(shares):
            return []
        drawn = torch.rand(settings.opponents_at_once, generator=self.choices).tolist()
        return [self.league.choose(self.choices, rival=chance * sum(shares) >= shares[0]) for chance in drawn]

    def _learn(self, seen: Seen, weights: Weights) -> Told | None:
        settings = self.settings
        self.policy.train()
        if settings.algorithm == "ppo":
            advantage = advantages(seen, self.learner.expected(seen.moments), settings.trace)
            rows = self._telling(seen)
            self.trained += len(rows)
            part, advantage = seen.moments[rows], advantage[rows]
            return self.learner.ppo(part, advantage, weights, settings.epochs, settings.minibatch, self.source)
        mine = seen.mine.nonzero()[:, 0]
        self.trained += len(mine)
        self.replay.add(seen.moments[mine])
        if len(self.replay) < settings.burn_in:
            return None
        importance = settings.importance_exponent
        return self.learner.a2c_replay(
            self.replay, weights, settings.updates, settings.minibatch, importance, self.source
        )

    def _telling(self, seen: Seen) -> Tensor:
        """The rows to learn from: the learner's own calls, few of those it was sure of."""
        rows, settings = seen.mine, self.settings
        if settings.sure < 1:
            some = torch.rand(len(rows), generator=self.source, device=self.device) < settings.sure_share
            rows = rows & ((seen.moments.log_chance <= math.log(settings.sure)) | some)
        return rows.nonzero()[:, 0]

    def _schedule(self, number: int) -> None:
        settings = self.settings
        share = 1 - (1 - settings.last_rate) * number / settings.rounds
        rates = (settings.learning_rate, settings.value_learning_rate)
        set_rate(self.learner.optimizer, *(rate * share for rate in rates))

    @property
    def _waiting(self) -> int:
        """Rounds in which the policy waits for the value network."""
        return self.settings.value_rounds if self.settings.start and self.settings.algorithm != "postmortem" else 0

    def _weights(self, number: int) -> Weights:
        settings, share = self.settings, number / self.settings.rounds
        return Weights(
            policy=0.0 if number < self._waiting else 1.0,
            entropy=settings.entropy + share * (settings.last_entropy - settings.entropy),
            pull=settings.pull + share * (settings.last_pull - settings.pull),
            imitation=self.imitation,
        )

    @property
    def result(self) -> Layers:
        """The policy that is stored: averaged, if that was asked for."""
        return self.averaged if self.settings.average else self.policy

    def watched(self) -> Deals:
        """The same deals every time."""
        source = torch.Generator(self.device).manual_seed(self.settings.seed + 1)
        return self.watch.draw(self.settings.evaluate_deals, source)

    def evaluate(self) -> dict[str, float]:
        """IMPs a deal of the policy as it would be stored: against its start, its newest past self, rivals, others."""
        self.result.eval()
        deals = self.watched()
        others: dict[str, nn.Module] = {"start": self.begin}
        if len(self.league) > self.league.rivals:
            others["league"] = self.league.members[-1]
        rivals = zip(self.settings.rivals, self.league.members, strict=False)
        others |= {name: rival for name, rival in rivals if name != self.settings.start} | self.against
        told: dict[str, float] = {}
        for name, other in others.items():
            told |= zip((f"IMPs v {name}", f"± {name}"), duel(deals, self.result, other), strict=True)
        return told

    def situations(self) -> tuple[Tensor, Tensor]:
        """What the policy itself comes to: bits uint8 [M, 480] and legal bool [M, 38]."""
        deals = self.watched()
        met = torch.zeros(len(deals), dtype=torch.int64, device=self.device)
        played = play(deals, [self.result], met, torch.Generator(self.device), greedy=True, remember=True)
        assert played.seen is not None
        return played.seen.moments.bits[:20_000, :480], played.seen.moments.legal[:20_000]


def _starting_policy(settings: Settings) -> Layers:
    return policy(settings.start) if settings.start else Layers(settings.architecture)


def _optimizer(settings: Settings, policy: nn.Module, value: nn.Module | None, capture: bool) -> torch.optim.Optimizer:
    """For a captured step the learning rates are tensors, so that they can change without another recording."""
    groups = [
        {"params": list(network.parameters()), "lr": torch.tensor(rate) if capture else rate}
        for network, rate in ((policy, settings.learning_rate), (value, settings.value_learning_rate))
        if network is not None
    ]
    if settings.optimizer == "adan":
        return Adan(groups)
    if settings.optimizer == "rmsprop":
        return torch.optim.RMSprop(groups)
    return torch.optim.AdamW(groups, weight_decay=0.0, eps=1e-5, fused=True, capturable=capture)
