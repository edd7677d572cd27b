"""The file of rankings that `lucca eval locomo` and `lucca eval dialogues` write."""

import json
from collections.abc import Sequence
from pathlib import Path

from lucca_core.errors import MemoryFault
from lucca_lab.locomo.scoring import Ranked


def write_rankings(file: Path, ranked: Sequence[Ranked]) -> None:
    """Writes one line of JSON for each question.

    Raises:
        MemoryFault: the file could not be written.
    """
    lines = [
        json.dumps({'sample_id': item.sample_id, 'question': item.asked.text, 'ranked': list(item.dia_ids)})
        for item in ranked
    ]
    try:
        file.write_text(''.join(f'{line}\n' for line in lines), encoding='utf-8')
    except OSError as error:
        raise MemoryFault(f'{file} could not be written: {error}') from error
