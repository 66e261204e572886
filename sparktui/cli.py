"""The command line, and the one place that knows every part: each command imports only what it needs.

`--version`, `--help`, `config` and every `--json` output work without Textual, the first two without asyncssh and
pysnmp as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sized
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from sparktui import __version__

if TYPE_CHECKING:
    from sparktui.config import Settings

Command = TypeVar("Command", bound=Callable[..., Any])

CANNOT = 2
"""Exit code: it could not do what was asked (0: all is well; 1: what it looked at is bad)."""

SCENARIOS = ("healthy", "rx-loss", "hot-node", "pd-wedge", "drift", "dead-node", "switch-fault", "cable-loss")


def where(command: Command) -> Command:
    """The three ways to say what to look at, on every command that looks at something."""
    for option in (
        click.option(
            "--config", "config_path", metavar="PATH", help="Config file (default: $SPARKTUI_CONFIG, else the user's)."
        ),
        click.option(
            "--hosts", metavar="A,B,C", help="Nodes without a config: [user@]host[:port], ssh aliases, or local."
        ),
        click.option(
            "--demo",
            is_flag=False,
            flag_value="healthy",
            default=None,
            type=click.Choice(SCENARIOS),
            metavar="[SCENARIO]",
            help=f"A simulated rack: {', '.join(SCENARIOS)}.",
        ),
    ):
        command = option(command)
    return command


this_file = click.option("--config", "config_path", metavar="PATH", help="This file instead of the default one.")


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sparktui")
@where
@click.option("--theme", metavar="NAME", help="Theme for this run (key t cycles through all).")
@click.option("-i", "--interval", type=click.FloatRange(0.5, 60), metavar="S", help="Seconds between samples.")
@click.option("--read-only", is_flag=True, help="No key starts, changes or ends anything.")
@click.option("--ascii", "ascii_only", is_flag=True, help="ASCII instead of glyphs.")
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
@click.pass_context
def main(
    context: click.Context,
    config_path: str | None,
    hosts: str | None,
    demo: str | None,
    theme: str | None,
    interval: float | None,
    read_only: bool,
    ascii_only: bool,
    no_mouse: bool,
) -> None:
    """Watch a cluster of DGX Sparks and its switch: both ends of every cable.

    Without a command: the terminal program. `sparktui --demo` shows a simulated rack.
    """
    if context.invoked_subcommand is not None:
        context.obj = (config_path, hosts, demo)
        return
    from sparktui.monitor import watch

    settings = _settings(config_path, hosts, demo, with_screen=True)
    sys.exit(
        watch(
            settings,
            demo=demo,
            theme=theme,
            interval_s=interval,
            read_only=read_only,
            ascii_only=ascii_only or settings.ui.ascii,
            mouse=settings.ui.mouse and not no_mouse,
        )
    )


@main.command()
@where
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.option(
    "--seconds",
    type=click.FloatRange(1, 3600),
    metavar="S",
    help="How long to look (default: 6; with --demo 15, by when its scenario has shown itself).",
)
@click.pass_context
def once(
    context: click.Context,
    config_path: str | None,
    hosts: str | None,
    demo: str | None,
    as_json: bool,
    seconds: float | None,
) -> None:
    """One look, as a table or as JSON, without the terminal program.

    It looks until counters have a delta, and long enough for findings to show. Exit code 1 if a `fail` finding is
    open, 2 if nothing could be reached.
    """
    from sparktui.once import look

    config_path, hosts, demo = _asked(context, config_path, hosts, demo)
    settings = _settings(config_path, hosts, demo, with_screen=False)
    sys.exit(look(settings, seconds=seconds or (15.0 if demo else 6.0), as_json=as_json, demo=demo))


@main.group()
def config() -> None:
    """Make, check and show the config file."""


@config.command("path")
@this_file
@click.pass_context
def config_path_command(context: click.Context, config_path: str | None) -> None:
    """Print where the config file is looked for."""
    click.echo(_file(context, config_path))


@config.command("validate")
@click.argument("path", required=False)
@this_file
@click.pass_context
def config_validate(context: click.Context, path: str | None, config_path: str | None) -> None:
    """Check a config file; every mistake is printed with its line."""
    path = _file(context, path or config_path)
    settings = _load(path)
    click.echo(f"{path}: good ({_count(settings.nodes, 'node')}, {_count(settings.switches, 'switch', 'es')})")


@config.command("show")
@click.argument("path", required=False)
@this_file
@click.pass_context
def config_show(context: click.Context, path: str | None, config_path: str | None) -> None:
    """Print the settings in force that differ from the defaults, secrets hidden."""
    from sparktui.config import dump

    click.echo(dump(_load(_file(context, path or config_path))), nl=False)


@config.command("init")
@click.argument("hosts", nargs=-1)
@click.option("--config", "config_path", metavar="PATH", help="Where to write (default: the user's config file).")
@click.option("--switch", "switches", multiple=True, metavar="NAME=HOST", help="A switch to watch; may be repeated.")
@click.option("--timeout", type=click.FloatRange(1, 60), default=8.0, show_default=True, metavar="S", help="Per host.")
def config_init(hosts: tuple[str, ...], config_path: str | None, switches: tuple[str, ...], timeout: float) -> None:
    """Try each host (those given, else those in ~/.ssh/config) and write a config file with the ones that answer.

    An existing file is kept beside the new one under a dated name.
    """
    from sparktui.config import default_path
    from sparktui.config_init import initialise

    sys.exit(initialise(list(hosts), list(switches), config_path or default_path(), timeout))


def _count(things: Sized, word: str, plural: str = "s") -> str:
    return f"{len(things)} {word}{'' if len(things) == 1 else plural}"


def _file(context: click.Context, path: str | None) -> str:
    """The config file meant: the argument, else --config before the command, else the default."""
    from sparktui.config import default_path

    return path or (context.obj or (None,))[0] or default_path()


def _asked(
    context: click.Context, config_path: str | None, hosts: str | None, demo: str | None
) -> tuple[str | None, str | None, str | None]:
    """The command's own options, else those given before the command."""
    if config_path or hosts or demo:
        return config_path, hosts, demo
    return context.obj or (None, None, None)


