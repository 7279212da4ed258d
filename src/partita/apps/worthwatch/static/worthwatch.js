// What makes WorthWatch's pages quicker to use. Every page works without it.
"use strict";
(() => {
  // ---- Seen and To watch: the tick turns at once, and turns back with the reason if it is refused. A press is sent even
  // if the page is left at that moment.

  const show = (button, on) => {
    button.setAttribute("aria-pressed", on);
    button.value = !on;
    const tile = button.closest(".tile");
    if (tile && button.classList.contains("seen")) tile.classList.toggle("seen", on);
  };

  const tell = (text) => document.dispatchEvent(new CustomEvent("told", { detail: { text, kind: "bad" } }));

  // The buttons as the answer has them: a title that was seen has left To watch.
  const settle = (marks, html) => {
    const answer = Object.assign(document.createElement("template"), { innerHTML: html }).content;
    for (const button of marks.querySelectorAll(".mark")) {
      const now = answer.querySelector(`[formaction="${CSS.escape(button.getAttribute("formaction"))}"]`);
      if (now) show(button, now.getAttribute("aria-pressed") === "true");
    }
    document.body.dispatchEvent(new CustomEvent("marked", { bubbles: true }));
  };

  const send = async (button, form, on) => {
    const body = new URLSearchParams(new FormData(form));
    body.set("on", on);
    const request = { method: "POST", body, headers: { "HX-Request": "true" }, keepalive: true };
    const answer = await fetch(button.formAction, request).catch(() => null);
    if (answer?.ok) {
      const told = answer.headers.get("HX-Trigger");
      if (told) tell(JSON.parse(told).told.text);
      return answer.text();
    }
    if (answer?.status === 429) tell("Too many requests. Wait a little and try again.");
    else if (answer) tell(`That did not work (${answer.status}). Reload the page and try again.`);
    else tell("The server could not be reached. Check the connection and try again.");
    return null;
  };

  // Who presses again means the last press: it waits for the one that is under way, and only the last answer is shown.
  const lines = new Map();
  const next = async (marks, line) => {
    line.sending = line.waiting.shift();
    const { button, form, on } = line.sending;
    const html = await send(button, form, on);
    if (line.waiting.length) return next(marks, line);
    lines.delete(marks);
    if (html === null) show(button, !on);
    else settle(marks, html);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".marks > .mark");
    if (!button?.form) return;
    event.preventDefault();
    const marks = button.parentElement;
    const on = button.getAttribute("aria-pressed") !== "true";
    show(button, on);
    const line = lines.get(marks) ?? { sending: null, waiting: [] };
    line.waiting = line.waiting.filter((press) => press.button !== button);
    line.waiting.push({ button, form: button.form, on });
    if (line.sending) return;
    lines.set(marks, line);
    next(marks, line);
  });

  addEventListener("pagehide", () => {
    for (const line of lines.values()) {
      for (const { button, form, on } of line.waiting.splice(0)) send(button, form, on);
    }
  });
})();

