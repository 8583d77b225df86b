"""Random classic and meta requests to two servers that are to answer the same."""

from differential.conversation import Difference, Side, compare
from differential.generator import Generator

__all__ = ["Difference", "Generator", "Side", "compare"]
