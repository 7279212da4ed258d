"""What people do in the shop. Every function is one write or one transaction: it happens whole, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from secrets import token_hex

from partita.store import Store
from partita.table import Delete, Put, Transaction, Update

from .schema import EMAIL, Customer, Order, Product, Shipment, product
from .values import Address, Line, Status


class Refused(Exception):
    """The shop says no, and why."""


_TAKEN = EMAIL.otherwise(lambda there: Refused(f"{there.address} belongs to somebody already"))


def sign_up(store: Store, customer: Customer) -> None:
    """A new customer, with an address that nobody has."""
    new = Put(customer).if_new().otherwise(Refused(f"{customer.customer_id} is a customer already"))
    store.transact(Transaction(new, *_TAKEN.claim(customer)))


def change_email(store: Store, before: Customer, address: str) -> Customer:
    """Another address: the old one is free afterwards."""
    after = before.with_(Customer.email(address))
    if after != before:
        store.transact(Transaction(Update.between(before, after), *_TAKEN.move(before, after)))
    return after


def leave(store: Store, customer: Customer) -> None:
    """No customer any more; the address is free afterwards."""
    store.transact(Transaction(Delete(customer.own_key).if_there(), *EMAIL.release(customer)))


def place(
    store: Store, customer_id: str, wanted: Mapping[str, int], ship_to: Address, now: datetime, *, warehouse: str
) -> Order:
    """An order at today's prices; its goods leave the shelf, and its total is added to what the customer has spent."""
    order = Order(
        customer_id=customer_id,
        order_id=f"{now:%Y%m%d-%H%M%S}-{token_hex(2)}",
        placed_at=now,
        lines=tuple(_line(store, sku, quantity) for sku, quantity in wanted.items()),
        ship_to=ship_to,
        warehouse=warehouse,
    )
    buyer = Customer.key(Customer.customer_id(customer_id))
    spent = Update(buyer, Customer.order_count.add(1), Customer.spent.add(order.total))
    store.transact(
        Transaction(
            Put(order).if_new(),
            *(_taken_off_the_shelf(line) for line in order.lines),
            spent.otherwise(Refused(f"{customer_id} is no customer")),
        )
    )
    return order


def _line(store: Store, sku: str, quantity: int) -> Line:
    found = store.get(product(sku))
    if found is None:
        raise Refused(f"there is no {sku}")
    return Line(sku=sku, quantity=quantity, price=found.price)


def _taken_off_the_shelf(line: Line) -> Update[Product]:
    """Fewer in stock. That stock has `ge=0` makes it a condition: where too few are left, nothing happens."""

    def too_few(there: Product | None) -> Refused:
        return Refused(f"{0 if there is None else there.stock} of {line.sku} left, not {line.quantity}")

    key = Product.key(Product.sku(line.sku))
    return Update(key, Product.stock.add(-line.quantity), Product.sold.add(line.quantity)).otherwise(too_few)


def _put_back(line: Line) -> Update[Product]:
    key = Product.key(Product.sku(line.sku))
    return Update(key, Product.stock.add(line.quantity), Product.sold.add(-line.quantity))


def pay(store: Store, order: Order) -> Order:
    """The money is here. Who looked at an older version of the order is told to look again."""
    return store.update(_moved(order, Status.PLACED, Status.PAID))


def send(store: Store, order: Order, carrier: str, tracking: str, now: datetime) -> Shipment:
    """Everything in one parcel; the order leaves the list of those to send."""
    skus = frozenset(line.sku for line in order.lines)
    parcel = Shipment(order_id=order.order_id, tracking=tracking, carrier=carrier, sent_at=now, skus=skus)
    store.transact(Transaction(_moved(order, Status.PAID, Status.SENT), Put(parcel).if_new()))
    return parcel


def cancel(store: Store, order: Order) -> None:
    """The goods are back on the shelf, and the customer has not spent anything."""
    buyer = Customer.key(Customer.customer_id(order.customer_id))
    store.transact(
        Transaction(
            _moved(order, order.status, Status.CANCELLED),
            *(_put_back(line) for line in order.lines),
            Update(buyer, Customer.order_count.add(-1), Customer.spent.add(-order.total)),
        )
    )


def _moved(order: Order, before: Status, after: Status) -> Update[Order]:
    """From one state to another, in the next version. The index of open orders follows by itself."""
    if order.status is not before or not before.is_open:
        raise Refused(f"{order.order_id} is {order.status} and cannot be {after}")
    return Update.between(order, order.with_(Order.status(after))).next_version(order)


def correct_city(store: Store, order: Order, city: str) -> Order:
    """Change one field of the address, as long as the parcel is here."""
    update = Update(order.own_key, Order.ship_to.city.set(city)).when(Order.status.one_of(Status.PLACED, Status.PAID))
    return store.update(update.otherwise(Refused("the parcel is gone")))
