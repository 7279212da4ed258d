"""`partita jobs`: what runs in the background, and looking after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from partita.commands.suite import Data, with_suite

if TYPE_CHECKING:
    from partita.kit.jobs import Job
    from partita.kit.suite import Suite

app = typer.Typer(no_args_is_help=True, help="Look after jobs: imports, rebuilds and other long work.")

_STATES = ("waiting", "running", "done", "failed", "cancelled")
JobId = Annotated[str, typer.Argument(help="The id that `partita jobs list` shows.")]


@app.command("list")
def list_(
    state: Annotated[str, typer.Option(help="Only those: waiting, running, done, failed or cancelled.")] = "",
    most: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 50,
    data: Data = None,
) -> None:
    """List jobs, newest first."""
    if state and state not in _STATES:
        raise typer.BadParameter(f"{state} is no state; there are {', '.join(_STATES)}", param_hint="--state")

    async def run(suite: Suite) -> None:
        page = await suite.kit.jobs.all(limit=most, state=state or None)  # type: ignore[arg-type]
        for job in page:
            typer.echo(f"{job.job_id} {job.state:9} {job.kind:24} {job.created_at[:19]} {_summary(job)}".rstrip())
        if not page.items:
            typer.echo("no jobs")

    with_suite(data, run, reads=True)


@app.command()
def show(job_id: JobId, data: Data = None) -> None:
    """Show a job whole."""

    async def run(suite: Suite) -> None:
        _show(await suite.kit.jobs.find(suite.kit.accounts.operator(), job_id))

    with_suite(data, run, reads=True)


@app.command("run")
def run_now(
    kind: Annotated[str, typer.Argument(help="The kind of job, such as enablement.expire.")], data: Data = None
) -> None:
    """Run a job of a kind that takes no arguments now, and whatever else waits; for cron, if nothing is served."""

    async def run(suite: Suite) -> None:
        if suite.kit.jobs.kind(kind) is None:
            raise typer.BadParameter(f"there is no kind of job {kind}", param_hint="KIND")
        job = await suite.kit.jobs.start(kind, {}, None, key=f"command {kind}")
        await suite.run_due_jobs()
        ended = await suite.kit.jobs.find(suite.kit.accounts.operator(), job.job_id)
        typer.echo(f"{ended.state:9} {ended.job_id} {_summary(ended)}".rstrip())
        if ended.state != "done":
            raise typer.Exit(1)

    with_suite(data, run)


@app.command()
def retry(job_id: JobId, data: Data = None) -> None:
    """Start a job again that failed or was cancelled. Where the suite is served, it goes on from its checkpoint."""

    async def run(suite: Suite) -> None:
        job = await suite.kit.jobs.retry(suite.kit.accounts.operator(), job_id)
        typer.echo(f"{job.state:9} {job.job_id}")

    with_suite(data, run)


@app.command()
def cancel(job_id: JobId, data: Data = None) -> None:
    """Cancel a job: at once if it waits, at its next checkpoint if it runs."""

    async def run(suite: Suite) -> None:
        job = await suite.kit.jobs.cancel(suite.kit.accounts.operator(), job_id)
        typer.echo(f"{'stopping' if job.state == 'running' else job.state:9} {job.job_id}")

    with_suite(data, run)


def _summary(job: Job) -> str:
    if job.error:
        return job.error[:80]
    if job.result_message:
        return job.result_message[:80]
    if job.step:
        return f"{job.step} {job.done}/{job.total}" if job.total else job.step
    return ""


def _show(job: Job) -> None:
    for name, value in (
        ("id", job.job_id),
        ("kind", job.kind),
        ("title", job.title),
        ("state", "running, stopping" if job.cancelling and job.state == "running" else job.state),
        ("by", job.user_id or "the clock or a command"),
        ("key", job.once_key),
        ("arguments", job.arguments),
        ("step", job.step),
        ("progress", f"{job.done} of {job.total}" if job.total else job.done or None),
        ("message", job.message),
        ("checkpoint", job.checkpoint),
        ("result", job.result_message),
        ("page", job.result_path),
        ("values", job.result),
        ("error", job.error),
        ("attempts", job.attempts),
        ("owner", job.owner),
        ("heartbeat", job.heartbeat_at),
        ("due", job.due_at),
        ("created", job.created_at),
        ("started", job.started_at),
        ("ended", job.finished_at),
    ):
        if value is not None and value != "":
            typer.echo(f"{name:10} {value}")
    if job.detail:
        typer.echo(f"\n{job.detail.rstrip()}")
