"""A shop: orders under their customers, an inverted index, a sparse index of open orders, emails that are unique."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

from partita.table import (
    Attribute,
    Get,
    Item,
    Query,
    Table,
    access_pattern,
    attribute,
    collection,
    derived,
    key_part,
    number,
)

SHOP = Table("shop", pk="PK", sk="SK")
INVERTED = SHOP.index("inverted", pk="SK", sk="PK")
OPEN = SHOP.index("openOrders", pk="openFor", sk="placedAt")
BY_PRICE = SHOP.index("byPrice", pk="shelf", sk=number("price"))


class State(StrEnum):
    """How far an order is."""

    PLACED = "placed"
    PAID = "paid"
    SENT = "sent"


class Customer(Item, table=SHOP, pk="CUSTOMER#{customer_id}", sk="CUSTOMER#{customer_id}"):
    """Somebody who orders."""

    customer_id: Attribute[UUID] = key_part()
    name: Attribute[str] = attribute(max_length=100)
    email: Attribute[str] = attribute(max_length=200)


class CustomerEmail(Item, table=SHOP, pk="EMAIL#{email}", sk="EMAIL#{email}"):
    """The guard that keeps an email address to one customer."""

    email: Attribute[str] = key_part()
    customer_id: Attribute[UUID]


class Order(Item, table=SHOP, pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}"):
    """What somebody ordered; it leaves the list of open orders when it is sent."""

    customer_id: Attribute[UUID] = key_part()
    order_id: Attribute[str] = key_part()
    placed_at: Attribute[datetime] = attribute("placedAt")
    state: Attribute[State] = attribute(default=State.PLACED)
    open_for: Attribute[str | None] = derived(
        lambda customer_id, state: f"OPEN#{customer_id}" if state is not State.SENT else None, name="openFor"
    )


class Line(Item, table=SHOP, pk="PRODUCT#{product_id}", sk="ORDER#{order_id}"):
    """A product of an order."""

    order_id: Attribute[str] = key_part()
    product_id: Attribute[str] = key_part()
    count: Attribute[int] = attribute(ge=1)


class Product(Item, table=SHOP, pk="PRODUCT#{product_id}", sk="PRODUCT#{product_id}"):
    """What is sold."""

    product_id: Attribute[str] = key_part()
    shelf: Attribute[str] = attribute(max_length=40)
    price: Attribute[Decimal] = attribute(gt=0)


ADA = UUID("0b7e9c3a-58c4-4e0f-9f0e-2f6d1f3d7a11")


@access_pattern("A customer", SHOP, customer_id=ADA)
def customer(customer_id: UUID) -> Get[Customer]:
    return Customer.get(Customer.customer_id(customer_id))


@access_pattern("Whose email", SHOP, email="ada@example.org")
def whose(email: str) -> Get[CustomerEmail]:
    return CustomerEmail.get(CustomerEmail.email(email))


@access_pattern("Orders of a customer", SHOP, customer_id=ADA)
def orders_of(customer_id: UUID) -> Query[Order]:
    return Order.query(Order.customer_id(customer_id)).descending()


@access_pattern("A customer with orders", SHOP, customer_id=ADA)
def customer_with_orders(customer_id: UUID) -> Query[Customer | Order]:
    return collection(Customer.query(Customer.customer_id(customer_id)), Order.query(Order.customer_id(customer_id)))


@access_pattern("Lines of an order", SHOP, order_id="o1")
def lines_of(order_id: str) -> Query[Line]:
    return Line.query(INVERTED, Line.order_id(order_id))


@access_pattern("Open orders of a customer", SHOP, open_for=f"OPEN#{ADA}")
def open_orders(open_for: str) -> Query[Order]:
    return Order.query(OPEN, Order.open_for(open_for)).newest_first()


@access_pattern("Products up to a price", SHOP, shelf="books", price=Decimal(20))
def cheap(shelf: str, price: Decimal) -> Query[Product]:
    return Product.query(BY_PRICE, Product.shelf(shelf)).at_most(Product.price(price))
