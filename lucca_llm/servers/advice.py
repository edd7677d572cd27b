"""What a user can do about a server's refusal, by protocol and HTTP status."""

_OPENAI = {
    401: 'it does not accept the key; set OPENAI_API_KEY (or LUCCA_OPENAI_API_KEY) to a valid one',
    403: 'the key is not allowed to use this model',
    404: 'it does not know this model, or the URL is not that of an OpenAI-compatible server (does it end in /v1?)',
}
_NO_OLLAMA_KEY = (
    'it does not accept the key; set OLLAMA_API_KEY (LUCCA_OLLAMA_API_KEY for a server on another machine without'
    ' https), or, for a cloud model, run `ollama signin` where the server runs'
)
_NO_OLLAMA = (
    'this is not the URL of an Ollama server (http://HOST:PORT and nothing more); a server with the protocol of OpenAI'
    ' is named openai:MODEL@URL'
)
_OLLAMA = {
    401: _NO_OLLAMA_KEY,
    403: 'it does not allow this model, or not with this key',
    404: _NO_OLLAMA,
    405: _NO_OLLAMA,
}


def openai_advice(status: int) -> str:
    """The advice for a status of a server with OpenAI's protocol, ending in a colon; empty if there is none."""
    return f'{_OPENAI[status]}: ' if status in _OPENAI else ''


def ollama_advice(status: int, said: str, model: str) -> str:
    """The same for Ollama, where `said` tells a missing model from a missing path."""
    if 'model' in said and 'not found' in said:
        return f'the server does not have this model; fetch it with `ollama pull {model}`: '
    return f'{_OLLAMA[status]}: ' if status in _OLLAMA else ''
