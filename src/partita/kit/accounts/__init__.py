"""Accounts: people, passwords, sessions, API tokens, and sign-in with an OpenID provider."""

from partita.kit.accounts.administration import NewAccount
from partita.kit.accounts.inputs import SignUp
from partita.kit.accounts.resets import RESET_PATH
from partita.kit.accounts.schema import ACCOUNTS, Account, ApiToken, Session
from partita.kit.accounts.service import Accounts
from partita.kit.accounts.sessions import NewSession
from partita.kit.accounts.tokens import NewToken

__all__ = [
    "ACCOUNTS",
    "RESET_PATH",
    "Account",
    "Accounts",
    "ApiToken",
    "NewAccount",
    "NewSession",
    "NewToken",
    "Session",
    "SignUp",
]
