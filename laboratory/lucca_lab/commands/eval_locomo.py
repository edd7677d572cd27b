"""`lucca eval locomo`: recall of evidence on LoCoMo dialogues, compared to plain baselines."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.table import Table

from lucca_cli.exit_codes import telling_errors
from lucca_cli.output import Output
from lucca_cli.requirements import require_writable
from lucca_lab.commands.rankings import write_rankings
from lucca_lab.locomo.data import load_dialogues
from lucca_lab.locomo.run import LocomoReport, evaluate
from lucca_lab.locomo.vector_cache import CachedEmbedder
from lucca_llm.servers.embedder import make_http_embedder
from lucca_memory.embedding.spec import AUTO, make_embedder


def locomo(
    data: Annotated[Path, typer.Option(help="Folder with files in LoCoMo's own format.")],
    embedding: Annotated[
        str, typer.Option(help='Embedding spec: auto, minilm, mpnet, ollama:…, openai:…, none.')
    ] = AUTO,
    rankings: Annotated[
        Optional[Path], typer.Option(help='File to write, with the first 50 lines found for each question.')
    ] = None,
    only_shipped: Annotated[bool, typer.Option(help='Leave out baselines, ablations and fitted weights.')] = False,
    cache: Annotated[Optional[Path], typer.Option(help='File (.npz) that keeps vectors between runs.')] = None,
    as_json: Annotated[bool, typer.Option('--json', help='Print JSON to standard output.')] = False,
) -> None:
    """Measures recall of evidence on LoCoMo dialogues: as shipped, plain baselines, ablations, fitted weights."""
    show = Output(as_json=as_json)
    with telling_errors(show):
        require_writable(rankings)
        require_writable(cache)
        dialogues = load_dialogues(data)
        embedder = CachedEmbedder(make_embedder(embedding, make_http_embedder), cache)
        try:
            full = not only_shipped
            report = evaluate(dialogues, embedder, full=full, on_progress=lambda text: show.line(f'{text} …'))
        finally:
            embedder.save()
        if rankings is not None:
            write_rankings(rankings, report.rankings)
    figures = report.as_json()
    show.json(figures) if as_json else _present(report, figures, show)


def _present(report: LocomoReport, figures: Mapping[str, Any], show: Output) -> None:
    low, high = figures['interval_at_10']
    show.line(f'{figures["questions"]} questions on {figures["dialogues"]} dialogues, embedding {figures["embedding"]}')
    table = Table('retriever', 'recall@5', '@10', '@20')
    rows = {f'as shipped  [{low:.3f}, {high:.3f}]': figures}
    if report.refit:
        rows['the same signals, weights fitted leaving one dialogue out'] = figures['leave_one_out']
    for name, row in {**rows, **figures['baselines'], **figures['ablations']}.items():
        table.add_row(name.replace('[', '\\['), *(f'{row[f"recall_at_{cut}"]:.3f}' for cut in (5, 10, 20)))
    show.console.print(table)
    table = Table('category', 'questions', 'recall@5', '@10', '@20')
    for name, row in figures['by_category'].items():
        table.add_row(name, f'{row["questions"]:.0f}', *(f'{row[f"recall_at_{cut}"]:.3f}' for cut in (5, 10, 20)))
    show.console.print(table)
    times = ', '.join(f'{name} {value:.1f} ms' for name, value in figures['query_ms'].items())
    show.line(f'a search without the encoder: {times}')
    show.line(f'a turn stored with its embedding: p50 {figures["write_ms"]["p50"]:.0f} ms')
