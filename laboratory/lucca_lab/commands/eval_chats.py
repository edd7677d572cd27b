"""`lucca eval chats`: retrieval from long chats with an assistant, and whether updates rank first."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.table import Table

from lucca_cli.exit_codes import telling_errors
from lucca_cli.output import Output
from lucca_cli.requirements import require_writable
from lucca_lab.chats.generator import SPLITS, generate
from lucca_lab.chats.run import evaluate
from lucca_lab.locomo.vector_cache import CachedEmbedder
from lucca_llm.servers.embedder import make_http_embedder
from lucca_memory.embedding.spec import AUTO, make_embedder


def chats(
    count: Annotated[int, typer.Option('--chats', min=1, help='Number of drawn chats, each of another person.')] = 10,
    seed: Annotated[int, typer.Option(min=0, help='Seed of the first chat; the others follow.')] = 0,
    split: Annotated[
        str, typer.Option(help='Wording: report, or develop, with which the retriever was developed.')
    ] = 'report',
    embedding: Annotated[
        str, typer.Option(help='Embedding spec: auto, minilm, mpnet, ollama:…, openai:…, none.')
    ] = AUTO,
    only_shipped: Annotated[bool, typer.Option(help='Leave out baselines and other settings.')] = False,
    cache: Annotated[Optional[Path], typer.Option(help='File (.npz) that keeps vectors between runs.')] = None,
    as_json: Annotated[bool, typer.Option('--json', help='Print JSON to standard output.')] = False,
) -> None:
    """Measures recall in drawn chats with an assistant, and how often an update ranks above what it replaced."""
    show = Output(as_json=as_json)
    chosen = next((name for name in SPLITS if name == split), None)
    if chosen is None:
        raise typer.BadParameter(f'--split must be one of {", ".join(SPLITS)}, got {split!r}')
    drawn = [generate(chosen, seed + number) for number in range(count)]
    with telling_errors(show):
        require_writable(cache)
        embedder = CachedEmbedder(make_embedder(embedding, make_http_embedder), cache)
        try:
            report = evaluate(
                drawn, embedder, full=not only_shipped, on_progress=lambda text: show.line(f'{text} …', 'dim')
            )
        finally:
            embedder.save()
    figures = report.as_json()
    show.json(figures) if as_json else _present(figures, show)


def _present(figures: Mapping[str, Any], show: Output) -> None:
    low, high = figures['interval_at_10']
    show.line(
        f'{figures["questions"]} questions, {figures["updates"]} of them after an update, in {figures["chats"]} chats; '
        f'embedding {figures["embedding"]}'
    )
    table = Table('retriever', 'recall@5', '@10', '@20', 'update above')
    rows = {f'as shipped  [{low:.3f}, {high:.3f}]': figures}
    for name, row in {**rows, **figures['baselines'], **figures['variants']}.items():
        recalls = (f'{row[f"recall_at_{cut}"]:.3f}' for cut in (5, 10, 20))
        table.add_row(name.replace('[', '\\['), *recalls, f'{row["fresh"]:.3f}')
    show.console.print(table)
    table = Table('asked for', 'questions', 'recall@5', '@10', '@20')
    for name, row in figures['by_kind'].items():
        table.add_row(name, f'{row["questions"]}', *(f'{row[f"recall_at_{cut}"]:.3f}' for cut in (5, 10, 20)))
    show.console.print(table)
