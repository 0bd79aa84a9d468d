"""A bidding program of 20 lines for `cuebid … --agent "process:python3 examples/bot.py"` (docs/engine-protocol.md)."""

import json
import sys


def choose(question):
    """Open the longest suit with 12 points, raise partner's suit once with 6 and three cards, else pass."""
    suits = dict(zip("SHDC", question["hand"].split("."), strict=True))
    points = sum("JQKA".index(card) + 1 for card in question["hand"] if card in "JQKA")
    calls, wish = question["calls"], "P"
    if points >= 12 and all(call == "P" for call in calls):
        wish = "1" + max(suits, key=lambda suit: len(suits[suit]))
    elif points >= 6 and calls[-2:-1] and calls[-2][0] == "1" and len(suits.get(calls[-2][1:], "")) >= 3:
        wish = "2" + calls[-2][1:]
    return wish if wish in question["legal"] else "P"


print(json.dumps({"protocol": 1, "name": "Example", "version": "1.0"}), flush=True)
for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps({"id": question["id"], "call": choose(question)}), flush=True)
