"""How a policy is trained by self-play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cuebid.game import BridgeError
from cuebid.learn.dealing import Vulnerabilities
from cuebid.learn.league import Opponents
from cuebid.learn.rollout import Reward
from cuebid.networks.architecture import Activation, Architecture, Kind

Algorithm = Literal["postmortem", "ppo", "a2c-replay"]
Optimizer = Literal["adamw", "adan", "rmsprop"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a policy is trained by self-play."""

    name: str
    """What the network will be called; the run lives in runs/NAME."""
    purpose: str = "policy trained by self-play"
    """What the card says it is for."""
    start: str = ""
    """The policy to start from: a shipped name or a weights file; empty: from nothing."""
    deals: tuple[str, ...] = ()
    """Stores of solved deals; empty: the shipped ones, to try things only."""
    estimator: str = ""
    """A network that estimates tricks, so that there are more deals: a shipped name or a weights file."""
    estimated: int = 0
    """So many random deals are dealt besides, with tricks drawn by its chances."""
    validation: int = 2000
    """So many of the last deals are kept apart to watch the training with."""
    vulnerability: Vulnerabilities = "random"
    """`random`, or `none`: nobody vulnerable, as in the papers."""
    perfect_defence: float = 0.0
    """On this share of the deals every contract that fails counts as doubled."""
    reward: Reward = "imps"
    """`imps` against the other table, or the raw `score` (Kita)."""
    width: int = 1024
    """Neurons in each hidden layer, where the policy starts from nothing."""
    depth: int = 4
    """Hidden layers, likewise."""
    kind: Kind = "mlp"
    """`mlp` or `residual`, likewise."""
    activation: Activation = "gelu"
    """`gelu` or `relu`, likewise."""
    hand_features: bool = False
    """Counts of the own hand as further inputs, likewise."""
    value_width: int = 1024
    """Neurons in each hidden layer of the value network, which PPO and A2C learn from."""
    value_sees_all: bool = True
    """Whether the value network sees all four hands; `false` is the paper's ablation No HI."""
    value_sees_tricks: bool = True
    """Whether it also sees the double dummy table, which is known where the training is."""
    value_sees_others: bool = True
    """Whether it also sees what the deal scored at the tables it is compared with."""
    algorithm: Algorithm = "ppo"
    """`postmortem` (candidates tried on the deal), `ppo` (clipped, several passes) or `a2c-replay` (Qiu et al.)."""
    rounds: int = 1000
    """Rounds of bidding and learning."""
    tables: int = 131_072
    """Tables a round."""
    copies: int = 1
    """PPO, A2C: tables a deal is bid at in either seating; a table is paid the mean of its IMPs against the others'."""
    minibatch: int = 16384
    """Transitions a step."""
    epochs: int = 2
    """Post-mortem and PPO: passes over what was seen."""
    clip: float = 0.2
    """Post-mortem and PPO: how far a chance may move in one round, as a share of itself."""
    trace: float = 1.0
    """PPO: λ of generalized advantage estimation; 1 trusts the reward alone, less trusts the value network more."""
    sure: float = 1.0
    """PPO: calls likelier than this when they were made teach little, …"""
    sure_share: float = 0.1
    """… so only this share of them is learned from."""
    least: float = 0.02
    """Post-mortem: a call at least so likely is a candidate."""
    most: int = 4
    """Post-mortem: candidates tried of a decision."""
    doubt: float = 0.05
    """Post-mortem: in this share of its decisions the second choice is a candidate however unlikely."""
    updates: int = 10
    """A2C: steps a round."""
    replay: int = 80_000
    """A2C: capacity of the buffer, in transitions."""
    burn_in: int = 20_000
    """A2C: transitions in the buffer before the first step."""
    priority_exponent: float = 0.8
    """A2C: how strongly large advantages are preferred; 0 is the paper's ablation No PR."""
    importance_exponent: float = 0.6
    """A2C: how much of that preference is undone by weights."""
    largest_ratio: float = 10.0
    """A2C: cap of the importance ratio."""
    optimizer: Optimizer = "adamw"
    """`adamw`, `adan` (Qiu et al.) or `rmsprop` (Gong et al.)."""
    learning_rate: float = 1e-4
    """Of the policy, at first."""
    value_learning_rate: float = 1e-4
    """Of the value network, at first."""
    last_rate: float = 0.05
    """The share of both learning rates that is left at the end, on a straight line."""
    entropy: float = 0.02
    """Weight of the policy's entropy, at first."""
    last_entropy: float = 0.01
    """The same at the end, on a straight line."""
    pull: float = 0.0
    """Weight of the divergence from the starting policy, which keeps the bidding readable, at first."""
    last_pull: float = 0.0
    """The same at the end, on a straight line."""
    corpus: tuple[str, ...] = ()
    """Corpora of auctions to stay close to (but for their test parts)."""
    imitation: float = 0.1
    """Weight of the surprise at the corpus' calls, at first."""
    openings: float = 1.0
    """How much more the corpus' calls before anybody has bid count in it."""
    agreement: float = 0.0
    """The share of the corpus' calls to agree with: the weight above follows, so as to hold it. 0: it is fixed."""
    gradient: float = 0.5
    """Largest norm of each network's gradient."""
    value_rounds: int = 20
    """First rounds in which only the value network learns, where the policy starts from another."""
    opponents: Opponents = "self"
    """`self`, `league` (all members equally often) or `prioritized` (those that hurt more, more often)."""
    league_share: float = 0.5
    """Share of the deals against past selves; then only the learner's own calls are learned from."""
    rivals: tuple[str, ...] = ()
    """Networks that are in the league from the start and stay: shipped names or weights files."""
    rival_share: float = 0.0
    """Share of the deals against them. What is left of the shares is played against itself."""
    opponents_at_once: int = 2
    """Members of the league met in a round."""
    league_every: int = 50
    """Rounds between new members."""
    league_most: int = 20
    """Past selves kept at most."""
    average: float = 0.0
    """How much of the averaged weights, which are stored, stays each round (0.99: some 100 rounds); 0: no average."""
    lowest_entropy: float = 0.01
    """The run stops when the policy's entropy, where it learns, falls below this."""
    keep_every: int = 0
    """Rounds between copies of the network that are kept as runs/NAME/round-K.npz; 0: none."""
    evaluate_every: int = 100
    """Rounds between matches against the starting policy and the newest member."""
    evaluate_deals: int = 4096
    """Deals of each of those matches."""
    against: tuple[str, ...] = ()
    """Networks that those matches are played against besides: shipped names or weights files."""
    seed: int = 0
    """Of everything random."""
    device: str = "auto"
    """`auto`, `cpu` or `cuda`."""
    capture: bool = True
    """On a GPU, with `adamw`: record the steps of learning as CUDA graphs, which saves the time of starting kernels."""
    save_every: int = 60
    """Seconds between checkpoints."""

    def __post_init__(self) -> None:
        counts = (self.rounds, self.minibatch, self.epochs, self.updates, self.replay, self.copies, self.league_every)
        more = (self.league_most, self.opponents_at_once, self.evaluate_every, self.evaluate_deals)
        if min(*counts, *more) < 1:
            raise BridgeError("rounds, minibatch, epochs, updates, replay, copies and the like are at least 1")
        if self.tables < 2 * self.copies:
            raise BridgeError(f"{self.tables} tables are too few: a deal is bid at {2 * self.copies}")
        if self.algorithm == "a2c-replay" and self.burn_in > self.replay:
            raise BridgeError(f"a buffer of {self.replay} never holds the {self.burn_in} transitions of burn_in")
        if min(self.league_share, self.rival_share) < 0 or self.league_share + self.rival_share > 1:
            raise BridgeError("league_share and rival_share are shares of the deals, together at most 1")
        if not (0 < self.least < 1 and 2 <= self.most <= 38 and 0 <= self.doubt <= 1):
            raise BridgeError("least is above 0 and below 1, most from 2 to 38, doubt a share")
        if self.algorithm == "postmortem" and self.copies > 1:
            raise BridgeError("a post-mortem bids each deal at two tables: copies = 1")
        if bool(self.rivals) != (self.rival_share > 0):
            raise BridgeError("rivals and rival_share go together")
        if self.rivals and self.opponents == "self":
            raise BridgeError('rivals are met in a league: opponents = "league" or "prioritized"')
        if bool(self.estimator) != (self.estimated > 0):
            raise BridgeError("estimator and estimated go together")
        if not 0 <= self.perfect_defence <= 1:
            raise BridgeError("perfect_defence is a share of the deals")
        if self.perfect_defence and self.algorithm != "postmortem":
            raise BridgeError("perfect_defence is for post-mortems: a value network is not told how a deal is scored")
        if not 0 <= self.average < 1:
            raise BridgeError("average is a share, from 0 to below 1")
        if self.openings <= 0:
            raise BridgeError("openings is above 0")
        if self.agreement and not self.corpus:
            raise BridgeError("agreement is with a corpus: name one")

    @property
    def architecture(self) -> Architecture:
        return Architecture(
            width=self.width,
            depth=self.depth,
            kind=self.kind,
            activation=self.activation,
            hand_features=self.hand_features,
        )
