"""Notifications: what people should know, in the suite and by mail, each thing once."""

from partita.kit.notifications.kinds import Channels, Kind, MailPace, Words
from partita.kit.notifications.service import InMail, Notifications, Told
from partita.kit.notifications.stores import Entry, Notification, NotificationStore, Position

__all__ = [
    "Channels",
    "Entry",
    "InMail",
    "Kind",
    "MailPace",
    "Notification",
    "NotificationStore",
    "Notifications",
    "Position",
    "Told",
    "Words",
]
