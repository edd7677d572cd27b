"""Keys, held so that they are shown nowhere by accident."""

import os
from collections.abc import Sequence

from lucca_core.errors import ModelUnusable

HIDDEN = '[key]'


class Secret:
    """A key. Its text forms are `[key]`; `reveal` gives it to the client that sends it."""

    __slots__ = ('_value',)

    def __init__(self, value: str) -> None:
        self._value = value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return HIDDEN

    def __reduce__(self) -> tuple[type['Secret'], tuple[str]]:
        return Secret, ('',)  # neither a pickle nor a copy takes it along

    def reveal(self) -> str:
        """The key itself."""
        return self._value

    def hide_in(self, text: str) -> str:
        """The text without the key, as servers like to quote it in what they answer."""
        return text.replace(self._value, HIDDEN) if self._value else text

    def is_in(self, error: BaseException) -> bool:
        """Whether an exception, or what it came from, shows the key when it is printed."""
        seen: BaseException | None = error
        while self._value and seen is not None:
            if self._value in f'{seen} {seen!r}':
                return True
            seen = seen.__cause__ or seen.__context__
        return False


def key_from_environment(names: Sequence[str]) -> Secret:
    """The key in the first of these variables that is set, or an empty one.

    Raises:
        ModelUnusable: it has characters that no HTTP header can carry (the client's own error would quote it).
    """
    for name in names:
        value = os.environ.get(name, '').strip()
        if value:
            if not (value.isascii() and value.isprintable()) or ' ' in value:
                raise ModelUnusable(f'{name} holds characters that no key has; set it to the key alone')
            return Secret(value)
    return Secret('')
