"""The `lucca eval` and `lucca bench` command groups."""

import json
from pathlib import Path
from typing import Annotated

import typer

from lucca_cli.exit_codes import telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_lab.bench import stack as bench_command
from lucca_lab.commands.bench_logs import bench_logs
from lucca_lab.commands.bench_memory import bench_memory
from lucca_lab.commands.bench_semantic import bench_semantic
from lucca_lab.commands.bench_soak import soak
from lucca_lab.commands.bench_view import bench_view
from lucca_lab.commands.bench_walks import bench_walks
from lucca_lab.commands.eval_answers import answers
from lucca_lab.commands.eval_changes import changes
from lucca_lab.commands.eval_chats import chats
from lucca_lab.commands.eval_dialogues import dialogues
from lucca_lab.commands.eval_evolution import evolution
from lucca_lab.commands.eval_forgetting import app as forgetting_app
from lucca_lab.commands.eval_locomo import locomo
from lucca_lab.commands.eval_perception import perception
from lucca_lab.commands.eval_requests import requests
from lucca_lab.commands.eval_self import self_questions
from lucca_lab.commands.eval_talk import talk
from lucca_lab.commands.eval_tidy import tidy
from lucca_lab.commands.eval_voice import barge_in, stop_latency, voice
from lucca_lab.commands.eval_words import words
from lucca_lab.commands.experiments import app as eval_app

eval_app.command('locomo')(locomo)
eval_app.command('dialogues')(dialogues)
eval_app.command('answers')(answers)
eval_app.command('chats')(chats)
eval_app.command('perception')(perception)
eval_app.command('evolution')(evolution)
eval_app.command('tidy')(tidy)
eval_app.command('talk')(talk)
eval_app.command('requests')(requests)
eval_app.command('self')(self_questions)
eval_app.command('changes')(changes)
eval_app.command('words')(words)
eval_app.command('voice')(voice)
eval_app.command('stop')(stop_latency)
eval_app.command('barge-in')(barge_in)
eval_app.add_typer(forgetting_app, name='forgetting')

bench_app = typer.Typer(pretty_exceptions_enable=False)
bench_app.command('memory')(bench_memory)
bench_app.command('logs')(bench_logs)
bench_app.command('semantic')(bench_semantic)
bench_app.command('soak')(soak)
bench_app.command('view')(bench_view)
bench_app.command('walks')(bench_walks)


@bench_app.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help='Folder for the figures.')] = Path('out/bench'),
    as_json: Json = False,
) -> None:
    """Measures the overhead of the stack, perception, simulation and prompts, against their budgets."""
    if context.invoked_subcommand is not None:
        return
    show = Output(as_json=as_json)
    with telling_errors(show):
        figures = bench_command.run_bench(out, show)
        if as_json:
            show.json(figures)
        (out / 'bench.json').write_text(json.dumps(figures, indent=2))
