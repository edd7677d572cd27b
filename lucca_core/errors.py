"""The tree of exceptions that lucca raises.

LuccaError
├── ConfigError          a file of settings, tasks, actions, objects or a scene is wrong; names file, line and reason
├── RefusalError         the gate or the parser refused; carries a ReasonCode
├── MotionError          a motion could not be planned or executed; carries a ReasonCode
├── MemoryFault          memory could not be read or written; nothing was recorded
│   ├── LogDamagedError  entries of a log fail their check or are missing
│   ├── FolderInUseError another process holds the data folder
│   ├── NewerVersionError  written by a newer lucca
│   ├── DeskRefusal      the memory of people refused a request; carries a DeskCode
│   └── NameTakenError   a new person would get the name of a known one
├── ModelError           a language model gave no usable answer
│   ├── ModelRetryable   asking again may help: timeout, rate limit, server error, malformed answer
│   │   └── ModelTimeout the deadline passed
│   └── ModelUnusable    asking again cannot help: bad key, unknown model, prompt does not fit
│       └── ToolsRefused the model takes no tools; asking without them may help
├── PerceptionError      a detector could not be loaded or a frame could not be used
├── RecordingError       a recording of a session could not be read or written
├── SpeechError          audio, a transcriber, a voice or a speaker could not be used
├── InstallError         a model could not be downloaded, compiled or unpacked; nothing is left half installed
└── StackError           a node, service or process of the stack is missing or does not answer
    ├── ServerLostError  the node that was asked disappeared, or another one answers in its place
    └── AlreadyRunningError  another stack, or another node of this kind, runs in this domain and namespace

Mistakes of a caller raise a plain ValueError or TypeError.
"""

from lucca_core.codes import ReasonCode
from lucca_core.protocol.refusal import DeskCode

_SHOWN_AT_AN_END = 600


class LuccaError(Exception):
    """Root of the tree above."""


class ConfigError(LuccaError):
    """A configuration file is wrong. `str(error)` reads `FILE:LINE: REASON`; a very long reason is shortened."""

    def __init__(self, reason: str, *, file: str = '', line: int = 0) -> None:
        if len(reason) > 2 * _SHOWN_AT_AN_END:
            reason = f'{reason[:_SHOWN_AT_AN_END]} … {reason[-_SHOWN_AT_AN_END:]}'
        self.reason = reason
        self.file = file
        self.line = line
        place = f'{file}:{line}: ' if line else f'{file}: ' if file else ''
        super().__init__(place + reason)


class RefusalError(LuccaError):
    """A text was refused as an action. `code` goes back to the model."""

    def __init__(self, code: ReasonCode, message: str) -> None:
        if not code.is_refusal:
            raise ValueError(f'{code!r} is not a refusal code')
        self.code = code
        super().__init__(message)


class MotionError(LuccaError):
    """A motion could not be planned or executed. `code` becomes the code of the action's outcome."""

    def __init__(self, code: ReasonCode, message: str) -> None:
        if code.is_refusal or code is ReasonCode.DONE:
            raise ValueError(f'{code!r} does not name a failed motion')
        self.code = code
        super().__init__(message)


class MemoryFault(LuccaError):
    """Memory could not be read or written; nothing was recorded."""


class LogDamagedError(MemoryFault):
    """Entries of a log fail their check, or are fewer than its head says: the log was changed after it was written."""


class FolderInUseError(MemoryFault):
    """Another process holds the lock of the data folder."""


class NewerVersionError(MemoryFault):
    """The data was written by a newer version of lucca. It is intact, but this version cannot read it."""


class NameTakenError(MemoryFault):
    """A new person would get the name of a known person, and could be mistaken for them."""


class DeskRefusal(MemoryFault):
    """The memory of people refused a request and did nothing."""

    def __init__(self, code: DeskCode, reason: str) -> None:
        self.code = code
        super().__init__(reason)


class ModelError(LuccaError):
    """A language model gave no usable answer."""


class ModelRetryable(ModelError):
    """Asking again may help. `retry_after_s` is the wait that the server asks for, if any."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class ModelTimeout(ModelRetryable):
    """The deadline of a call passed before the answer was complete."""


class ModelUnusable(ModelError):
    """Asking again cannot help: a bad key, an unknown model, a prompt that does not fit."""


class ToolsRefused(ModelUnusable):
    """The server or its model does not support native tools; asking in plain text may help."""


class PerceptionError(LuccaError):
    """A detector could not be loaded, or a frame could not be used."""


class InstallError(LuccaError):
    """A model could not be downloaded, compiled or unpacked. What was installed before is unchanged."""


class RecordingError(LuccaError):
    """A recording of a session could not be read or written; the message says what is wrong with it."""


class SpeechError(LuccaError):
    """Audio, a transcriber, a voice-activity detector or a speaker could not be loaded or used."""


class StackError(LuccaError):
    """A node, service or process of the stack is missing or does not answer."""


class ServerLostError(StackError):
    """The node that was asked disappeared, or another one answers in its place."""


class AlreadyRunningError(StackError):
    """Another stack, or another node of this kind, runs in this domain and namespace; the message names its process."""
