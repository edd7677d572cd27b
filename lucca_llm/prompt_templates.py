"""The folder of prompt templates."""

from pathlib import Path

import jinja2

from lucca_core.paths import config_dir


class PromptTemplates:
    """Renders the templates of a folder, by default `config/prompts`. A missing value is an error."""

    def __init__(self, folder: Path | None = None) -> None:
        self._environment = jinja2.Environment(  # noqa: S701 - the output is a prompt, not HTML
            loader=jinja2.FileSystemLoader(folder or config_dir() / 'prompts'),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
        )

    def render(self, name: str, **values: object) -> str:
        """The text of a template."""
        return self._environment.get_template(name).render(**values)
