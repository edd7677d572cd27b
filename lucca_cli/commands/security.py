"""`lucca security`: the SROS 2 policy of the stack."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli.security_policy import policy_xml
from lucca_core.namespace import chosen_namespace


def security(
    out: Annotated[Optional[Path], typer.Argument(help='File for the policy; printed if there is none.')] = None,
) -> None:
    """Writes what each node may publish, hear, serve and call, as `ros2 security create_permission` reads it."""
    text = policy_xml(chosen_namespace())
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding='utf-8')
