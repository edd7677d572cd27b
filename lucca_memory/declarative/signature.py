"""Ed25519 signatures of task logs, which prove that only the worker wrote them.

The library cryptography is needed only if a key is given. Each entry is signed together with everything before it, and
the head signs the whole log. The public key verifies both; the files alone do not allow forging either. Signatures
cannot reveal that a log and its head were both replaced by an earlier state.
"""

import hashlib
import os
import stat
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.regular_file import new_file, read_regular
from lucca_memory.declarative.head import Head

KEY_VARIABLE = 'LUCCA_LOG_KEY'
"""Environment variable with the path of the key, used if no setting names one."""


class LogKey:
    """A key that signs and verifies, or, if public, only verifies."""

    def __init__(self, public: Any, private: Any = None) -> None:
        self._public = public
        self._private = private

    @property
    def can_sign(self) -> bool:
        """True for a private key."""
        return self._private is not None

    def sign(self, message: bytes) -> str:
        """The signature of a message, as hexadecimal digits."""
        return str(self._private.sign(message).hex())

    def is_signed(self, message: bytes, signature: str) -> bool:
        """True if this key signed the message."""
        from cryptography.exceptions import InvalidSignature

        try:
            self._public.verify(bytes.fromhex(signature), message)
        except (InvalidSignature, ValueError):
            return False
        return True


def make_key(file: Path) -> Path:
    """Writes a new private key, readable by its owner only, and a public key beside it; returns the public key's path.

    Raises:
        ConfigError: the library is not installed, or a file exists already or cannot be written.
    """
    _library()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.generate()
    pem = serialization.Encoding.PEM
    secret = private.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    public = private.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    beside = file.with_name(f'{file.name}.pub')
    try:
        for path, data in ((file, secret), (beside, public)):
            with new_file(path) as stream:
                stream.write(data)
    except OSError as error:
        raise ConfigError(f'no key was made: {error}', file=str(file)) from error
    return beside


def load_key(file: Path) -> LogKey:
    """The key in a PEM file, private or public.

    Raises:
        ConfigError: the file is missing, is no Ed25519 key or is private and readable by others, or the library is
            not installed; the message says what to do.
    """
    _library()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

    try:
        data = read_regular(file)
        mode = stat.S_IMODE(file.stat().st_mode)
    except OSError as error:
        raise ConfigError(f'the key of the logs cannot be read: {error}', file=str(file)) from error
    try:
        if b'PRIVATE' not in data:
            public = serialization.load_pem_public_key(data)
            private = None
        else:
            private = serialization.load_pem_private_key(data, None)
            public = private.public_key()
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise ConfigError(f'is not a PEM key without a password: {error}', file=str(file)) from error
    if not isinstance(public, Ed25519PublicKey):
        raise ConfigError('is not an Ed25519 key; make one with: lucca log --make-key FILE', file=str(file))
    if isinstance(private, Ed25519PrivateKey) and mode & 0o077:
        raise ConfigError(f'can be read by others (mode {mode:04o}); change it with: chmod 600 {file}', file=str(file))
    return LogKey(public, private)


def key_of(file: str) -> LogKey | None:
    """The key in `file`, or else in the file that the environment names; None if neither is set.

    Raises:
        ConfigError: see `load_key`.
    """
    name = file or os.environ.get(KEY_VARIABLE, '')
    return load_key(Path(name).expanduser()) if name else None


def head_message(head: Head, log: bytes) -> bytes:
    """The message signed for a head and the log that it counts."""
    return head_message_of(head, hashlib.sha256(log[: head.size]).digest())


def head_message_of(head: Head, digest: bytes) -> bytes:
    """As `head_message`, from the SHA-256 of the log."""
    said = f'lucca log head {head.task:08x} {head.epoch} {head.count} {head.size} {head.check:08x}\n'
    return said.encode() + digest


def entry_message(digest: bytes) -> bytes:
    """The message signed for an entry, from the SHA-256 of the log up to the end of its text."""
    return b'lucca log entry\n' + digest


def _library() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError as error:
        raise ConfigError(f'signed logs need: pip install "cryptography>=41" ({error})') from error