def _settings(config_path: str | None, hosts: str | None, demo: str | None, with_screen: bool) -> Settings:
    """The settings for what was asked. Ends the program with code 2 and every reason where they cannot be had."""
    from sparktui import config as file

    if sum(option is not None for option in (config_path, hosts, demo)) > 1:
        _cannot(["--config, --hosts and --demo exclude each other"])
    if demo is not None:
        return file.Settings()
    if hosts is not None:
        try:
            return file.from_hosts(hosts)
        except file.ConfigError as error:
            _cannot(error.problems)
    path = config_path or file.default_path()
    settings = _load(path, with_screen)
    if not settings.nodes and not settings.switches:
        _cannot([f"{path}: no [[nodes]] and no [switches]: nothing to look at"])
    return settings


def _load(path: str, with_screen: bool = True) -> Settings:
    """The checked file. Without `with_screen` its keys, pane and theme are not looked at: that needs Textual."""
    from sparktui import checks
    from sparktui import config as file

    try:
        return file.load(path, [checks.rules, checks.screen] if with_screen else [checks.rules])
    except file.ConfigError as error:
        _cannot(error.problems)
    except FileNotFoundError:
        _cannot(
            [
                f"no config file at {path}",
                "Make one:              sparktui config init HOST...",
                "Or name the nodes:     sparktui --hosts spark1,spark2",
                "Or see a living rack:  sparktui --demo",
            ]
        )
    except OSError as error:
        _cannot([f"{path}: {error.strerror}"])


def _cannot(problems: list[str]) -> NoReturn:
    for problem in problems:
        click.echo(problem, err=True)
    sys.exit(CANNOT)
