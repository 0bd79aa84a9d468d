"""Adan (Xie et al. 2022), the optimizer of Qiu et al. 2024: momentum that looks one step ahead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch


class Adan(torch.optim.Optimizer):
    """Keeps averages of the gradient, of its change, and of the square of both together."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float, float] = (0.02, 0.08, 0.01),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            of_gradient, of_change, of_square = group["betas"]
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                gradient, state = parameter.grad, self.state[parameter]
                if not state:
                    state |= {name: torch.zeros_like(parameter) for name in ("mean", "change", "square")}
                    state["before"] = gradient.clone()
                    state["steps"] = torch.zeros(())
                state["steps"] += 1
                change = gradient - state["before"]
                ahead = gradient + (1 - of_change) * change
                state["mean"].lerp_(gradient, of_gradient)
                state["change"].lerp_(change, of_change)
                state["square"].lerp_(ahead * ahead, of_square)
                state["before"].copy_(gradient)
                steps = float(state["steps"])
                mean, moved, square = (
                    state[name] / (1 - (1 - beta) ** steps)
                    for name, beta in (("mean", of_gradient), ("change", of_change), ("square", of_square))
                )
                direction = (mean + (1 - of_change) * moved) / (square.sqrt() + group["eps"])
                parameter.sub_(direction, alpha=group["lr"]).div_(1 + group["lr"] * group["weight_decay"])
