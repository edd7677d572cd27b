"""`lucca eval forgetting`: our memory beside others with the same budget; `tune` and `train` fit its parameters."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer
from rich.markdown import Markdown
from rich.table import Table

from lucca_cli.exit_codes import telling_errors
from lucca_cli.output import Output
from lucca_cli.requirements import require_packages, require_writable
from lucca_lab.forgetting.comparison import LEARNED, NAMES, OF_POLICY, TUNED, Contest, ContestPlan
from lucca_lab.forgetting.generator import generate_split, shape_of, shapes_of
from lucca_lab.forgetting.report import table_of, write_report
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_lab.kept.run import ASKS, contest
from lucca_lab.kept.stores import NAMES as KEPT_NAMES
from lucca_lab.locomo.data import load_dialogues
from lucca_lab.locomo.vector_cache import CachedEmbedder
from lucca_llm.model_spec import make_model
from lucca_llm.servers.embedder import make_http_embedder
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.embedding.spec import make_embedder
from lucca_memory.semantic.config import CENTRALITIES, RANGES, ForgettingConfig
from lucca_memory.semantic.forgetting.compression import Compressor
from worker_node.network.model_compressor import ModelCompressor

if TYPE_CHECKING:
    from lucca_lab.forgetting.training import Learned

HASHED = 'hashed'
HASHED_DIMENSIONS = 256
SHORTENING = 'shortening'
FOLDER = Path('out/forgetting')
_ANSWER_S = 300.0
app = typer.Typer(
    pretty_exceptions_enable=False,
    help='Our memory beside others with the same budget; `tune` and `train` fit its parameters.',
    invoke_without_command=True,
)

Embedding = Annotated[str, typer.Option(help='hashed (words as random directions, no model), or an embedding spec.')]
Cache = Annotated[Optional[Path], typer.Option(help='File (.npz) that keeps vectors between runs.')]


@app.callback()
def forgetting(
    context: typer.Context,
    split: Annotated[str, typer.Option(help='train, validation or test.')] = 'test',
    budget: Annotated[float, typer.Option(help='Share of all bytes introduced that may be kept.')] = 0.25,
    seed: Annotated[int, typer.Option(min=0, help='Seed of the scenarios.')] = 0,
    out: Annotated[
        Optional[Path],
        typer.Option(
            help=f'Folder of the run; an existing run is continued. By default {FOLDER}; none with --dialogues.'
        ),
    ] = None,
    scenarios: Annotated[int, typer.Option(min=1, help='Scenarios of each of the four families.')] = 5,
    system: Annotated[
        Optional[list[str]], typer.Option(help=f'Only these systems; may be repeated: {", ".join(NAMES)}.')
    ] = None,
    embedding: Embedding = HASHED,
    cache: Cache = None,
    judge: Annotated[str, typer.Option(help='Model spec of a judge that also reads every context of the exam.')] = '',
    dialogues: Annotated[
        Optional[Path],
        typer.Option(help="Folder of dialogues in LoCoMo's format, read by date, instead of drawn weeks."),
    ] = None,
    budgets: Annotated[
        str, typer.Option(help='With --dialogues: shares of the bytes that may be kept, separated by commas.')
    ] = '0.5,0.25,0.1',
    asks: Annotated[
        str, typer.Option(help='With --dialogues: ask all questions at the end, or spread over the sessions.')
    ] = 'end',
    compressor: Annotated[
        str,
        typer.Option(help='With --dialogues: what writes general nodes of lucca_general: shortening or a model spec.'),
    ] = SHORTENING,
    general_calls: Annotated[
        int, typer.Option(min=0, help='With --dialogues: most general nodes that are asked for before one pass.')
    ] = ForgettingConfig.general_calls,
    shape: Annotated[
        Optional[list[str]],
        typer.Option(help='Change in how weeks are drawn, such as used_share=0.65; may be repeated.'),
    ] = None,
    policy: Annotated[
        Optional[Path],
        typer.Option(
            help=f'File of a learned policy: our memory runs with it as {LEARNED}, with what it starts from as {TUNED}.'
        ),
    ] = None,
    figures: Annotated[bool, typer.Option(help='Draw figures; needs matplotlib and networkx.')] = True,
    as_json: Annotated[bool, typer.Option('--json', help='Print JSON to standard output.')] = False,
) -> None:
    """Measures what each memory still answers after weeks within a budget of bytes, and what it forgot for it."""
    if context.invoked_subcommand is not None:
        return
    show = Output(as_json=as_json)
    with telling_errors(show, wrong_call=ValueError, goes_on=True):
        if dialogues is not None:
            names = tuple(system or KEPT_NAMES)
            made = None if compressor == SHORTENING else ModelCompressor(make_model(compressor), _ANSWER_S)
            _on_dialogues(dialogues, budgets, asks, seed, names, embedding, cache, made, general_calls, out, show)
            return
        if figures:
            require_packages('figures', 'matplotlib', 'networkx', instead='give --no-figures')
        require_writable(cache)
        known = NAMES if policy is None else (*NAMES, *OF_POLICY)
        names = tuple(name for name in known if not system or name in system)
        if system and (unknown := [name for name in system if name not in known]):
            raise typer.BadParameter(f'there is no system {unknown[0]!r}; there are {", ".join(known)}')
        plan = ContestPlan(
            split=split,
            budget=budget,
            seed=seed,
            per_family=scenarios,
            embedding=embedding,
            names=names,
            judge=judge,
            shape=tuple(sorted(shape or ())),
            policy='' if policy is None else str(policy),
        )
        embedder = CachedEmbedder(embedder_of(embedding), cache)
        folder = out or FOLDER
        contest = Contest(folder, plan, embedder, make_model(judge) if judge else None)
        contest.begin()
        try:
            contest.run(lambda text: show.line(f'{text} …'))
        finally:
            embedder.save()
        summary = write_report(contest, figures=figures)
    if as_json:
        show.json(summary)
        return
    show.console.print(Markdown(table_of(summary)))
    show.line(f'ceiling {summary["ceiling"]:.3f}; written to {folder}', 'green')


def _on_dialogues(
    folder: Path,
    budgets: str,
    asks: str,
    seed: int,
    names: Sequence[str],
    embedding: str,
    cache: Path | None,
    compressor: Compressor | None,
    general_calls: int,
    out: Path | None,
    show: Output,
) -> None:
    if unknown := [name for name in names if name not in KEPT_NAMES]:
        raise typer.BadParameter(f'there is no system {unknown[0]!r}; there are {", ".join(KEPT_NAMES)}')
    if asks not in ASKS:
        raise typer.BadParameter(f'--asks must be one of {", ".join(ASKS)}, got {asks!r}')
    try:
        shares = [float(share) for share in budgets.split(',')]
    except ValueError as error:
        raise typer.BadParameter(f'--budgets must be numbers such as 0.5,0.25, got {budgets!r}') from error
    if not all(0 < share <= 1 for share in shares):
        raise typer.BadParameter(f'--budgets must be above 0 and at most 1, got {budgets!r}')
    require_writable(cache)
    loaded = load_dialogues(folder)
    embedder = CachedEmbedder(embedder_of(embedding), cache)
    try:
        figures = contest(
            loaded,
            shares,
            asks,
            seed,
            embedder,
            names=names,
            compressor=compressor,
            general_calls=general_calls,
            folder=out,
            on_progress=lambda text: show.line(f'{text} …'),
        )
    finally:
        embedder.save()
    if show.as_json:
        show.json(figures)
        return
    for share, systems in figures['systems'].items():
        table = Table(f'{share} of the bytes', 'all evidence', '95 %', 'verbatim', 'recall@10', 'over recency', 'bytes')
        for name, row in systems.items():
            low, high = row['interval']
            over = '–' if row['over_recency'] is None else f'{row["over_recency"]:.2f}'
            cells = [f'{row[key]:.3f}' for key in ('evidence_verbatim', 'recall_at_10')]
            if 'generals_asked' in row:
                name = f'{name} ({row["generals_made"]} of {row["generals_asked"]} general nodes)'
            table.add_row(
                name, f'{row["evidence_all"]:.3f}', f'{low:.3f} to {high:.3f}', *cells, over, str(row['bytes'])
            )
        show.console.print(table)


@app.command()
def tune(
    centrality: Annotated[str, typer.Option(help=f'Measure of centrality C: {", ".join(CENTRALITIES)}.')] = 'posterior',
    seed: Annotated[int, typer.Option(min=0, help='Seed of scenarios and search.')] = 0,
    scenarios: Annotated[int, typer.Option(min=1, help='Scenarios of each family, in training and in validation.')] = 3,
    tries: Annotated[int, typer.Option(min=1, help='Number of settings to try.')] = 60,
    budget: Annotated[float, typer.Option(help='As in the evaluation.')] = 0.25,
    shape: Annotated[
        Optional[list[str]], typer.Option(help='Also draw validation weeks with this change; may be repeated.')
    ] = None,
    embedding: Embedding = HASHED,
    as_json: Annotated[bool, typer.Option('--json', help='Print JSON to standard output.')] = False,
) -> None:
    """Tunes α, β, γ, λ and θ on training weeks; reports what is kept of validation weeks of every shape."""
    show = Output(as_json=as_json)
    with telling_errors(show, wrong_call=ValueError):
        from lucca_lab.forgetting.kept_facts import kept_by_parameters, share_of
        from lucca_lab.forgetting.trace import record
        from lucca_lab.forgetting.training import tune as tuned

        start, embedder = ForgettingConfig(centrality=centrality), CachedEmbedder(embedder_of(embedding))
        shapes = {'': shape_of(()), **{change: shape_of((change,)) for change in shape or ()}}
        groups = [record(each, embedder) for each in generate_split('train', seed, scenarios)]
        best = tuned(groups, budget, tries, seed, start)
        kept = {}
        for name, drawn in shapes.items():
            traces = [record(each, embedder) for each in generate_split('validation', seed, scenarios, drawn)]
            kept[name or 'as drawn'] = {
                who: round(share_of(kept_by_parameters(traces, config, budget)), 4)
                for who, config in (('default', start), ('tuned', best))
            }
    parameters = {name: round(getattr(best, name), 5) for name in RANGES}
    if as_json:
        show.json({'centrality': centrality, 'seed': seed, 'tries': tries, 'parameters': parameters, 'kept': kept})
        return
    show.line(f'{centrality}: ' + ', '.join(f'{name} {value:g}' for name, value in parameters.items()))
    for name, found in kept.items():
        show.line(f'{name}: ' + ', '.join(f'{who} {share:.4f}' for who, share in found.items()))


@app.command()
def train(
    out: Annotated[Path, typer.Option(help='Folder for the policy and the learning curve.')] = Path('out/policy'),
    seed: Annotated[
        int, typer.Option(min=0, help='Seed of search and PPO, and of the scenarios: each further shape has one more.')
    ] = 0,
    scenarios: Annotated[
        int, typer.Option(min=1, help='Scenarios of each family and shape, in training and to measure on.')
    ] = 3,
    steps: Annotated[int, typer.Option(min=1, help='Steps of PPO; a step is a session.')] = 30_000,
    tries: Annotated[
        int, typer.Option(min=1, help='Number of fixed settings to try; PPO has to beat the best one.')
    ] = 100,
    budget: Annotated[float, typer.Option(help='As in the evaluation.')] = 0.25,
    shape: Annotated[
        Optional[list[str]],
        typer.Option(
            help='Train on weeks drawn with these changes, such as used_share=0.65,bursts=3; repeated, on a mix.'
        ),
    ] = None,
    unseen: Annotated[
        Optional[list[str]],
        typer.Option(help='Measure on validation weeks of this shape; may be repeated. By default, as in training.'),
    ] = None,
    embedding: Embedding = HASHED,
) -> None:
    """Tunes fixed forgetting parameters and learns a policy by PPO on training weeks; measures both on others."""
    show = Output()
    with telling_errors(show, wrong_call=ValueError):
        trained, others = shapes_of(shape or ()), shapes_of(unseen or shape or ())
        if unseen and (both := [name for name, drawn in others.items() if drawn in trained.values()]):
            raise typer.BadParameter(f'--unseen must be a shape that is in no training, got {both[0]!r}')
        require_packages('training and its figure', 'torch', 'stable_baselines3', 'gymnasium', 'matplotlib')
        out.mkdir(parents=True, exist_ok=True)
        require_writable(out / 'policy.json')
        from lucca_lab.forgetting.learning_curve import draw_curve
        from lucca_lab.forgetting.trace import record_shapes
        from lucca_lab.forgetting.training import train as learn

        embedder = CachedEmbedder(embedder_of(embedding))
        show.line('recording scenarios …')
        groups = record_shapes(trained, 'train', seed, scenarios, embedder)
        learned = learn(
            [trace for group in groups.values() for trace in group],
            record_shapes(others, 'validation', seed, scenarios, embedder),
            budget=budget,
            steps=steps,
            tries=tries,
            seed=seed,
            provenance={'shapes': list(trained)},
            on_progress=show.line,
        )
        learned.policy.save(out / 'policy.json')
        draw_curve(learned, out / 'learning_curve')
    _show_learned(learned, show)
    show.line(f'written to {out}', 'green')


def _show_learned(learned: 'Learned', show: Output) -> None:
    """The critical facts kept, by shape."""
    from lucca_lab.forgetting.kept_facts import ALL_UNSEEN

    table = Table('shape', 'facts', 'defaults', 'tuned', 'PPO', 'PPO - tuned')
    for name, kept in learned.kept.items():
        low, high = kept.ahead
        shares = [f'{share:.4f}' for share in kept.shares.values()]
        table.add_row(name, str(kept.facts), *shares, f'{low:+.4f} to {high:+.4f}')
    show.console.print(table)
    if not learned.kept[ALL_UNSEEN].is_ahead:
        show.line('PPO is not ahead of the tuned fixed setting on weeks that were in no training', 'yellow')


def embedder_of(spec: str) -> Embedder:
    """The embedder of a spec. `hashed` is an embedder that uses only words."""
    return HashedEmbedder(HASHED_DIMENSIONS) if spec == HASHED else make_embedder(spec, make_http_embedder)
