"""A shop in one table: customers, what they ordered, what was sent, and what is left on the shelf.

Rules that always hold, however many people shop at once:
- an e-mail address belongs to one customer (a guard item, claimed in the transaction of the customer);
- nothing is sold that is not there (stock has a lower bound, which every update carries as a condition);
- an order goes from state to state, and of two people who change it one is told (a version);
- what a customer has spent is the sum of the orders (counted in the transaction that places one).

Keys repeat the type in both halves, so that the inverted index can turn every relation around.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from partita.table import (
    Attribute,
    Get,
    Guard,
    Item,
    Query,
    Table,
    access_pattern,
    attribute,
    camel_case,
    collection,
    derived,
    key_part,
    version,
)

from .values import Address, Email, Line, Money, Status, total_of

SHOP = Table("shop", pk="PK", sk="SK", names=camel_case, purpose="Customers, orders, shipments and stock.")
INVERTED = SHOP.index("inverted", pk="SK", sk="PK", purpose="An order or a shipment by its number alone")
TO_SEND = SHOP.index("toSend", pk="toSendFrom", sk="placedAt", purpose="Open orders of a warehouse, oldest first")


# 1. Customer: one item, found by its id, and by its e-mail address over the guard.
class Customer(Item, table=SHOP, pk="CUSTOMER#{customer_id}", sk="CUSTOMER#{customer_id}"):
    """Somebody who buys."""

    customer_id: Attribute[str] = key_part()
    name: Attribute[str] = attribute(min_length=1, max_length=200)
    email: Attribute[Email]
    order_count: Attribute[int] = attribute(default=0, ge=0)
    spent: Attribute[Money] = attribute(default=Decimal(0))


class CustomerEmail(Item, table=SHOP, pk="EMAIL#{address}", sk="EMAIL#{address}"):
    """Keeps an address to one customer, and says whose it is."""

    address: Attribute[Email] = key_part()
    of_customer: Attribute[str]


EMAIL = Guard(Customer, lambda customer: CustomerEmail(address=customer.email, of_customer=customer.customer_id))


@access_pattern("A customer", SHOP, customer_id="ada")
def customer(customer_id: str) -> Get[Customer]:
    return Customer.get(Customer.customer_id(customer_id))


@access_pattern("Whose address this is", SHOP, address="ada@example.org")
def owner_of(address: str) -> Get[CustomerEmail]:
    return CustomerEmail.get(CustomerEmail.address(address))


# 2. Product: what there is, and how much of it.
class Product(Item, table=SHOP, pk="PRODUCT#{sku}", sk="PRODUCT#{sku}"):
    """Something on the shelf."""

    sku: Attribute[str] = key_part()
    name: Attribute[str] = attribute(max_length=200)
    price: Attribute[Money]
    stock: Attribute[int] = attribute(ge=0)
    sold: Attribute[int] = attribute(default=0, ge=0)


@access_pattern("A product and its stock", SHOP, sku="tea-100")
def product(sku: str) -> Get[Product]:
    return Product.get(Product.sku(sku))


# 3. Order: under its customer; the number begins with the time, so that the last one is the newest.
class Order(Item, table=SHOP, pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}"):
    """What a customer wants, and how far it is."""

    customer_id: Attribute[str] = key_part()
    order_id: Attribute[str] = key_part()
    placed_at: Attribute[datetime]
    lines: Attribute[tuple[Line, ...]] = attribute(min_length=1, max_length=50)
    ship_to: Attribute[Address]
    warehouse: Attribute[str]
    status: Attribute[Status] = attribute(default=Status.PLACED)
    revision: Attribute[int] = version()
    total: Attribute[Decimal] = derived(total_of)
    to_send_from: Attribute[str | None] = derived(lambda status, warehouse: warehouse if status.is_open else None)
    """Where somebody must still pack it: the index by it holds open orders and nothing else."""


@access_pattern("A customer's orders, newest first", SHOP, customer_id="ada")
def orders_of(customer_id: str) -> Query[Order]:
    return Order.query(Order.customer_id(customer_id)).newest_first()


@access_pattern("A customer and the orders, in one request", SHOP, customer_id="ada")
def account(customer_id: str) -> Query[Customer | Order]:
    return collection(Customer.query(Customer.customer_id(customer_id)), orders_of(customer_id))


@access_pattern("An order by its number alone", SHOP, order_id="20260501-101500-7f3a")
def order(order_id: str) -> Query[Order]:
    return Order.query(INVERTED, Order.order_id(order_id))


@access_pattern("Orders a warehouse must send, oldest first", SHOP, warehouse="berlin")
def to_send(warehouse: str) -> Query[Order]:
    return Order.query(TO_SEND, Order.to_send_from(warehouse))


# 4. Shipment: under its order; an order may travel in several parcels.
class Shipment(Item, table=SHOP, pk="ORDER#{order_id}", sk="SHIPMENT#{tracking}"):
    """A parcel."""

    order_id: Attribute[str] = key_part()
    tracking: Attribute[str] = key_part()
    carrier: Attribute[str]
    sent_at: Attribute[datetime]
    skus: Attribute[frozenset[str]] = attribute(max_length=50)


@access_pattern("Shipments of an order", SHOP, order_id="20260501-101500-7f3a")
def shipments_of(order_id: str) -> Query[Shipment]:
    return Shipment.query(Shipment.order_id(order_id))


@access_pattern("A shipment by its tracking number", SHOP, tracking="JD0146")
def shipment(tracking: str) -> Query[Shipment]:
    return Shipment.query(INVERTED, Shipment.tracking(tracking))
