"""A day in the shop, on an engine that is gone afterwards: `python -m examples.shop`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from partita.engine import Engine
from partita.store import EmbeddedStore, Store
from partita.table import ChangedMeanwhileError, Put

from .program import Refused, cancel, pay, place, send, sign_up
from .schema import SHOP, Customer, Product, account, customer, order, product, shipment, to_send
from .values import Address

MORNING = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
HOME = Address(name="Ada Lovelace", street="12 St James's Square", city="London")


def day(store: Store) -> None:
    """What happens, in order."""
    store.batch_write(
        [
            Put(Product(sku="tea", name="Earl Grey, 100 g", price=Decimal("7.90"), stock=10)),
            Put(Product(sku="pot", name="A teapot", price=Decimal("39.00"), stock=1)),
        ]
    )
    sign_up(store, Customer(customer_id="ada", name="Ada", email="Ada@Example.org"))
    sign_up(store, Customer(customer_id="ben", name="Ben", email="ben@example.org"))
    try:
        sign_up(store, Customer(customer_id="eve", name="Eve", email="ada@example.ORG"))
    except Refused as no:
        print("Eve cannot sign up:", no)

    first = place(store, "ada", {"tea": 2, "pot": 1}, HOME, MORNING, warehouse="berlin")
    print(f"Ada's order costs {first.total:.2f}")
    try:
        place(store, "ben", {"tea": 1, "pot": 1}, HOME, MORNING + timedelta(minutes=1), warehouse="berlin")
    except Refused as no:
        print("Ben cannot order:", no)
    second = place(store, "ben", {"tea": 3}, HOME, MORNING + timedelta(minutes=2), warehouse="berlin")
    print("To send:", [each.customer_id for each in store.page(to_send("berlin"))])

    paid = pay(store, first)
    try:
        cancel(store, first)  # by somebody whose screen still shows it unpaid
    except ChangedMeanwhileError:
        print("Whoever cancels must look again: the order was paid meanwhile")
    send(store, paid, "Royal Mail", "RM-1", MORNING + timedelta(hours=3))
    cancel(store, second)
    print("To send:", [each.customer_id for each in store.page(to_send("berlin"))])

    for parcel in store.page(shipment("RM-1")):
        for found in store.page(order(parcel.order_id)):
            print("Parcel RM-1 holds", " and ".join(sorted(parcel.skus)), "and goes to", found.ship_to.city)
    for item in store.page(account("ada")):
        print("-", item.name if isinstance(item, Customer) else f"order of {item.placed_at:%H:%M}: {item.status}")
    tea, ben = store.transact_get(product("tea"), customer("ben"))
    assert tea is not None
    assert ben is not None
    print(f"{tea.stock} teas are left, {tea.sold} are sold; Ben has spent {ben.spent:.2f}")


if __name__ == "__main__":
    with Engine.temporary() as engine:
        shop = EmbeddedStore(engine)
        shop.create(SHOP)
        day(shop)
