"""`lucca security`: the SROS 2 policy of the stack."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli.security_policy import policy_xml
from lucca_core.namespace import chosen_namespace


def security(
    out: Annotated[Optional[Path], typer.Argument(help='File to write the policy to; printed if not given.')] = None,
) -> None:
    """Writes the SROS 2 policy for `ros2 security create_permission`: what each node may publish, hear, serve, call."""
    text = policy_xml(chosen_namespace())
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding='utf-8')
