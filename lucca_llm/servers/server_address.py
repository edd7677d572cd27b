"""Addresses of model servers, and whether this process may send requests to them."""

import ipaddress
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from lucca_core.errors import ConfigError, ModelUnusable

OPENAI_URL = 'https://api.openai.com/v1'

ALLOW_MODEL_REQUESTS = True
"""False forbids requests to servers on other machines. The variable below forbids them in child processes as well."""

ALLOW_VARIABLE = 'LUCCA_ALLOW_MODEL_REQUESTS'


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address of a model server, without user, password, query or fragment."""

    url: str
    host: str
    is_https: bool

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine."""
        if self.host == 'localhost':
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def require_allowed(self) -> None:
        """Checks that requests may be sent to this server.

        Raises:
            ModelUnusable: it is on another machine, and such requests are turned off.
        """
        if self.is_loopback or (ALLOW_MODEL_REQUESTS and os.environ.get(ALLOW_VARIABLE, '1') != '0'):
            return
        raise ModelUnusable(
            f'requests to {self.url} are turned off ({ALLOW_VARIABLE}=0); only servers on this machine may be asked'
        )


def parse_server_address(url: str, *, default_path: str = '') -> ServerAddress:
    """The address in an http or https URL; `default_path` is added if the URL has no path.

    Raises:
        ConfigError: it is malformed, or has a user, a password or a query. The message does not quote the URL, which
            may hold a key.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigError(f'the URL of a model server is malformed: {type(error).__name__}') from None
    if parts.scheme not in ('http', 'https') or not host:
        raise ConfigError('the URL of a model server must read http://HOST[:PORT][/PATH] or https://…')
    if '@' in parts.netloc or parts.query or parts.fragment:
        raise ConfigError(
            'the URL of a model server must not hold a user, a password or a query; keys come from the environment'
        )
    shown_host = f'[{host}]' if ':' in host else host
    netloc = shown_host if port is None else f'{shown_host}:{port}'
    path = parts.path.rstrip('/') or default_path
    return ServerAddress(f'{parts.scheme}://{netloc}{path}', host, parts.scheme == 'https')
