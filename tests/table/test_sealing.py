from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from partita.table.sealing import BrokenSealError, seal, unseal

keys = st.binary(min_size=16, max_size=32)
some = st.binary(max_size=200)


@given(st.lists(keys, min_size=1, max_size=3, unique=True), some, some)
def test_what_is_sealed_opens_with_any_of_the_keys(held: list[bytes], purpose: bytes, payload: bytes) -> None:
    for key in held:
        assert unseal(tuple(held), purpose, seal((key,), purpose, payload)) == payload


@given(keys, keys, some, some, some)
def test_another_key_or_purpose_opens_nothing(
    key: bytes, other: bytes, purpose: bytes, wrong: bytes, payload: bytes
) -> None:
    assume(key != other and wrong != purpose)
    sealed = seal((key,), purpose, payload)
    for keys_held, said in (((other,), purpose), ((key,), wrong)):
        with pytest.raises(BrokenSealError):
            unseal(keys_held, said, sealed)


@given(keys, some, some, st.data())
def test_nothing_altered_opens(key: bytes, purpose: bytes, payload: bytes, data: st.DataObject) -> None:
    sealed = seal((key,), purpose, payload)
    place = data.draw(st.integers(0, len(sealed) - 1))
    letter = data.draw(st.characters())
    altered = sealed[:place] + letter + sealed[place + 1 :]
    assume(altered != sealed)
    with pytest.raises(BrokenSealError):
        unseal((key,), purpose, altered)


@given(keys, some, st.text(max_size=300))
def test_what_we_never_wrote_opens_nothing(key: bytes, purpose: bytes, text: str) -> None:
    with pytest.raises(BrokenSealError):
        unseal((key,), purpose, text)
