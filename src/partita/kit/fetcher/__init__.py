"""Fetches pages of the public web for people, and nothing else for anybody."""

from partita.kit.fetcher.fetcher import Fetched, FetchedFile, Fetcher, fetcher_for
from partita.kit.fetcher.refusals import FetchRefused

__all__ = ["FetchRefused", "Fetched", "FetchedFile", "Fetcher", "fetcher_for"]
