"""`lucca security`: the SROS 2 policy of the stack."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli.options import Robot
from lucca_cli.security_policy import policy_xml
from lucca_core.namespace import chosen_namespace
from lucca_robot.profile import load_profile


def security(
    out: Annotated[Optional[Path], typer.Argument(help='File to write the policy to; printed if not given.')] = None,
    robot: Robot = '',
) -> None:
    """Writes the SROS 2 policy for `ros2 security create_permission`: what a node may publish, hear, serve, call."""
    text = policy_xml(load_profile(robot) if robot else load_profile(), chosen_namespace())
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding='utf-8')
