"""What holds for the tests of all systems."""

from tests.steady import steady_limits

__all__ = ["steady_limits"]
