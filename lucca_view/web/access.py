"""Access to the page, for those who have the token, from the page itself, at the printed address."""

import hmac
import re
import secrets
from collections.abc import Iterable, Mapping

LOOPBACK = ('127.0.0.1', 'localhost', '[::1]')
_PROTOCOL = re.compile(r'token\.([A-Za-z0-9_-]{1,200})')


_TOKEN = re.compile(r'[A-Za-z0-9_-]{16,200}')


def is_token(text: str) -> bool:
    """Whether a text can be a token: long enough, and made of characters that a page can send unchanged."""
    return _TOKEN.fullmatch(text) is not None


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(24)


class Access:
    """Judges requests by their headers. A missing or malformed header is refused.

    Checking Host protects against a name of another site that was made to point here (DNS rebinding), and checking
    Origin against pages of other sites in the same browser. There are no cookies, so a browser sends nothing by itself.

    Args:
        token: required for every act and socket.
        hosts: names under which the page may be reached, without port.
        port: the port on which it listens.
    """

    def __init__(self, token: str, hosts: Iterable[str], port: int) -> None:
        self._token = token
        self._hosts = {f'{host}:{port}' for host in hosts}
        self._origins = {f'http://{host}' for host in self._hosts}

    def objection_to_host(self, headers: Mapping[str, str]) -> str:
        """Why a request for the page itself is refused (the page holds no data); '' if it is not."""
        return '' if headers.get('Host', '') in self._hosts else 'another host'

    def objection(self, headers: Mapping[str, str]) -> str:
        """Why an act is refused; '' if it is not. The token comes as `Authorization: Bearer TOKEN`."""
        kind, _, token = headers.get('Authorization', '').partition(' ')
        return self._objection(headers, token if kind == 'Bearer' else '')

    def objection_to_socket(self, headers: Mapping[str, str]) -> str:
        """Why a socket is refused; '' if it is not.

        A browser can send no headers with a socket except its subprotocols. So the token comes as `token.TOKEN` among
        them, which keeps it out of addresses and logs.
        """
        offered = [_PROTOCOL.fullmatch(name.strip()) for name in headers.get('Sec-WebSocket-Protocol', '').split(',')]
        found = [match.group(1) for match in offered if match]
        return self._objection(headers, found[0] if len(found) == 1 else '')

    def _objection(self, headers: Mapping[str, str], token: str) -> str:
        if why := self.objection_to_host(headers):
            return why
        if headers.get('Origin', '') not in self._origins:
            return 'another origin'
        if not hmac.compare_digest(token.encode(errors='replace'), self._token.encode()):
            return 'no or another token'
        return ''
