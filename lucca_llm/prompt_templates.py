"""The folder of prompt templates."""

from collections.abc import Callable
from pathlib import Path

import jinja2

from lucca_core.paths import config_dir


def prompt_templates(folder: Path | None = None) -> Callable[[str], jinja2.Template]:
    """The templates of a folder, by default `config/prompts`, by file name. A value that they miss is an error."""
    environment = jinja2.Environment(  # noqa: S701 - the output is a prompt, not HTML
        loader=jinja2.FileSystemLoader(folder or config_dir() / 'prompts'),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    return environment.get_template
