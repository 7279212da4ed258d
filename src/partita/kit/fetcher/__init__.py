"""Fetches pages of the public web, and nothing from our own network."""

from partita.kit.fetcher.fetcher import Fetched, Fetcher, fetcher_for
from partita.kit.fetcher.refusals import FetchRefused

__all__ = ["FetchRefused", "Fetched", "Fetcher", "fetcher_for"]
