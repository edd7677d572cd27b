"""The folder of prompt templates."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import jinja2

from lucca_core.paths import config_dir


def prompt_templates(folder: Path | None = None) -> Callable[[str], jinja2.Template]:
    """Returns a function that gives the template of a file name in a folder, by default `config/prompts`.

    A template that is rendered without one of its values raises jinja2.UndefinedError.
    """
    return _environment(folder or config_dir() / 'prompts').get_template


@cache
def _environment(folder: Path) -> jinja2.Environment:
    """An environment keeps the templates that it has compiled, unless their files change."""
    return jinja2.Environment(  # noqa: S701 - the output is a prompt, not HTML
        loader=jinja2.FileSystemLoader(folder), undefined=jinja2.StrictUndefined, trim_blocks=True
    )
