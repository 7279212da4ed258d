"""The `partita` command. It is there with the core alone, and then says what to install."""

from __future__ import annotations

import sys

from partita.extras import MissingExtraError, extra_of, step


def main() -> None:
    """Run the command; if an extra is missing, say which in one line."""
    try:
        if sys.argv[1:2] == ["dynamodb"]:
            from partita.commands import door

            served = door.plain(sys.argv[2:])
            if served is not None:
                sys.exit(door.serve(served, door.environment_keys() or None))
            from partita.commands.dynamodb import alone as app
        else:
            from partita.cli import app
        app()
    except ImportError as error:
        extra = extra_of(error)
        if extra is None:
            raise
        message = error if isinstance(error, MissingExtraError) else f"this command {step(extra)}"
        print(f"partita: {message}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
