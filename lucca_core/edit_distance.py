"""The distance between two words: how many typing mistakes turn one into the other."""


def edit_distance(a: str, b: str) -> int:
    """The number of insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.

    No letter is edited twice (optimal string alignment, a restricted Damerau-Levenshtein distance).
    """
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
