"""Every error that lucca raises on purpose.

LuccaError
├── ConfigError          a settings, task, action, object or scene file is wrong; names file, line and reason
├── RefusalError         the gate or the parser said no; carries a ReasonCode
├── MotionError          a motion could not be planned or carried out; carries a ReasonCode
├── MemoryFault          memory could not be read or written; nothing was recorded
│   ├── LogDamagedError  entries of a log fail their check, or are missing though they were written
│   ├── FolderInUseError another process writes the data folder
│   ├── NewerVersionError  a newer lucca wrote it
│   └── NameTakenError   a new person would have the name of somebody who is known
├── ModelError           a language model gave no usable answer
│   ├── ModelRetryable   asking again may help: timeout, rate limit, server error, malformed answer
│   │   └── ModelTimeout the deadline passed
│   └── ModelUnusable    asking again cannot help: bad key, unknown model, prompt does not fit
│       └── ToolsRefused the model takes no tools; asking without them may do
├── PerceptionError      a detector could not be loaded or a frame could not be used
├── SpeechError          audio, a transcriber, a voice or a speaker could not be used
└── StackError           a node, service or process of the stack is missing or does not answer
    └── AlreadyRunningError  another one runs in this domain and namespace

A caller's mistake is a plain ValueError or TypeError.
"""

from lucca_core.codes import ReasonCode

_SHOWN_AT_AN_END = 600


class LuccaError(Exception):
    """Root of the tree above."""


class ConfigError(LuccaError):
    """A file of settings is wrong. `str(error)` reads `FILE:LINE: REASON`, with the middle of a very long reason left out."""

    def __init__(self, reason: str, *, file: str = '', line: int = 0) -> None:
        if len(reason) > 2 * _SHOWN_AT_AN_END:
            reason = f'{reason[:_SHOWN_AT_AN_END]} … {reason[-_SHOWN_AT_AN_END:]}'
        self.reason = reason
        self.file = file
        self.line = line
        place = f'{file}:{line}: ' if line else f'{file}: ' if file else ''
        super().__init__(place + reason)


class RefusalError(LuccaError):
    """Text that must not become motion, with the code that goes back to the model."""

    def __init__(self, code: ReasonCode, message: str) -> None:
        if not code.is_refusal:
            raise ValueError(f'{code!r} is not a refusal code')
        self.code = code
        super().__init__(message)


class MotionError(LuccaError):
    """A motion that could not be planned or carried out, with the code of the outcome."""

    def __init__(self, code: ReasonCode, message: str) -> None:
        if code.is_refusal or code is ReasonCode.DONE:
            raise ValueError(f'{code!r} does not name a failed motion')
        self.code = code
        super().__init__(message)


class MemoryFault(LuccaError):
    """Memory could not be read or written; what was asked for has not been recorded."""


class LogDamagedError(MemoryFault):
    """Entries of a log fail their check, or are missing though its head counts them: somebody changed it, or the disk did."""


class FolderInUseError(MemoryFault):
    """Another process holds the lock of the data folder."""


class NewerVersionError(MemoryFault):
    """A newer version of lucca wrote it: it is whole, and this version cannot read it."""


class NameTakenError(MemoryFault):
    """A new person would have the name of somebody who is known: nobody is taken over."""


class ModelError(LuccaError):
    """A language model gave no usable answer."""


class ModelRetryable(ModelError):
    """Asking again may help. `retry_after_s` is the server's wish, if it gave one."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class ModelTimeout(ModelRetryable):
    """The deadline of a call passed before the answer was whole."""


class ModelUnusable(ModelError):
    """Asking again cannot help: a bad key, an unknown model, a prompt that does not fit."""


class ToolsRefused(ModelUnusable):
    """The server or its model takes no tools natively; the same can be asked in text."""


class PerceptionError(LuccaError):
    """A detector could not be loaded, or a frame could not be used."""


class SpeechError(LuccaError):
    """Audio could not be had, or a transcriber, voice-activity detector or speaker could not be loaded or used."""


class StackError(LuccaError):
    """A node, service or process of the stack is missing or does not answer."""


class AlreadyRunningError(StackError):
    """Another one runs in this domain and namespace; the message says which process."""
