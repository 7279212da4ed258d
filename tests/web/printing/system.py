"""How it is put together."""

from tests.web.press import build as build
