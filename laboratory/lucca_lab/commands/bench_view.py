"""`lucca bench view`: the speed of the page, and its cost for the stack."""

import json
from pathlib import Path
from typing import Annotated

import typer

from lucca_cli.exit_codes import telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_lab.bench.view import measure_view
from lucca_lab.dds_domains import own_domain


def bench_view(
    pairs: Annotated[int, typer.Option(min=1, help='Pairs of figures, one with and one without the page.')] = 10,
    actions: Annotated[int, typer.Option(min=1, help='Actions in each half of a pair.')] = 60,
    stops: Annotated[int, typer.Option(min=1, help='Presses of the Escape key, each during an action.')] = 20,
    seed: Annotated[int, typer.Option(min=0, help='Seed of the times of the stops.')] = 1,
    out: Annotated[Path, typer.Option(help='Folder for figures, logs and the memory of the stacks.')] = Path(
        'out/bench-view'
    ),
    as_json: Json = False,
) -> None:
    """Measures the page in headless Chromium, on the kinematic table: events to the screen, stops, overhead.

    Turns of thirty actions with the page open (3D closed) and without alternate. The stacks have a DDS domain of their
    own. A run that was ended continues where it stopped if --out is the same.
    """
    show = Output(as_json=as_json)
    with telling_errors(show), own_domain():
        found = measure_view(out, pairs=pairs, actions=actions, stops=stops, seed=seed, show=show.line).as_json()
        (out / 'view.json').write_text(json.dumps(found, indent=2) + '\n', encoding='utf-8')
        if as_json:
            show.json(found)
        else:
            for name in ('event_to_screen_ms_p95', 'stop_ms_max', 'overhead_ratio_p50', 'overhead_added_ms_p50'):
                show.line(f'  {name:<24} {found[name]:10.3f}')
