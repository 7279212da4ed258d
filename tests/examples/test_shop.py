"""The shop keeps its rules, whoever shops at the same moment."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from examples.shop.program import Refused, cancel, change_email, correct_city, leave, pay, place, send, sign_up
from examples.shop.schema import (
    SHOP,
    Customer,
    Order,
    Product,
    account,
    customer,
    order,
    orders_of,
    owner_of,
    product,
    shipment,
    shipments_of,
    to_send,
)
from examples.shop.values import Address, Line, Status

from partita.engine import Engine
from partita.store import EmbeddedStore, Store
from partita.table import ChangedMeanwhileError, InvalidValueError, Put

NOW = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
HOME = Address(name="Ada", street="St James's Square", city="London")
ADA = Customer(customer_id="ada", name="Ada", email="ada@example.org")


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(SHOP)
        store.write(Put(Product(sku="tea", name="Tea", price=Decimal("7.90"), stock=10)))
        store.write(Put(Product(sku="pot", name="Pot", price=Decimal("39.00"), stock=1)))
        sign_up(store, ADA)
        yield store


def _order(store: Store, *, minutes: int = 0, **wanted: int) -> Order:
    return place(store, "ada", wanted, HOME, NOW + timedelta(minutes=minutes), warehouse="berlin")


def _stock(store: Store, sku: str) -> int:
    found = store.get(product(sku).consistently())
    assert found is not None
    return found.stock


def _ada(store: Store) -> Customer:
    found = store.get(customer("ada").consistently())
    assert found is not None
    return found


def test_an_address_is_one_whatever_its_capitals(store: EmbeddedStore) -> None:
    with pytest.raises(Refused, match=r"ada@example\.org belongs to somebody"):
        sign_up(store, Customer(customer_id="eve", name="Eve", email=" Ada@EXAMPLE.org"))
    assert store.get(customer("eve")) is None
    found = store.get(owner_of("ADA@example.org"))
    assert found is not None
    assert found.of_customer == "ada"


def test_of_twenty_who_sign_up_with_one_address_at_once_one_succeeds(store: EmbeddedStore) -> None:
    def join(number: int) -> bool:
        try:
            sign_up(store, Customer(customer_id=f"c{number}", name="C", email="same@example.org"))
        except Refused:
            return False
        return True

    with ThreadPoolExecutor(20) as people:
        joined = list(people.map(join, range(20)))
    assert joined.count(True) == 1
    there = [store.get(customer(f"c{number}")) is not None for number in range(20)]
    assert there == joined


def test_a_changed_address_frees_the_old_one(store: EmbeddedStore) -> None:
    after = change_email(store, ADA, "ada@new.example")
    sign_up(store, Customer(customer_id="ben", name="Ben", email="ada@example.org"))
    with pytest.raises(Refused):
        sign_up(store, Customer(customer_id="eve", name="Eve", email="ada@new.example"))
    leave(store, after)
    sign_up(store, Customer(customer_id="eve", name="Eve", email="ada@new.example"))


def test_an_order_takes_goods_off_the_shelf_and_counts_what_was_spent(store: EmbeddedStore) -> None:
    placed = _order(store, tea=2, pot=1)
    assert placed.total == Decimal("54.80")
    assert (_stock(store, "tea"), _stock(store, "pot")) == (8, 0)
    assert (_ada(store).order_count, _ada(store).spent) == (1, Decimal("54.80"))
    assert store.page(order(placed.order_id)).items == (placed,)


def test_an_order_that_cannot_be_filled_leaves_nothing_behind(store: EmbeddedStore) -> None:
    with pytest.raises(Refused, match="1 of pot left, not 2"):
        _order(store, tea=1, pot=2)
    with pytest.raises(Refused, match="there is no hat"):
        _order(store, hat=1)
    with pytest.raises(Refused, match="nobody is no customer"):
        place(store, "nobody", {"tea": 1}, HOME, NOW, warehouse="berlin")
    assert (_stock(store, "tea"), _ada(store).order_count, store.count(orders_of("ada"))) == (10, 0, 0)


def test_the_stock_is_never_below_zero_with_sixteen_who_order_at_once(store: EmbeddedStore) -> None:
    def buy(number: int) -> int:
        try:
            _order(store, minutes=number, tea=3)
        except Refused:
            return 0
        return 3

    with ThreadPoolExecutor(16) as people:
        bought = sum(people.map(buy, range(16)))
    assert (bought, _stock(store, "tea")) == (9, 1)
    assert (_ada(store).order_count, _ada(store).spent) == (3, 9 * Decimal("7.90"))
    assert store.count(orders_of("ada")) == 3


def test_no_item_can_say_that_there_is_less_than_nothing() -> None:
    tea = Product(sku="tea", name="Tea", price=Decimal("7.90"), stock=0)
    with pytest.raises(InvalidValueError, match="greater than or equal to 0"):
        tea.with_(Product.stock(-1))
    with pytest.raises(InvalidValueError, match="no more than 2 decimal places"):
        tea.with_(Product.price(Decimal("0.001")))


def test_open_orders_are_in_the_warehouses_list_and_others_are_not(store: EmbeddedStore) -> None:
    first, second = _order(store, tea=1), _order(store, minutes=1, tea=1)
    assert store.page(to_send("berlin")).items == (first, second)
    assert store.count(to_send("leipzig")) == 0
    paid = pay(store, first)
    assert [each.status for each in store.page(to_send("berlin"))] == [Status.PAID, Status.PLACED]
    send(store, paid, "Royal Mail", "RM-1", NOW)
    cancel(store, second)
    assert store.count(to_send("berlin")) == 0


def test_who_changes_an_older_version_of_an_order_is_told(store: EmbeddedStore) -> None:
    seen = _order(store, tea=1)
    paid = pay(store, seen)
    assert (seen.revision, paid.revision) == (1, 2)
    for late in (lambda: pay(store, seen), lambda: cancel(store, seen)):
        with pytest.raises(ChangedMeanwhileError):
            late()
    assert _stock(store, "tea") == 9


def test_of_many_who_cancel_at_once_one_puts_the_goods_back(store: EmbeddedStore) -> None:
    seen = _order(store, tea=4)

    def tried(_: int) -> bool:
        try:
            cancel(store, seen)
        except ChangedMeanwhileError:
            return False
        return True

    with ThreadPoolExecutor(8) as people:
        assert list(people.map(tried, range(8))).count(True) == 1
    assert (_stock(store, "tea"), _ada(store).order_count, _ada(store).spent) == (10, 0, Decimal(0))


def test_an_order_goes_only_where_it_can_go(store: EmbeddedStore) -> None:
    placed = _order(store, tea=1)
    with pytest.raises(Refused, match="is placed and cannot be sent"):
        send(store, placed, "Royal Mail", "RM-1", NOW)
    cancel(store, placed)
    (cancelled,) = store.page(orders_of("ada"))
    with pytest.raises(Refused, match="is cancelled and cannot be cancelled"):
        cancel(store, cancelled)


def test_an_address_is_corrected_until_the_parcel_is_gone(store: EmbeddedStore) -> None:
    paid = pay(store, _order(store, tea=1))
    corrected = correct_city(store, paid, "Leeds")
    assert corrected.ship_to == Address(name="Ada", street="St James's Square", city="Leeds")
    send(store, paid, "Royal Mail", "RM-1", NOW)
    with pytest.raises(Refused, match="the parcel is gone"):
        correct_city(store, paid, "York")


def test_a_parcel_is_found_by_its_order_and_by_its_number(store: EmbeddedStore) -> None:
    paid = pay(store, _order(store, tea=1, pot=1))
    parcel = send(store, paid, "Royal Mail", "RM-1", NOW)
    assert parcel.skus == {"tea", "pot"}
    assert store.page(shipments_of(paid.order_id)).items == (parcel,)
    assert store.page(shipment("RM-1")).items == (parcel,)


def test_an_account_is_the_customer_and_then_the_orders(store: EmbeddedStore) -> None:
    orders = [_order(store, minutes=number, tea=1) for number in range(3)]
    whole = store.page(account("ada")).items
    assert whole == (_ada(store), *orders)
    assert store.page(orders_of("ada")).items == tuple(reversed(orders))


def test_an_order_holds_its_lines_and_its_total_exactly() -> None:
    lines = tuple(Line(sku=f"s{number}", quantity=3, price=Decimal("0.10")) for number in range(3))
    made = Order(customer_id="ada", order_id="1", placed_at=NOW, lines=lines, ship_to=HOME, warehouse="berlin")
    row = made.to_row()
    assert (row["total"], row["placedAt"]) == ({"N": "0.9"}, {"S": "2026-05-01T09:00:00.000000Z"})
    assert Order.from_row(row) == made
