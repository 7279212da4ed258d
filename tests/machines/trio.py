"""Three machines for several tests, in the middle of a change of the secret."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.machines.place import Answer, Machine, Place, until

OLD, NEW = "the secret that all machines have had", "the secret that all machines will have"
SECRETS = (f"{OLD},{NEW}", f"{NEW},{OLD}", f"{NEW},{OLD}")
"""The first still signs with the old one; all verify both."""
MOST_RANKED = 12
"""Few, so that lists have a part that is in another order."""


class Trio:
    """Three machines, which can be killed and are there again."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.machines: list[Machine] = []

    def be_well(self) -> list[Machine]:
        """All three, whatever a test has done to them before."""
        self.place.proxy.be_well()
        for number in range(len(SECRETS)):
            if number == len(self.machines):
                self.machines.append(self._begin(number))
            elif self.machines[number].killed or self.machines[number].orders.secret != SECRETS[number]:
                self.machines[number].kill()
                self.machines[number] = self._begin(number)
        for each in self.machines:
            if not each.url:
                each.await_ready()
        until(lambda: all(each.get("/readyz").status == 200 for each in self.machines))
        return self.machines

    def restart(self, number: int, secret: str | None = None) -> None:
        """Kill one, and start it again in the same folder."""
        self.machines[number].kill()
        self.machines[number] = self._begin(number, secret)
        self.machines[number].await_ready()

    def ask_all(self, *paths: str) -> list[Answer]:
        """Ask all machines at the same time: for the first path, for the second, …"""
        asked = [(machine, path) for path in paths for machine in self.machines]
        with ThreadPoolExecutor(len(asked)) as threads:
            return list(threads.map(lambda each: each[0].get(each[1]), asked))

    def _begin(self, number: int, secret: str | None = None) -> Machine:
        return self.place.begin(
            f"machine-{number}", secret=SECRETS[number] if secret is None else secret, most_ranked=MOST_RANKED
        )
