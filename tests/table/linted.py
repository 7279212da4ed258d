"""What `cfn-lint` finds in templates."""

from __future__ import annotations


def mistakes(template: str) -> list[str]:
    """What is wrong with a template, as `cfn-lint` says it."""
    from cfnlint.api import lint  # takes a second, for which those wait who look for mistakes

    return [str(match) for match in lint(template)]
