"""A cache of evaluated prompts, so that a prompt with a known beginning is evaluated from there."""

from collections import OrderedDict
from collections.abc import Sequence

from lucca_llm.local.llama_context import LlamaContext

_WORTH_SAVING = 64


def shared_beginning(one: Sequence[int], other: Sequence[int]) -> int:
    """The number of tokens that two sequences share at the beginning."""
    for place, (mine, its) in enumerate(zip(one, other, strict=False)):
        if mine != its:
            return place
    return min(len(one), len(other))


class PromptCache:
    """Saved states of a context. Beyond `most_bytes`, the least recently used states are dropped."""

    def __init__(self, context: LlamaContext, most_bytes: int) -> None:
        self._context = context
        self._most_bytes = most_bytes
        self._states: OrderedDict[tuple[int, ...], bytes] = OrderedDict()

    def prepare(self, prompt: Sequence[int]) -> int:
        """Makes the context hold the longest known beginning of a prompt; returns its length.

        It is at least one token shorter than the prompt, as the last token has to be evaluated for its logits.
        """
        live = shared_beginning(self._context.tokens, prompt)
        best, tokens = live, None
        for known in self._states:
            length = shared_beginning(known, prompt)
            if length > best + _WORTH_SAVING:
                best, tokens = length, known
        # Taken before another state is saved, which may displace it.
        state = None if tokens is None else self._states[tokens]
        # A different kind of prompt follows, so the tokens that would be cut off may be needed again.
        if len(self._context.tokens) - live > _WORTH_SAVING and live < len(prompt) // 2:
            self._save()
        if tokens is not None and state is not None:
            if tokens in self._states:
                self._states.move_to_end(tokens)
            if not self._context.restore(tokens, state):
                self._states.pop(tokens, None)
        self._context.cut(min(shared_beginning(self._context.tokens, prompt), len(prompt) - 1))
        return len(self._context.tokens)

    def _save(self) -> None:
        key = tuple(self._context.tokens)
        if key in self._states:
            self._states.move_to_end(key)
            return
        state = self._context.saved()
        if len(state) > self._most_bytes:
            return
        # States of a beginning of these tokens hold nothing more than this one.
        for known in [known for known in self._states if shared_beginning(known, key) == len(known)]:
            del self._states[known]
        self._states[key] = state
        while sum(map(len, self._states.values())) > self._most_bytes:
            self._states.popitem(last=False)
