"""Measures how soon a worker node finds passages that were rewritten in its facts folder; run by hand.

A worker runs in its own process with 1,000 passages, while a person keeps asking and turns are recorded. 50 passages
change at once. Measured is the time from the end of writing until a whole sample of them is found by their words, and
by a paraphrased question.

    .venv/bin/python laboratory/scripts/measure_facts.py --trials 10
"""

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from coordinator_node.people.interface import PeopleInterface
from coordinator_node.people.service_client import PeopleServiceClient
from lucca_cli.client import StackClient
from lucca_core.nodes import node_command
from lucca_core.protocol.people import RecordedTurn

FILES, PASSAGES, CHANGED = 20, 50, 50
PATIENCE_S = 60.0
FIRST_S = 400.0
"""Time limit of the first trial, in which all passages are embedded."""


class Worker:
    """The memory of a worker in another process, through its services."""

    def __init__(self, folder: Path) -> None:
        self._client = StackClient()
        self._client.__enter__()
        node = self._client.node
        self._services = PeopleServiceClient(node, node.default_callback_group, PATIENCE_S)
        self.people = PeopleInterface(self._services.ask)
        command = node_command('worker', parameters={'data_dir': folder, 'llm': 'embedded'})
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def recall(self, conversation: str, query: str, limit: int) -> list[str]:
        return [item.text for item in self.people.recall(conversation, query, ('fact',), limit)]

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._services.destroy()
        self._client.__exit__(None, None, None)


def write(folder: Path, number: int, marks: dict[int, str]) -> None:
    """Writes a file of passages. Those in `marks` get the text given there."""
    paragraphs = [
        marks.get(
            number * PASSAGES + place,
            f'Shelf {number * PASSAGES + place} holds ropes, sails and paint for the harbour.',
        )
        for place in range(PASSAGES)
    ]
    (folder / f'part{number}.md').write_text('\n\n'.join(paragraphs) + '\n', encoding='utf-8')


def talk(worker: Worker, ended: threading.Event, seconds: list[float]) -> None:
    """Asks questions and records turns, one after the other, until the end."""
    worker.people.meet('cli', 'Ana', 'talk')
    number = 0
    while not ended.is_set():
        number += 1
        begin = time.perf_counter()
        worker.recall('talk', f'Where are the ropes of shelf {number % 900}?', 5)
        seconds.append(time.perf_counter() - begin)
        now = datetime.now(UTC)
        worker.people.record_turn(
            RecordedTurn(
                conversation='talk',
                utterance=f'I looked at shelf {number}.',
                stamp=now,
                answer='I see.',
                answered=now,
            )
        )


def trial(
    worker: Worker, folder: Path, number: int, rng: np.random.Generator, patience_s: float = PATIENCE_S
) -> tuple[float, float]:
    """Seconds until changed passages are found by their words, and until one is found by a paraphrased question."""
    changed = rng.choice(FILES * PASSAGES, CHANGED, replace=False).tolist()
    marks = {place: f'Shelf {place} holds a quokka{number}x{place} in a cage.' for place in changed}
    # The last one is found by its meaning.
    marks[changed[-1]] = f'Physician number {number} treats sick animals in the village.'
    for file in sorted({place // PASSAGES for place in changed}):
        write(folder, file, marks)
    begin, words_s, meaning_s = time.perf_counter(), 0.0, 0.0
    asked = [changed[0], changed[len(changed) // 2], changed[-2]]
    while not (words_s and meaning_s):
        if time.perf_counter() - begin > patience_s:
            raise SystemExit(f'the changed facts were not found within {patience_s:g} s')
        if not words_s:
            found = [worker.recall('ask', f'quokka{number}x{place}', 1) for place in asked]
            if all(texts == [marks[place]] for texts, place in zip(found, asked, strict=True)):
                words_s = time.perf_counter() - begin
        if not meaning_s and marks[changed[-1]] in worker.recall(
            'ask', 'Who is the veterinary doctor for ill pets?', 3
        ):
            meaning_s = time.perf_counter() - begin
    return words_s, meaning_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--trials', type=int, default=10)
    options = parser.parse_args()
    rng, ended = np.random.default_rng(0), threading.Event()
    asked_s: list[float] = []
    with tempfile.TemporaryDirectory(prefix='lucca-facts-') as name:
        data, facts = Path(name) / 'data', Path(name) / 'data' / 'facts'
        worker = Worker(data)
        try:
            # The worker answers by itself once it has started; from then on the folder belongs to it.
            worker.people.meet('cli', 'Ben', 'ask')
            facts.mkdir(exist_ok=True)
            for number in range(FILES):
                write(facts, number, {})
            talking = threading.Thread(target=talk, args=(worker, ended, asked_s))
            talking.start()
            try:
                trial(worker, facts, 0, rng, FIRST_S)
                found = np.array([trial(worker, facts, number, rng) for number in range(1, options.trials + 1)])
            finally:
                ended.set()
                talking.join()
        finally:
            worker.close()
    for what, seconds in zip(('by words', 'by meaning'), found.T, strict=True):
        sys.stdout.write(
            f'{what:<12} median {np.median(seconds):.2f} s, longest {seconds.max():.2f} s of {len(seconds)}\n'
        )
    sys.stdout.write(f'questions meanwhile: {len(asked_s)}, median {1e3 * np.median(asked_s):.0f} ms\n')


if __name__ == '__main__':
    main()
