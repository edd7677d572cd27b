"""Chat templates: the Jinja template in a model's file turns a chat into the text format of its training."""

import re
from collections.abc import Sequence
from typing import Any, NoReturn

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from lucca_core.errors import ModelUnusable

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{{ '<|im_start|>assistant\n' }}"
)
"""Used for a file without a template."""


class ChatTemplate:
    """The template of one model. As it comes with the file, it runs in a sandbox without access to anything.

    Words that the model reads as its own marks, such as `<|im_end|>`, are broken up where a message contains them, so
    that no message can end itself or begin another one.
    """

    def __init__(self, source: str, *, begin: str = '', end: str = '', marks: Sequence[str] = ()) -> None:
        self._words = {'bos_token': begin, 'eos_token': end}
        longest_first = sorted((mark for mark in marks if len(mark) > 1), key=len, reverse=True)
        self._marks = re.compile('|'.join(map(re.escape, longest_first))) if longest_first else None
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        environment.globals['raise_exception'] = _refuse
        try:
            self._template = environment.from_string(source or CHATML)
        except jinja2.TemplateError as error:
            raise ModelUnusable(f'the chat template of the model is wrong: {error}') from error

    def render(self, messages: Sequence[dict[str, str]]) -> str:
        """The prompt for a chat, up to where the answer begins.

        Templates may refuse a system message, or two messages of a user in a row; then these are merged.

        Raises:
            ModelUnusable: the template refuses the merged chat, too.
        """
        chat = [{**message, 'content': self._without_marks(message['content'])} for message in messages]
        try:
            return self._rendered(chat)
        except jinja2.TemplateError:
            pass
        try:
            return self._rendered(merged(chat))
        except jinja2.TemplateError as error:
            raise ModelUnusable(f'the chat template of the model refuses this chat: {error}') from error

    def _without_marks(self, content: str) -> str:
        if self._marks is None:
            return content
        return self._marks.sub(lambda found: f'{found[0][0]} {found[0][1:]}', content)

    def _rendered(self, messages: Sequence[dict[str, str]]) -> str:
        return self._template.render(messages=list(messages), add_generation_prompt=True, tools=None, **self._words)


def merged(messages: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """The chat with user and assistant in turn. System messages become the user's, and neighbours are joined."""
    chat: list[dict[str, str]] = []
    for message in messages:
        role = 'assistant' if message['role'] == 'assistant' else 'user'
        if chat and chat[-1]['role'] == role:
            chat[-1] = {'role': role, 'content': f'{chat[-1]["content"]}\n\n{message["content"]}'}
        else:
            chat.append({'role': role, 'content': message['content']})
    return chat


def _refuse(reason: Any) -> NoReturn:
    raise jinja2.TemplateError(str(reason))
