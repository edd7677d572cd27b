"""The `lucca eval` and `lucca bench` command groups."""

import json
from pathlib import Path
from typing import Annotated

import typer

from lucca_cli.exit_codes import telling_errors
from lucca_cli.lazy_group import ListedCommand, lazy_group
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_cli.ros_presence import require_ros

EVAL_COMMANDS = {
    'tasks': ListedCommand(
        'lucca_lab.commands.experiments:tasks',
        'Runs standalone, consecutive and intervened tasks with and without memory, beside the published tables.',
    ),
    'report': ListedCommand(
        'lucca_lab.commands.experiments:report',
        'Writes summary, tables and figures of a run again, without running anything.',
    ),
    'study': ListedCommand(
        'lucca_lab.commands.experiments:study',
        'Compares Likert ratings of two groups: means, t-tests, Mann-Whitney, effect size, beside published tables.',
    ),
    'locomo': ListedCommand(
        'lucca_lab.commands.eval_locomo:locomo',
        'Measures recall of evidence on LoCoMo dialogues: as shipped, plain baselines, ablations, fitted weights.',
    ),
    'dialogues': ListedCommand(
        'lucca_lab.commands.eval_dialogues:dialogues',
        'Measures recall of evidence, and how often updates rank above what they replaced, on your own dialogues.',
    ),
    'answers': ListedCommand(
        'lucca_lab.commands.eval_answers:answers',
        'Measures the share that a model answers correctly from our memory, RAG, words, the newest lines or nothing.',
    ),
    'chats': ListedCommand(
        'lucca_lab.commands.eval_chats:chats',
        'Measures recall in drawn chats with an assistant, and how often an update ranks above what it replaced.',
    ),
    'perception': ListedCommand(
        'lucca_lab.commands.eval_perception:perception',
        'Measures precision, recall, position error, identity switches and frames per second; draws the worst cases.',
    ),
    'evolution': ListedCommand(
        'lucca_lab.commands.eval_evolution:evolution',
        'Measures valid and outdated values, history, order and wrong closings; no cue word announces an update.',
    ),
    'tidy': ListedCommand(
        'lucca_lab.commands.eval_tidy:tidy', "Tidies up scenarios of TidyBot's benchmark on a symbolic table."
    ),
    'talk': ListedCommand(
        'lucca_lab.commands.eval_talk:talk',
        'Says each line of the dialogues to the robot, as its speaker; counts tasks started, motions and questions.',
    ),
    'requests': ListedCommand(
        'lucca_lab.commands.eval_requests:requests',
        'Says each request to a robot at a table of its own, and counts what comes of it.',
    ),
    'self': ListedCommand(
        'lucca_lab.commands.eval_self:self_questions',
        'Asks what the robot sees, did and will do, and why; nothing may move. Histories are drawn as actions.',
    ),
    'changes': ListedCommand(
        'lucca_lab.commands.eval_changes:changes',
        'Says something else in the middle of a task: adds, revises, takes back, corrects.',
    ),
    'words': ListedCommand(
        'lucca_lab.commands.eval_words:words', 'Puts a foreign word into sentences that were understood.'
    ),
    'voice': ListedCommand(
        'lucca_lab.commands.eval_voice:voice',
        'Measures how well commands, ordinary talk and stop words are understood.',
        needs_ros=True,
    ),
    'stop': ListedCommand(
        'lucca_lab.commands.eval_voice:stop_latency',
        "Measures the time from a stop, spoken or published, to the last arm's hold.",
        needs_ros=True,
    ),
    'barge-in': ListedCommand(
        'lucca_lab.commands.eval_voice:barge_in',
        'Measures how soon the robot hears somebody speak over it, and how often it takes its own voice for somebody.',
        needs_ros=True,
    ),
    'forgetting': ListedCommand(
        'lucca_lab.commands.eval_forgetting:app',
        'Our memory beside others with the same budget; `tune` and `train` fit its parameters.',
    ),
}

BENCH_COMMANDS = {
    'memory': ListedCommand(
        'lucca_lab.commands.bench_memory:bench_memory',
        'Measures recall with a million turns, without the encoder: p95, start, storing a turn, against their budgets.',
    ),
    'logs': ListedCommand(
        'lucca_lab.commands.bench_logs:bench_logs',
        'Measures writing a log entry, with head and signature, against a bare append and sync.',
    ),
    'semantic': ListedCommand(
        'lucca_lab.commands.bench_semantic:bench_semantic',
        'Measures networks of 10,000 to 1,000,000 nodes with five edges each: a forgetting pass, a question, memory.',
    ),
    'soak': ListedCommand(
        'lucca_lab.commands.bench_soak:soak',
        'Measures how memory, threads and files grow per goal, with talk, forgetting, cancels and kills on one stack.',
        needs_ros=True,
    ),
    'view': ListedCommand(
        'lucca_lab.commands.bench_view:bench_view',
        'Measures the page in headless Chromium, on the kinematic table: events to the screen, stops, overhead.',
        needs_ros=True,
    ),
    'walks': ListedCommand(
        'lucca_lab.commands.bench_walks:bench_walks',
        'Lists the functions through which a command goes to the arms, and a detection into the log.',
    ),
}

eval_app = typer.Typer(cls=lazy_group(EVAL_COMMANDS), no_args_is_help=True, pretty_exceptions_enable=False)
bench_app = typer.Typer(cls=lazy_group(BENCH_COMMANDS), pretty_exceptions_enable=False)


@eval_app.callback()
def evaluate() -> None:
    """Runs the experiments: on tasks, recall, talk, perception, voice and the user study."""


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
        require_ros('bench')
        # Only now: the other benchmarks need neither ROS nor the seconds that this import takes.
        from lucca_lab.bench.stack import run_bench

        figures = run_bench(out, show)
        if as_json:
            show.json(figures)
        (out / 'bench.json').write_text(json.dumps(figures, indent=2))
