"""Attack on the page: requests without exactly its token, origin and host have no effect and read nothing."""

import http.client
import json
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.attack.served_page import served
from lucca_view.events import Event, Said
from lucca_view.panels import Panels
from lucca_view.web.access import new_token
from lucca_view.web.acts import ARGUMENTS
from lucca_view.web.sources import LiveSource

_INSIDE = 'what was said inside'
_PATHS = (
    *(f'/acts/{act}' for act in ARGUMENTS),
    '/socket',
    '/../server.py',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/page.js/../../server.py',
    '//etc/passwd',
    '/acts/../socket',
)


class _Acts:
    def __init__(self) -> None:
        self.done = 0

    def do(self, act: str, arguments: Mapping[str, str]) -> str:
        self.done += 1
        return act


@contextmanager
def _open(_: Path) -> Iterator[Trial]:
    token, acts, source = new_token(), _Acts(), LiveSource()
    source.take(Event(wall_s=1e9, stamp_s=0.0, value=Said(by_robot=True, person='', text=_INSIDE)))
    with served(source, acts, Panels(None), token) as port:

        def trial(chance: random.Random) -> Counts:
            path, headers, body = chance.choice(_PATHS), _headers(token, port, chance), _body(chance)
            status, answer = _asked(port, chance.choice(('POST', 'GET', 'PUT', 'OPTIONS')), path, headers, body)
            if acts.done or status in (101, 200) or _INSIDE in answer or token in answer:
                raise Broken(f'{path} with {headers} answered {status}: {answer[:200]}')
            return {f'status {status}': 1}

        yield trial


def _headers(token: str, port: int, chance: random.Random) -> dict[str, str]:
    """The right headers, except for at least one."""
    own = f'127.0.0.1:{port}'
    right = {
        'Host': own,
        'Origin': f'http://{own}',
        'Authorization': f'Bearer {token}',
        'Sec-WebSocket-Protocol': f'lucca, token.{token}',
    }
    cut = token[: chance.randrange(len(token))]
    wrong = {
        'Host': (
            'evil.example',
            f'evil.example:{port}',
            f'127.0.0.1:{port + 1}',
            '127.0.0.1',
            f'127.0.0.1.evil:{port}',
        ),
        'Origin': ('', 'null', 'http://evil.example', f'https://{own}', f'http://{own}.evil', f'http://evil@{own}'),
        'token': ('', cut, token + 'x', token[::-1], token.swapcase(), '*'),
    }
    for name in chance.sample(list(wrong), chance.randint(1, 3)):
        value = chance.choice(wrong[name])
        if name == 'token':
            right |= {'Authorization': f'Bearer {value}', 'Sec-WebSocket-Protocol': f'lucca, token.{value}'}
        else:
            right[name] = value
    more = {'Upgrade': 'websocket', 'Connection': 'Upgrade', 'Sec-WebSocket-Version': '13'}
    more |= {'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==', 'Content-Type': 'application/json'}
    return {name: value for name, value in (right | more).items() if value}


def _body(chance: random.Random) -> bytes:
    texts = dict.fromkeys(chance.choice(list(ARGUMENTS.values())), 'x')
    return chance.choice((json.dumps(texts).encode(), b'{}', b'', b'[' * 1000, b'x' * 100_000))


def _asked(port: int, method: str, path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, str]:
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=10)
    try:
        connection.request(method, path, body, dict(headers))
        response = connection.getresponse()
        return response.status, '' if response.status == 101 else response.read(10_000).decode('latin-1')
    except (ConnectionError, http.client.HTTPException):
        # The request was refused before its whole body was read.
        return 0, ''
    finally:
        connection.close()


PART = Attack(
    name='page',
    promise='A request without exactly the token, origin and host of the page does nothing and reads nothing.',
    open=_open,
    sample=300,
    count=20_000,
)
