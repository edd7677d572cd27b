#!/usr/bin/env python3
"""The memory of facts behind the HTTP form of PrecisionMemBench (tenurehq/precisionMemBench, MIT).

    python laboratory/scripts/precision_adapter.py --port 8090
    # in a clone of the set, with an entry of its providers.config.json that names this address:
    MEMORY_PROVIDER=lucca RESEED=true npx ava src/retrieval.external.eval.test.ts

Each user has a folder of facts for each scope, and each belief a file in it: its name is the heading, its aliases stand
in a line "Also called: ...", the rest is the text. A search asks for enough and no more. Nothing but what the harness
sends is known: no types, no pins, and nothing of what was superseded.
"""

import argparse
import itertools
import json
import shutil
import tempfile
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from lucca_memory.embedding.embedder import Embedder
from lucca_memory.embedding.spec import AUTO, make_embedder
from lucca_memory.facts.facts import Facts
from lucca_memory.retrieval.values import Question


class Beliefs:
    """Folders of facts by user and scope."""

    def __init__(self, folder: Path, embedder: Embedder, *, named: bool = True) -> None:
        """If `named` is false, a belief is only its text, without a heading and other names."""
        self._folder, self._embedder, self._named = folder, embedder, named
        self._facts: dict[tuple[str, str], Facts] = {}
        self._files: dict[tuple[str, str], str] = {}
        self._numbers = itertools.count(1)

    def reset(self) -> None:
        """Forgets everything."""
        self._facts.clear()
        self._files.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def add(self, given: dict[str, Any]) -> None:
        """Writes a belief. An earlier one with the same id is replaced."""
        user, belief, scope = given['user_id'], given['metadata']['beliefId'], given['metadata']['scope']
        aliases = [alias for alias in given.get('aliases') or [] if alias]
        name, _, rest = given['text'].partition(' ')
        rest = rest.removeprefix(' '.join(aliases)).strip()
        facts = self._facts.get((user, scope)) or self._facts.setdefault(
            (user, scope), Facts(self._folder / f'scope{len(self._facts)}', self._embedder)
        )
        file = self._files.setdefault((user, belief), f'{next(self._numbers)}.md')
        called = f'Also called: {", ".join(aliases)}\n' if aliases else ''
        path = self._folder / f'scope{list(self._facts).index((user, scope))}' / file
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f'# {name.replace("_", " ")}\n{called}{rest}\n' if self._named else f'{given["text"]}\n'
        path.write_text(text, encoding='utf-8')
        facts.refresh()
        while facts.embed_missing():
            pass

    def search(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        """The beliefs that answer a query, best first."""
        user = given['user_id']
        if (facts := self._facts.get((user, given.get('scope') or ''))) is None:
            return []
        asked = Question(text=given['query'], now=datetime.now(UTC), limit=given.get('limit', 20), enough=True)
        ids = {file: belief for (owner, belief), file in self._files.items() if owner == user}
        return [{'id': ids[found.file], 'memory': found.text, 'score': found.score} for found in facts.recall(asked)]


def main() -> None:
    """Serves until it is interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--port', type=int, default=8090)
    parser.add_argument('--embedding', default=AUTO)
    parser.add_argument('--unnamed', action='store_true', help='store the text alone, without names')
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='lucca-beliefs-') as folder:
        beliefs = Beliefs(Path(folder) / 'facts', make_embedder(given.embedding), named=not given.unnamed)

        class Handler(BaseHTTPRequestHandler):
            """POST /add and /search, DELETE /reset, with JSON."""

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
                if self.path == '/add':
                    beliefs.add(body)
                    self._answer({'ok': True})
                else:
                    self._answer({'results': beliefs.search(body)})

            def do_DELETE(self) -> None:
                beliefs.reset()
                self._answer({'ok': True})

            def _answer(self, document: dict[str, Any]) -> None:
                text = json.dumps(document).encode()
                self.send_response(200)
                self.send_header('Content-Type', 'application/json')
                self.send_header('Content-Length', str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: object) -> None:
                """Logs nothing."""

        HTTPServer(('127.0.0.1', given.port), Handler).serve_forever()


if __name__ == '__main__':
    main()
