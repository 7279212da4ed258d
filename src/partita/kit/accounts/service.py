"""Accounts: everything that can be done with them, in one place."""

from __future__ import annotations

from partita.kit.accounts.administration import Administration
from partita.kit.accounts.recognition import Recognition
from partita.kit.accounts.resets import Resets


class Accounts(Administration, Resets, Recognition):
    """Who people are. Each part is a file of its own:

    - `registration`: sign_up, ensure_admin
    - `sessions`: sign_in, sign_out, sessions, revoke_session
    - `profile`: change_name, change_email, change_password
    - `resets`: request_reset, check_reset, reset_password
    - `tokens`: create_token, tokens, revoke_token
    - `directory`: account, accounts, account_by_email, account_by_username, list_accounts, search_accounts
    - `administration`: create_account, set_password, set_roles, revoke_access, suspend, restore, access_of,
      granted_to, reasons_for
    - `recognition`: viewer_from_session, viewer_from_bearer
    - `desk`: use (the policy and the groups), finish (before the store is closed)
    """
