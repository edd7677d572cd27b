"""Wishes that say where a thing might be, and ask for nothing: `I think the cup should be in box 1`."""

import re

from lucca_llm.rules.prompts.table_view import TableView

_WHAT = r"(?P<what>(?:the|my|all|every|each|both|those|these|that|this|an?) [a-z][a-z' -]*?)"
_WHERE = (
    r'(?P<where>(?:in|into|inside|on|onto|on top of|at|to) (?:the )?[a-z][a-z0-9 ]*?)(?: (?:instead|now|please|too))?'
)
_THINKS = (
    r"(?:i(?:'d| would)? (?:think|guess|believe|suppose|feel|reckon|say)|maybe|perhaps|ideally|in my opinion|"
    r'(?:it )?seems(?: to me)?)(?: that)?,? '
)
_SHOULD = (
    r'(?:(?:should|could|might|may|ought to|must|needs? to|ha(?:s|ve) to|can|shall|would)(?: (?:really|probably|better|'
    r'rather|also|now))* (?:be|go|stay|end up|move|come|sit|be put|be placed|be better|be best|be nicer|look better|'
    r'fit(?: better)?)|(?:goes|go|belongs?|is better|are better|fits?)(?: best| better)?)'
)
_MIGHT = (
    r'(?:(?:ought to|might|could|would) (?:probably |really |maybe )?(?:be|go|be put|be placed|be better|be best|'
    r'be nicer|look better|fit(?: better)?))'
)
_FORMS = [
    re.compile(f'^(?:(?:well|hm+|so|and|but|also|you know|please),? )*{form}[.!?]*$', re.IGNORECASE)
    for form in (
        rf'{_THINKS}{_WHAT} {_SHOULD} {_WHERE}',
        rf'{_WHAT} {_MIGHT} {_WHERE}',
        rf"(?:it|that)(?: would|'d| might| could) be (?:nice|good|better|best|great|lovely|neat|tidier) (?:if {_WHAT} "
        rf'(?:was|were|is|are|went|could be|could go|would be) (?:put |placed )?{_WHERE})',
        rf"(?:it|that)(?: would|'d| might| could) be (?:nice|good|better|best|great|lovely|neat|tidier) to (?:have|see|"
        rf'put|move) {_WHAT} {_WHERE}',
        rf'i wish (?:that )?{_WHAT} (?:was|were|would be|could be|would go) {_WHERE}',
        rf"(?:could|can|should|shouldn't|couldn't|can't|might|would|wouldn't) {_WHAT} (?:not )?(?:be|go|be put|"
        rf'be placed|be better|look better|belong|stay) {_WHERE}',
        rf"(?:isn't|aren't|is|are) {_WHAT} (?:not )?(?:supposed|meant|better off) (?:to (?:be|go) )?{_WHERE}",
        rf"(?:doesn't|don't|does not) {_WHAT} (?:belong|go) {_WHERE}",
        rf'(?:(?:shall|should) (?:we|i)|(?:could|can) we) (?:put|move|place|stack) {_WHAT} {_WHERE}',
        rf'(?:what|how) about (?:(?:we|you|i) (?:put|move|place|stack) {_WHAT}|'
        rf'{_WHAT.replace("what", "what2")}) {_WHERE}',
        rf'what if (?:(?:you|we) (?:put|moved|placed) {_WHAT}|'
        rf'{_WHAT.replace("what", "what2")} (?:was|were|went)) {_WHERE}',
        rf"why (?:don't we|do we not|not) (?:put|move|place) {_WHAT} {_WHERE}",
        rf"why (?:isn't|aren't) {_WHAT} {_WHERE}",
        rf'(?:would|is) it (?:be )?(?:ok|okay|all right|alright|fine) (?:to|if (?:you|we|i)) (?:put|moved?|placed?) '
        rf'{_WHAT} {_WHERE}',
        rf'(?:would|is) it (?:be )?possible for {_WHAT} to (?:be (?:put|placed|moved)|go|be) {_WHERE}',
        rf'(?:am i|are we) allowed to (?:have|get|see) {_WHAT} (?:put|placed|moved) {_WHERE}',
        rf'(?:we|one|someone|somebody) (?:should|could|might want to|ought to) (?:maybe |perhaps |really |'
        rf'probably )?(?:put|move|place) {_WHAT} {_WHERE}',
    )
]
_NO_NOUN = re.compile(
    r'\b(?:not|no|never|nothing|if|when|because|that|which|who|was|were|is|are|should|could|would|be|but|or)\b',
    re.IGNORECASE,
)


def wished(said: str, table: TableView) -> str:
    """The request that a wish amounts to, as `put the cup in box 1`; empty for other texts, and for things not here.

    It was not asked for, so it is only suggested.
    """
    text = ' '.join(said.replace('’', "'").split())
    match = next((match for form in _FORMS if (match := form.match(text)) is not None), None)
    if match is None:
        return ''
    what, where = match['what'] or match.groupdict().get('what2') or '', match['where']
    _, _, noun = what.partition(' ')
    if _NO_NOUN.search(noun) or not table.fitting(what) or not table.place_in(where):
        return ''
    return f'put {what} {where}'
