"""Function words: articles, prepositions, and all words that cannot be the noun of a noun phrase."""

from lucca_language.words.word_sets import any_of

ARTICLES = any_of('the a an')
PREPOSITIONS = any_of(
    'in into inside on onto upon at to towards toward over under beneath below behind beside beside '
    'near between against around through from of off with without for by after before until till '
    'above along across among about within'
)
FUNCTION_WORDS = PREPOSITIONS | any_of(
    'and or but nor so then than if when once while whereas unless because as since that which who '
    'whose where what whatever is are was were be been being am do does did not never no nothing '
    'only just should must may might could can shall will would has have had having first next '
    'finally last lastly afterwards afterward also too either neither both each every all any '
    'everything anything something i you we they he she it them its their your my our me us him her '
    'this these those there here please except excluding besides the a an yet still otherwise '
    'instead else again now one two three four five six seven eight nine ten how why until let '
    'rather until before after away back up down out together until later firstly secondly thirdly '
    'means mean wecall inorder alphabetically unalphabetically suchas namely eachother refers counts qualify so '
    'alone untouched'
)
RESTRICTIONS = any_of(
    'except excepting excluding besides minus save barring but not no non none never neither nor nothing nobody '
    "nowhere without unless if until till only just alone solely merely hardly scarcely barely cannot don't won't "
    'avoid skip other others another else instead rather excluded included exempt exempted excepted omitted'
)
"""Words that take something out of what is said, or make it depend on something."""
TIMES_AND_DEGREES = any_of(
    'before after during while when whenever once twice thrice again later now soon then today tonight tomorrow '
    'yesterday morning noon afternoon evening night midnight breakfast lunch dinner supper meal day week hour minute '
    'second third last first next half halfway quarter part partly almost nearly maybe perhaps possibly probably '
    'eventually finally always sometimes already still yet more most less least few fewer many much several some any '
    'all every each both either pair dozen couple enough too very remainder opposite dawn dusk sunrise sunset moment '
    'monday tuesday wednesday thursday friday saturday sunday weekday weekend holiday'
)
OCCASIONS = any_of('emergency fire command signal order request means time case condition circumstances point will')
"""Nouns that say when or how rather than where: `in an emergency`, `on command`, `by all means`."""
DENIALS = any_of(
    'missing wrong false fake former unwanted lacking absent alleged counterfeit imaginary forbidden prohibited banned '
    'exempt excluded optional leftover'
)
"""Adjectives that say that a thing is not what is called so, or not the one that is meant."""