// Editing a list: the same as its forms do, without leaving the page.
(() => {
  const order = document.querySelector("[data-order]");
  if (!order) return;
  const api = order.dataset.api;
  const first = Number(order.dataset.first);
  const moved = document.querySelector("[data-moved]");
  const rows = () => [...order.children];
  const titleOf = (row) => ({ contentType: row.dataset.type, contentId: row.dataset.id });
  const item = (row) => `${api}/${row.dataset.type}/${encodeURIComponent(row.dataset.id)}`;
  let count = Number.parseInt(document.querySelector("[data-count]").textContent.replace(/\D/g, ""), 10) || 0;

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const say = (text, undo) => {
    const message = make("div", { className: "flash info" }, make("div", { textContent: text }));
    message.setAttribute("role", "status");
    if (undo) {
      const button = make("button", { type: "button", className: "button small", textContent: "Undo" });
      button.addEventListener("click", () => { message.remove(); undo(); });
      message.append(button);
    }
    document.querySelector(".toasts").replaceChildren(message);
    setTimeout(() => message.remove(), undo ? 20000 : 8000);
  };

  // The answer as JSON; a refusal is thrown with its reason.
  const call = async (method, address, body, more = {}) => {
    const answer = await fetch(address, {
      method,
      headers: body ? { "Content-Type": "application/json" } : {},
      body: body ? JSON.stringify(body) : undefined,
      ...more,
    }).catch(() => { throw new Error("The server could not be reached. What you typed is still here."); });
    if (answer.status === 204) return null;
    const told = await answer.json().catch(() => ({ detail: `That did not work (${answer.status}).` }));
    if (!answer.ok) throw Object.assign(new Error(told.detail), { problem: told });
    return told;
  };

  const fragment = async (address) => {
    const answer = await fetch(address, { headers: { "HX-Request": "true" } });
    if (!answer.ok) throw new Error("That did not work. Reload the page and try again.");
    const inside = make("template", { innerHTML: await answer.text() });
    return inside.content;
  };

  // What is saved is no draft any more: neither for the browser nor for the house's script, which hears of it.
  const settle = (form) => {
    for (const each of form.querySelectorAll("textarea, input:not([type=hidden], [type=checkbox])")) each.defaultValue = each.value;
    for (const each of form.querySelectorAll("input[type=checkbox]")) each.defaultChecked = each.checked;
    form.querySelector("textarea, input:not([type=hidden])").dispatchEvent(new Event("input", { bubbles: true }));
  };

  const renumber = () => {
    rows().forEach((row, place) => {
      const field = row.querySelector("[data-place]");
      field.value = first + place;
      if (field.value !== field.defaultValue) settle(field.form);
    });
    for (const field of order.querySelectorAll("[data-place]")) field.max = count;
    document.querySelector("[data-count]").textContent = `${count.toLocaleString("en")} ${count === 1 ? "title" : "titles"}`;
    document.querySelector("[data-nothing]").classList.toggle("hidden", count > 0);
    document.getElementById("several").classList.toggle("hidden", count === 0);
  };

  const wake = (row) => {
    row.querySelectorAll("[data-needs-script]").forEach((each) => { each.hidden = false; });
    row.querySelectorAll("[data-without-script]").forEach((each) => { each.hidden = true; });
  };

  // ---- order

  const announce = (row, word = "") => {
    moved.textContent = `${word}${row.dataset.title}, ${first + rows().indexOf(row)} of ${count}`;
  };

  const save = async (row, back) => {
    const next = row.nextElementSibling;
    const previous = row.previousElementSibling;
    if (!next && !previous) return;
    const where = next ? { before: titleOf(next) } : { after: titleOf(previous) };
    try {
      await call("POST", `${item(row)}/move`, where);
    } catch (refused) {
      if (refused.problem?.items) {
        const known = new Map(rows().map((each) => [`${each.dataset.type}#${each.dataset.id}`, each]));
        const now = refused.problem.items.map((each) => known.get(`${each.contentType}#${each.contentId}`)).filter(Boolean);
        order.replaceChildren(...now);
      } else back();
      renumber();
      say(refused.message);
    }
  };

  // Where a row was, so that it can go back there.
  const place = (row) => {
    const next = row.nextElementSibling;
    return () => { order.insertBefore(row, next); renumber(); };
  };

  let lifted = null;
  const lift = (row) => {
    lifted = { row, back: place(row) };
    row.classList.add("lifted");
    announce(row, "Lifted: ");
  };
  const drop = (keep) => {
    if (!lifted) return;
    const { row, back } = lifted;
    lifted = null;
    row.classList.remove("lifted");
    if (keep) {
      renumber();
      announce(row, "Dropped: ");
      save(row, back);
    } else {
      back();
      announce(row, "Put back: ");
    }
  };

  order.addEventListener("keydown", (event) => {
    const handle = event.target.closest("[data-handle]");
    if (!handle) return;
    const row = handle.closest(".edit-row");
    if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      if (lifted) drop(true);
      else lift(row);
    } else if (lifted && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      const up = event.key === "ArrowUp";
      const other = up ? row.previousElementSibling : row.nextElementSibling;
      if (other) {
        moving = true;
        if (up) other.before(row);
        else other.after(row);
        handle.focus();
        moving = false;
        row.scrollIntoView({ block: "nearest" });
        renumber();
      }
      announce(row);
    } else if (lifted && event.key === "Escape") {
      event.preventDefault();
      moving = true;
      drop(false);
      handle.focus();
      moving = false;
    }
  });
  let moving = false; // a row that moves in the page loses focus for a moment
  order.addEventListener("focusout", (event) => {
    if (!moving && lifted && !lifted.pointer && event.target.closest("[data-handle]")) drop(true);
  });

  // By mouse, pen or finger. The list holds the pointer, since the rows move in the page; near an edge of the window it
  // scrolls for as long as the pointer stays there.
  const EDGE = 72;
  const SPEED = 0.48; // of a list that scrolls under a finger, in pixels a millisecond
  const middle = (each) => { const box = each.getBoundingClientRect(); return box.top + box.height / 2; };
  const follow = () => {
    const { row, y } = lifted;
    for (let above = row.previousElementSibling; above && y < middle(above); above = row.previousElementSibling) above.before(row);
    for (let below = row.nextElementSibling; below && y > middle(below); below = row.nextElementSibling) below.after(row);
    announce(row);
  };
  // As far in a second on a slow screen as on a quick one; after a pause it goes on from there, without a leap.
  const scroll = (now) => {
    if (lifted?.pointer === undefined) return;
    const top = EDGE + (document.querySelector(".bar")?.offsetHeight ?? 0);
    const way = lifted.y < top ? -1 : lifted.y > innerHeight - EDGE ? 1 : 0;
    if (way) {
      scrollBy(0, way * SPEED * Math.min(now - (lifted.scrolled ?? now - 16), 200));
      follow();
    }
    lifted.scrolled = way ? now : undefined;
    requestAnimationFrame(scroll);
  };
  order.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest("[data-handle]");
    if (!handle || event.button || !event.isPrimary) return;
    drop(true);
    lift(handle.closest(".edit-row"));
    lifted.pointer = event.pointerId;
    lifted.y = event.clientY;
    order.setPointerCapture(event.pointerId);
    event.preventDefault();
    handle.focus({ preventScroll: true });
    requestAnimationFrame(scroll);
  });
  order.addEventListener("pointermove", (event) => {
    if (!lifted || lifted.pointer !== event.pointerId) return;
    lifted.y = event.clientY;
    follow();
  });
  document.addEventListener("pointerup", (event) => {
    if (lifted && lifted.pointer === event.pointerId) drop(true);
  });
  document.addEventListener("pointercancel", (event) => {
    if (lifted && lifted.pointer === event.pointerId) drop(false);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && lifted?.pointer !== undefined) drop(false);
  });

  const moveTo = async (row, wanted) => {
    const back = place(row);
    const target = Math.min(Math.max(wanted, 1), count);
    try {
      await call("POST", `${item(row)}/move`, { position: target });
    } catch (refused) {
      back();
      say(refused.message);
      return;
    }
    const others = rows().filter((each) => each !== row);
    const at = target - first;
    if (at < 0 || at > others.length) {
      location.reload(); // it has gone to another page of the list
      return;
    }
    order.insertBefore(row, others[at] || null);
    renumber();
    announce(row);
  };

  order.addEventListener("change", (event) => {
    const field = event.target.closest("[data-place]");
    if (field && field.reportValidity()) moveTo(field.closest(".edit-row"), Number(field.value)).then(() => field.focus());
  });

  // ---- the menu of a row, and Undo

  const remove = async (row) => {
    const at = rows().indexOf(row);
    const neighbour = row.nextElementSibling || row.previousElementSibling;
    const { title } = row.dataset;
    try {
      await call("DELETE", item(row));
    } catch (refused) {
      say(refused.message);
      return;
    }
    row.remove();
    count -= 1;
    renumber();
    (neighbour?.querySelector("[data-handle]") || document.getElementById("add-field"))?.focus();
    say(`${title} removed.`, async () => {
      try {
        await call("POST", `${item(row)}/restore`);
        const back = (await fragment(`${row.dataset.row}?place=${first + at}`)).querySelector(".edit-row");
        order.insertBefore(back, rows()[at] || null);
        wake(back);
        count += 1;
        renumber();
        back.querySelector("[data-handle]").focus();
        say(`${title} is back.`);
      } catch (refused) {
        say(refused.message);
      }
    });
  };

  order.addEventListener("submit", (event) => {
    const form = event.target;
    const row = form.closest(".edit-row");
    if (!row || form.closest("[data-note]")) return;
    event.preventDefault();
    event.stopPropagation();
    const menu = form.closest("details.menu");
    if (menu) menu.open = false;
    if (form.matches("[data-remove]")) remove(row);
    else if (form.dataset.to) moveTo(row, form.dataset.to === "1" ? 1 : count);
    else moveTo(row, Number(form.elements.position.value));
  });

  // ---- notes: saved when they are left, and said so; if another window was faster, both texts are there

  const typed = (form) => ({ curatorNote: form.elements.curatorNote.value, noteSpoils: form.elements.noteSpoils.checked });
  const asSaved = (form) => JSON.stringify({
    curatorNote: form.elements.curatorNote.defaultValue, noteSpoils: form.elements.noteSpoils.defaultChecked,
  });

  const showBoth = async (form, row) => {
    const fresh = (await fragment(`${row.dataset.row}?place=1`)).querySelector("[data-note]");
    const theirs = fresh.elements.curatorNote.value;
    form.querySelector(".both")?.remove();
    const keep = make("button", { type: "button", className: "button small", textContent: "Keep mine" });
    const take = make("button", { type: "button", className: "button small", textContent: "Take the other" });
    const both = make("div", { className: "both" },
      make("p", { textContent: "This note was changed in another window. Yours is above; the other is:" }),
      make("p", { className: "words", textContent: theirs || "(empty)" }),
      make("div", { className: "row" }, keep, take));
    both.setAttribute("role", "alert");
    keep.addEventListener("click", () => {
      form.elements.version.value = fresh.elements.version.value;
      both.remove();
      saveNote(form);
    });
    take.addEventListener("click", () => {
      form.elements.version.value = fresh.elements.version.value;
      form.elements.curatorNote.value = theirs;
      form.elements.noteSpoils.checked = fresh.elements.noteSpoils.checked;
      settle(form);
      both.remove();
      form.elements.curatorNote.focus();
    });
    form.append(both);
  };

  const underWay = new WeakSet(); // one at a time: the next one needs the version that this one makes

  const saveNote = async (form, more = {}) => {
    const wanted = typed(form);
    const said = form.querySelector(".said");
    if (JSON.stringify(wanted) === asSaved(form) || underWay.has(form)) return;
    underWay.add(form);
    said.textContent = "Saving …";
    const row = form.closest(".edit-row");
    try {
      const saved = await call("PATCH", item(row), { ...wanted, version: form.elements.version.value }, more);
      form.elements.version.value = saved.version;
      if (JSON.stringify(typed(form)) === JSON.stringify(wanted)) settle(form); // nothing was typed meanwhile
      said.textContent = "Saved";
    } catch (refused) {
      said.textContent = refused.problem ? "Not saved" : refused.message;
      if (refused.problem?.code === "changed_meanwhile") await showBoth(form, row);
      else if (refused.problem) said.textContent = `Not saved: ${refused.message}`;
      return;
    } finally {
      underWay.delete(form);
    }
    if (!form.contains(document.activeElement)) await saveNote(form); // what was typed meanwhile
  };

  order.addEventListener("focusout", (event) => {
    const form = event.target.closest("[data-note]");
    if (form && !form.contains(event.relatedTarget)) saveNote(form);
  });
  order.addEventListener("input", (event) => {
    const form = event.target.closest("[data-note]");
    if (form && event.isTrusted) form.querySelector(".said").textContent = "";
  });
  order.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const form = event.target.closest("[data-note]");
      if (form) saveNote(form);
    }
  });
  addEventListener("pagehide", () => {
    for (const form of order.querySelectorAll("[data-note]")) saveNote(form, { keepalive: true });
  });

  // ---- adding: three letters, Enter, the next

  const adding = document.querySelector("[data-add]");
  if (!adding) return;
  const field = document.getElementById("add-field");
  const options = document.getElementById("add-options");
  const said = document.querySelector("[data-add-said]");
  let asked = 0;
  let timer;

  const all = () => [...options.querySelectorAll("[role=option]")];
  const chosen = () => options.querySelector("[aria-selected=true]");
  const choose = (option) => {
    all().forEach((each) => each.setAttribute("aria-selected", each === option));
    if (option) {
      field.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else field.removeAttribute("aria-activedescendant");
  };
  const open = (shown) => {
    options.hidden = !shown;
    field.setAttribute("aria-expanded", shown);
    if (!shown) choose(null);
  };

  const look = async () => {
    const words = field.value.trim();
    const mine = ++asked;
    if (words.length < 2) {
      open(false);
      return;
    }
    try {
      const found = await fragment(`${adding.dataset.add}?q=${encodeURIComponent(words)}`);
      if (mine !== asked) return; // somebody has typed on
      options.replaceChildren(found);
      options.dataset.foundFor = words;
      open(all().length > 0);
      const [first] = all();
      const there = first?.getAttribute("aria-disabled") === "true";
      // Who types the whole name of a title that is there already does not mean another one.
      const meant = there && first.dataset.title.toLowerCase() === words.toLowerCase();
      const best = all().find((each) => each.dataset.id && each.getAttribute("aria-disabled") !== "true");
      choose((!meant && best) || first);
      const number = all().filter((each) => each.dataset.id).length;
      said.textContent = number ? `${number} found. Enter adds ${chosen()?.dataset.title ?? "the first"}.` : "Nothing found.";
      if (meant) said.textContent = `${first.dataset.title} is on the list already.`;
    } catch (refused) {
      say(refused.message);
    }
  };

  const add = async (option) => {
    if (!option) return;
    if (option.dataset.href) {
      location.assign(option.dataset.href);
      return;
    }
    if (option.getAttribute("aria-disabled") === "true") {
      said.textContent = `${option.dataset.title} is on the list already.`;
      return;
    }
    const { type, id, parts, title } = option.dataset;
    field.value = "";
    asked += 1;
    open(false);
    field.focus();
    try {
      await call("POST", api, { contentType: type, contentId: id });
      const row = (await fragment(`${api.replace("/api/worthwatch/watchlists", "/worthwatch/lists")}/${parts}?place=${Math.min(count + 1, 1000)}`)).querySelector(".edit-row");
      count += 1;
      order.append(row);
      wake(row);
      row.classList.add("new-row");
      renumber();
      said.textContent = `${title} added, ${count} of ${count}.`;
      row.scrollIntoView({ block: "nearest" });
      if (count >= 1000) location.reload(); // the page says that the list is full
    } catch (refused) {
      said.textContent = refused.message;
      say(refused.message);
    }
  };

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, 120);
  });
  // Whoever is quicker than the answer sees what was found for fewer letters. Enter adds none of that: it looks again.
  const upToDate = () => !options.hidden && options.dataset.foundFor === field.value.trim();
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!upToDate()) {
        look();
        return;
      }
      const list = all();
      const at = list.indexOf(chosen());
      choose(list[(at + (event.key === "ArrowDown" ? 1 : -1) + list.length) % list.length]);
    } else if (event.key === "Enter") {
      event.preventDefault();
      clearTimeout(timer);
      if (upToDate()) add(chosen());
      else look();
    } else if (event.key === "Escape" && !options.hidden) {
      event.preventDefault();
      event.stopPropagation();
      open(false);
    }
  });
  options.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
  options.addEventListener("click", (event) => add(event.target.closest("[role=option]")));
  field.addEventListener("blur", () => open(false));
  adding.addEventListener("submit", (event) => event.preventDefault());
  for (const row of rows()) wake(row);
})();
