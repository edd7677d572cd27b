"""`lucca eval dialogues`: recall of evidence on any long dialogues in LoCoMo's format, compared to plain baselines."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.table import Table

from lucca_cli.exit_codes import telling_errors
from lucca_cli.output import Output
from lucca_cli.requirements import require_writable
from lucca_lab.commands.rankings import write_rankings
from lucca_lab.dialogues.run import SHIPPED, evaluate
from lucca_lab.locomo.data import load_dialogues
from lucca_lab.locomo.vector_cache import CachedEmbedder
from lucca_llm.servers.embedder import make_http_embedder
from lucca_memory.embedding.spec import AUTO, make_embedder


def dialogues(
    data: Annotated[Path, typer.Option(help="Folder with files in LoCoMo's format.")],
    embedding: Annotated[
        str, typer.Option(help='Embedding spec: auto, minilm, mpnet, ollama:…, openai:…, none.')
    ] = AUTO,
    rankings: Annotated[
        Optional[Path], typer.Option(help='File to write, with the first 50 lines found for each question.')
    ] = None,
    cache: Annotated[Optional[Path], typer.Option(help='File (.npz) that keeps vectors between runs.')] = None,
    as_json: Annotated[bool, typer.Option('--json', help='Print JSON to standard output.')] = False,
) -> None:
    """Measures recall of evidence, and how often updates rank above what they replaced, on your own dialogues."""
    show = Output(as_json=as_json)
    with telling_errors(show):
        require_writable(rankings)
        require_writable(cache)
        loaded = load_dialogues(data)
        embedder = CachedEmbedder(make_embedder(embedding, make_http_embedder), cache)
        try:
            report = evaluate(loaded, embedder, on_progress=show.line)
        finally:
            embedder.save()
        if rankings is not None:
            write_rankings(rankings, report.ranked[SHIPPED])
    figures = report.as_json()
    show.json(figures) if as_json else _present(figures, show)


def _present(figures: Mapping[str, Any], show: Output) -> None:
    show.line(f'{figures["questions"]} questions on {figures["dialogues"]} dialogues, embedding {figures["embedding"]}')
    table = Table('retriever', 'recall@10', '95 %', 'updated above outdated', '95 %')
    for name, row in {'as shipped': figures, **figures['baselines']}.items():
        table.add_row(name, *_cells(row))
    show.console.print(table)
    table = Table('kind', 'questions', 'recall@10', '95 %', 'updated above outdated', '95 %')
    for name, row in figures['by_kind'].items():
        table.add_row(name, str(row['questions']), *_cells(row))
    show.console.print(table)


def _cells(row: Mapping[str, Any]) -> list[str]:
    above = row['updated_above_outdated']
    return [
        f'{row["recall_at_10"]:.3f}',
        _span(row['interval_at_10']),
        '–' if above is None else f'{above:.3f} of {row["updates"]}',
        '–' if above is None else _span(row['updated_above_outdated_interval']),
    ]


def _span(interval: list[float]) -> str:
    return f'{interval[0]:.3f} to {interval[1]:.3f}'
