"""The commands. Each imports what it needs when it runs, so that all start fast."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from partita import __version__
from partita.commands import changes, doctor, files, jobs, migrate, notifications, schemas, search, user
from partita.commands.adopt import adopt
from partita.commands.backup import backup, restore
from partita.commands.copy import copy
from partita.commands.demo import demo
from partita.commands.dynamodb import dynamodb
from partita.commands.insights import insights
from partita.commands.serve import serve
from partita.commands.sql import sql
from partita.kit.settings_error import SettingsError


class _Commands(TyperGroup):
    """All commands. Whichever reads the settings says in one line what is wrong with them."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except SettingsError as error:
            typer.echo(f"partita: {error}", err=True)
            raise typer.Exit(1) from None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(migrate.app, name="migrate")
app.add_typer(user.app, name="user")
app.add_typer(changes.app, name="changes")
app.add_typer(jobs.app, name="jobs")
app.add_typer(search.app, name="search")
app.add_typer(files.app, name="files")
app.add_typer(notifications.app, name="notifications")
app.command()(serve)
for command in (
    schemas.explain,
    schemas.check,
    schemas.tables,
    schemas.patterns,
    schemas.export,
    doctor.doctor,
    doctor.row,
):
    app.command()(command)
app.command()(demo)
app.command()(adopt)
app.command()(sql)
app.command()(copy)
app.command()(insights)
app.command()(backup)
app.command()(restore)
app.command()(dynamodb)


def _show_version(show: bool) -> None:
    if show:
        typer.echo(f"partita {__version__}")
        raise typer.Exit


@app.callback()
def main(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Five content systems for one instrument, the DynamoDB table."""


if __name__ == "__main__":
    app()
