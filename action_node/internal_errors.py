"""Unexpected errors in words, as results, answers and diagnostics tell them."""

INTERNAL_ERROR = 'internal error'


def internal_error(error: Exception) -> str:
    """An unexpected error in words: `internal error KeyError: 'joint'`."""
    return f'{INTERNAL_ERROR} {type(error).__name__}: {error}'
