"""Anything that can call: networks, other programs, and players that know nothing. `load_agent` finds them by name."""

from cuebid.agents.advice import Advice, Agent, Candidate, VectorAgent
from cuebid.agents.load import load_agent, seated, shipped

__all__ = ["Advice", "Agent", "Candidate", "VectorAgent", "load_agent", "seated", "shipped"]
