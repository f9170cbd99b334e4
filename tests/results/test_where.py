import numpy as np
import pytest

from tritonpuzzles.results.where import Region


def mask(shape: tuple[int, ...], *places: object) -> np.ndarray:
    found = np.zeros(shape, bool)
    for place in places:
        found[place] = True
    return found


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (mask((4, 9), np.s_[:]), "every element"),
        (mask((4, 9)), "nowhere"),
        (mask((9,), np.s_[5:]), "elements 5 and after"),
        (mask((9,), 3), "element 3"),
        (mask((4, 9), np.s_[:, 6:]), "columns 6 and after of every row"),
        (mask((4, 9), np.s_[:, 2:5]), "columns 2 to 4 of every row"),
        (mask((4, 9), np.s_[:, 8]), "column 8 of every row"),
        (mask((9, 9), np.s_[4:]), "rows 4 and after, whole"),
        (mask((9, 9), np.s_[2]), "row 2, whole"),
        (mask((4, 9), np.s_[1, 3]), "row 1, column 3"),
        (mask((4, 9), np.s_[2:, 6:]), "rows 2 and after, columns 6 and after"),
        (mask((16, 9), np.s_[1::2]), "every 2nd row from 1 on, whole"),
        (mask((4, 9), np.s_[:, 0], np.s_[0, :]), "all but rows 1 and after, columns 1 and after"),
        (mask((9, 9), np.s_[4:], np.s_[:, 6:]), "all but rows 0 to 3, columns 0 to 5"),
        (mask((4, 9), np.s_[:, 0], np.s_[0, :8], (3, 8)), "all over"),
        (mask((9, 9), np.s_[4:, 6:7], np.s_[8, 6:]), "in rows 4 and after, columns 6 and after"),
        (mask((9, 9), np.s_[4:, 0], np.s_[7, :]), "in rows 4 and after"),
        (mask((9, 9), np.s_[0, 4:], np.s_[:, 7]), "in columns 4 and after"),
        (mask((3, 4, 9), np.s_[:, :, 8]), "column 8 of every row"),
        (mask((4, 9), np.s_[[0, 2, 3], 0]), "rows 0, 2, 3, column 0"),
    ],
)
def test_describe(found: np.ndarray, words: str) -> None:
    assert Region.of(found).words() == words
