"""What the suite holds about a person: found, given to them, and erased; each system says what it holds."""

from partita.kit.personal_data.holdings import LEFT, Fate, Holding, Person

__all__ = ["LEFT", "Fate", "Holding", "Person"]
