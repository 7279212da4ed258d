"""Accounts: people, passwords, second factors, sessions, API tokens, and sign-in with an OpenID provider."""

from partita.kit.accounts.addresses import ADDRESS_PATH
from partita.kit.accounts.administration import NewAccount
from partita.kit.accounts.inputs import SignUp
from partita.kit.accounts.resets import RESET_PATH
from partita.kit.accounts.schema import ACCOUNTS, Account, ApiToken, Session
from partita.kit.accounts.service import Accounts
from partita.kit.accounts.sessions import CodeRequired, NewSession
from partita.kit.accounts.tokens import NewToken

__all__ = [
    "ACCOUNTS",
    "ADDRESS_PATH",
    "RESET_PATH",
    "Account",
    "Accounts",
    "ApiToken",
    "CodeRequired",
    "NewAccount",
    "NewSession",
    "NewToken",
    "Session",
    "SignUp",
]
