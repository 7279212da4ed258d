// What makes the newsletter pages quicker to use. Every page works without it.
"use strict";

// ---- sliders tell their number; items of an outline are dragged. The buttons do the same without script.
(() => {
  document.addEventListener("input", (event) => {
    const number = event.target.dataset?.number && document.getElementById(event.target.dataset.number);
    if (number) number.textContent = event.target.value;
  });

  const outline = document.querySelector("[data-outline]");
  if (!outline) return;
  let dragged = null;
  const over = (item) => {
    outline.querySelectorAll(".over").forEach((each) => each.classList.remove("over"));
    item?.classList.add("over");
  };
  outline.addEventListener("dragstart", (event) => {
    dragged = event.target.closest("[data-item]");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged?.dataset.item || "");
  });
  outline.addEventListener("dragover", (event) => {
    if (!dragged || !event.target.closest("[data-section]")) return;
    event.preventDefault();
    over(event.target.closest("[data-item]"));
  });
  outline.addEventListener("dragend", () => { dragged = null; over(null); });
  outline.addEventListener("drop", (event) => {
    const section = event.target.closest("[data-section]");
    if (!dragged || !section) return;
    event.preventDefault();
    const items = [...section.querySelectorAll("[data-item]")].filter((each) => each !== dragged);
    const target = event.target.closest("[data-item]");
    const place = target && target !== dragged ? items.indexOf(target) : items.length;
    const form = document.createElement("form");
    form.method = "post";
    form.action = `${outline.dataset.outline}/items/${dragged.dataset.item}/deed`;
    for (const [name, value] of Object.entries({ to: "place", section: section.dataset.section, position: place })) {
      const field = document.createElement("input");
      Object.assign(field, { type: "hidden", name, value });
      form.append(field);
    }
    document.body.append(form);
    form.submit();
  });
})();

// ---- Write: saved as you type, kept in this browser without a connection, keys, pasting, tables, pictures, the panel.
// Without script each section is a form that is sent by its button.
(() => {
  const writing = document.querySelector("[data-writing]");
  if (!writing) return;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  // Of a newsletter or a proposal; `api` is what the text is saved and pasted by, and only newsletters have pictures.
  const { code, pages, api, images } = writing.dataset;
  const viewer = document.body.dataset.viewer || "";
  const form = writing.querySelector("[data-editor]");
  const field = form?.querySelector("textarea[name=text]");

  // ---- saved state, in words

  const saved = writing.querySelector("[data-saved]");
  const clock = (time) => new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const say = (text, trouble = false, ...more) => {
    saved.classList.toggle("trouble", trouble);
    const words = make("span", { textContent: text });
    if (saved.textContent !== text || more.length) saved.replaceChildren(words, ...more);
  };
  if (saved) say(`Saved ${clock(saved.dataset.at)}`);

  // ---- what is typed and not saved is kept in this browser, for this person

  const PREFIX = `text:${viewer}:newsletter:`; // drafts.js removes it when somebody signs out, or another person signs in
  const storage = (() => {
    try {
      localStorage.setItem(`${PREFIX}test`, "");
      localStorage.removeItem(`${PREFIX}test`);
      return localStorage;
    } catch {
      return null;
    }
  })();
  const editor = () => {
    const { key } = form.dataset;
    const store = `${PREFIX}${code}:${key}`;
    const normal = (text) => text.replace(/\r\n/g, "\n").trim();
    let base = form.elements.base.value; // the text that is saved
    let revision = Number(form.elements.revision.value);
    let updated = form.elements.updated_at?.value;
    let timer = 0;
    let running = null;
    let stuck = false; // somebody else was faster: the person decides
    let retry = 0;

    const dirty = () => normal(field.value) !== normal(base);
    const keep = () => {
      if (!storage || "signedOut" in document.body.dataset) return;
      try {
        if (dirty()) storage.setItem(store, JSON.stringify({ text: field.value, base, revision, updated }));
        else storage.removeItem(store);
      } catch {
        // The browser has no room: the page asks before it is left.
      }
    };

    // A draft answers with the section that was saved, a proposal with all of them.
    const sectionOf = (answer) => answer.section || answer.sections?.find((each) => each.key === key) || {};
    // Whether the tables of what was saved add up; the words stand in the page's templates.
    const checked = (budgets) => {
      const filled = (name, place, words) => {
        const copy = writing.querySelector(`template[${name}]`).content.cloneNode(true);
        copy.querySelector(place).textContent = words;
        return copy;
      };
      writing.querySelector("[data-budgets]")?.replaceChildren(...budgets.flatMap(({ total, faults }) => faults.length
        ? faults.map((fault) => filled("data-budget-fault", ".notice > div", fault))
        : [filled("data-budget-sum", "span", total)]));
    };
    const shown = (answer) => {
      const { words: count, budgets } = sectionOf(answer);
      if (budgets) checked(budgets);
      if (count !== undefined) all("[data-section-words]").forEach((words) => { words.textContent = count.toLocaleString("en"); });
      if (!answer.word_count) return;
      document.querySelector("[data-words]").textContent = answer.word_count.toLocaleString("en");
      document.querySelector("[data-minutes]").textContent = answer.estimated_read_time;
    };

    const compare = () => {
      stuck = true;
      const choose = make("button", { type: "button", className: "button small", textContent: "Compare and choose" });
      choose.addEventListener("click", () => form.submit());
      say("Not saved: somebody else has changed this section. ", true, choose);
    };

    const offline = () => {
      keep();
      say(storage ? "Not saved: no connection, kept in this browser" : "Not saved: no connection. Leave this page open.", true);
      clearTimeout(retry);
      retry = setTimeout(save, 5000);
      return false;
    };

    const send = async (text) => {
      const answer = await fetch(`${api}/sections/${encodeURIComponent(key)}`, {
        method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ text, revision, base, ...(form.elements.updated_at ? { updated_at: updated } : {}) }),
        keepalive: text.length < 20_000,
      }).catch(() => null);
      if (!answer) return offline();
      const told = await answer.json().catch(() => null) || {};
      if (answer.status === 401) {
        say("Not saved: you are signed out. Your text is kept in this browser. ", true, make("a", { href: `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`, textContent: "Sign in" }));
      } else if (told.code === "changed_meanwhile") {
        compare();
      } else if (!answer.ok) {
        say(`Not saved: ${told.detail || `the server said ${answer.status}`}`, true);
      } else if (!told.revision) {
        return offline(); // the answer was cut off on its way, or is not the server's
      } else {
        base = text;
        revision = told.revision;
        updated = told.updated_at;
        form.elements.base.value = base;
        form.elements.revision.value = revision;
        if (form.elements.updated_at) form.elements.updated_at.value = updated;
        shown(told);
        keep();
        const { unresolved = [] } = sectionOf(told);
        const lost = unresolved.map((number) => `[${number}]`).join(", ");
        const flagged = lost ? `. ${lost} ${unresolved.length === 1 ? "leads" : "lead"} to no source` : "";
        say(dirty() ? "Not saved yet" : `Saved ${clock(updated)}${flagged}`, Boolean(lost) && !dirty());
        return true;
      }
      return false;
    };

    const save = async () => {
      clearTimeout(timer);
      clearTimeout(retry);
      if (running) await running;
      if (!dirty()) {
        keep();
        return true;
      }
      if (stuck) return false;
      say("Saving …");
      running = send(field.value);
      const done = await running.finally(() => { running = null; });
      if (done && dirty()) later();
      return done;
    };
    const later = (wait = 2000) => {
      clearTimeout(timer);
      timer = setTimeout(save, wait);
    };

    // ---- as it will look

    const look = writing.querySelector("[data-preview]") || form.querySelector("[data-look]");
    let looking = 0;
    let asked = 0;
    const preview = () => {
      if (look.matches("[data-look]") && writing.dataset.view !== "beside") return;
      clearTimeout(looking);
      looking = setTimeout(async () => {
        asked += 1;
        const mine = asked;
        const body = new URLSearchParams({ key, text: field.value });
        try {
          const answer = await fetch(`${pages}/preview`, { method: "POST", body });
          if (answer.ok && mine === asked) look.innerHTML = await answer.text();
        } catch {
          // Without a connection the last preview stays.
        }
      }, 120);
    };

    // ---- typing

    const changed = () => {
      keep();
      if (!stuck) {
        if (!saved.classList.contains("trouble")) say("Not saved yet");
        later();
      }
      preview();
    };
    // The browser's own undo goes on working.
    const insert = (text, start = field.selectionStart, end = field.selectionEnd) => {
      field.focus();
      field.setSelectionRange(start, end);
      if (!document.execCommand(text ? "insertText" : "delete", false, text)) field.setRangeText(text, start, end, "end");
      changed();
    };
    const around = (mark) => {
      const { selectionStart: start, selectionEnd: end, value } = field;
      const chosen = value.slice(start, end);
      const outside = value.slice(start - mark.length, start) === mark && value.slice(end, end + mark.length) === mark;
      if (outside) {
        insert(chosen, start - mark.length, end + mark.length);
        field.setSelectionRange(start - mark.length, end - mark.length);
      } else {
        insert(mark + chosen + mark, start, end);
        field.setSelectionRange(start + mark.length, end + mark.length);
      }
    };
    const lines = (sign) => {
      const start = field.value.lastIndexOf("\n", field.selectionStart - 1) + 1;
      const after = field.value.indexOf("\n", field.selectionEnd);
      const end = after < 0 ? field.value.length : after;
      const marked = field.value.slice(start, end).split("\n").map((line, place) => `${sign(place)}${line}`).join("\n");
      insert(marked, start, end);
    };
    const link = () => {
      const { selectionStart: start, selectionEnd: end } = field;
      const chosen = field.value.slice(start, end);
      const address = /^https?:\/\/\S+$/.test(chosen) ? chosen : "https://";
      const words = address === chosen ? "" : chosen;
      insert(`[${words}](${address})`, start, end);
      if (words) field.setSelectionRange(start + words.length + 3, start + words.length + 3 + address.length);
      else field.setSelectionRange(start + 1, start + 1);
    };

    // A list goes on with the next line, and ends with an empty entry.
    const enter = () => {
      const { selectionStart: at, value } = field;
      if (at !== field.selectionEnd) return false;
      const start = value.lastIndexOf("\n", at - 1) + 1;
      const found = /^(\s*)([-*+]|(\d{1,9})([.)]))(\s+)(.*)$/.exec(value.slice(start, at));
      if (!found) return false;
      const [, indent, sign, number, dot, gap, rest] = found;
      if (!rest.trim()) {
        insert("", start, at);
        return true;
      }
      insert(`\n${indent}${number ? `${Number(number) + 1}${dot}` : sign}${gap}`, at, at);
      return true;
    };

    // ---- a table, a picture: small dialogs

    const ask = (title, fields, does) => new Promise((resolve) => {
      const dialog = make("dialog", { className: "asking" });
      dialog.setAttribute("aria-label", title);
      const cancel = make("button", { type: "button", className: "button", textContent: "Cancel" });
      cancel.addEventListener("click", () => dialog.close());
      const inputs = fields.map(([name, label, properties]) => {
        const input = make("input", { className: "input", id: `ask-${name}`, name, ...properties });
        return make("div", { className: "field" }, make("label", { htmlFor: input.id, textContent: label }), input);
      });
      const inner = make("form", { method: "dialog", className: "form" }, make("h2", { textContent: title }), ...inputs, make("div", { className: "form-actions" }, make("button", { className: "button primary", textContent: does }), cancel));
      let answer = null;
      inner.addEventListener("submit", () => { answer = new FormData(inner); });
      dialog.append(inner);
      dialog.addEventListener("close", () => {
        dialog.remove();
        field.focus();
        resolve(answer);
      });
      document.body.append(dialog);
      dialog.showModal();
    });

    const table = async () => {
      const at = field.selectionStart;
      const size = await ask("Insert a table", [
        ["columns", "Columns", { type: "number", min: 1, max: 8, value: 3, required: true }],
        ["rows", "Rows", { type: "number", min: 1, max: 40, value: 3, required: true }],
      ], "Insert");
      if (!size) return;
      const columns = Number(size.get("columns"));
      const row = (cell) => `| ${Array.from({ length: columns }, (_, place) => cell(place)).join(" | ")} |`;
      const body = Array.from({ length: Number(size.get("rows")) }, () => row(() => " "));
      const before = at && !field.value.slice(0, at).endsWith("\n\n") ? "\n\n" : "";
      insert(`${before}${[row((place) => `Head ${place + 1}`), row(() => "---"), ...body].join("\n")}\n\n`, at, at);
    };

    const picture = async (file = null) => {
      const at = field.selectionStart;
      const fields = [["alt", "What it shows, for those who cannot see it", { required: true, maxLength: 300 }], ["caption", "Caption (optional)", { maxLength: 300 }]];
      if (!file) fields.unshift(["file", "Picture (PNG, JPEG, WebP or GIF, at most 5 MB)", { type: "file", accept: "image/png,image/jpeg,image/webp,image/gif", required: true }]);
      const body = await ask("Add a picture", fields, "Add picture");
      if (!body) return;
      if (file) body.set("file", file);
      say("Sending the picture …");
      try {
        const answer = await fetch(images, { method: "POST", body });
        const told = await answer.json();
        if (!answer.ok) {
          say(`No picture was added: ${told.detail}`, true);
          return;
        }
        const before = at && !field.value.slice(0, at).endsWith("\n\n") ? "\n\n" : "";
        say("Not saved yet");
        await refresh();
        insert(`${before}${told.markdown}\n\n`, at, at);
      } catch {
        say("No picture was added: no connection", true);
      }
    };
    // A draft or a proposal has another revision after a picture or a citation was added to it.
    const refresh = async () => {
      const answer = await fetch(api);
      if (!answer.ok) return;
      const draft = await answer.json();
      const mine = (draft.current_sections || draft.sections).find((each) => each.key === key);
      if (normal(mine ? mine.text : "") !== normal(base)) return; // somebody else's text: saving will show it
      revision = draft.revision;
      updated = draft.updated_at;
    };

    const tools = {
      bold: () => around("**"),
      italic: () => around("*"),
      link,
      bullets: () => lines(() => "- "),
      numbers: () => lines((place) => `${place + 1}. `),
      quote: () => lines(() => "> "),
      table,
      picture: () => picture(),
    };
    form.addEventListener("click", (event) => {
      const tool = event.target.closest("[data-tool]");
      if (tool) tools[tool.dataset.tool]();
    });

    // ---- a model says the selection in other words; the person looks at it and may undo

    form.addEventListener("click", async (event) => {
      const wish = event.target.closest("[data-wish]");
      if (!wish) return;
      const { selectionStart: start, selectionEnd: end } = field;
      const text = field.value.slice(start, end);
      if (!text.trim()) {
        say("Select some text first.", true);
        return;
      }
      say("Asking the writer …");
      field.readOnly = true;
      try {
        const answer = await fetch(`${api}/rewrite`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text, wish: wish.dataset.wish }) });
        const told = await answer.json();
        field.readOnly = false;
        if (answer.ok) {
          insert(told.text, start, end);
          field.setSelectionRange(start, start + told.text.length);
        } else say(told.detail, true);
      } catch {
        say("The writer could not be reached.", true);
      }
      field.readOnly = false;
    });

    // ---- other sentences, passages: they go behind the sentence in which the cursor is, with their number

    const HEADING = /^\s*#{1,6}\s/;
    const BLOCK = /^\s*(#{1,6}\s|>|\||!\[)/; // also a quotation, a table, a picture: no other sentence is a part of it
    const ENTRY = /^\s*([-*+]|\d{1,9}[.)])\s+/;
    const NUMBERS = /^(?:\s*\[[1-9]\d{0,2}\])+/;
    const ENDED = /[.!?።፧؟]["”’»)]*(?:\s*\[[1-9]\d{0,2}\])*\s*$/;
    const END = /[.!?።፧؟]["”’»)]*(?:\s*\[[1-9]\d{0,2}\])*(?=\s+[^\s\p{Ll}\d]|\s*$)/u; // but not "No. 12" or "e.g. maize"
    const behindNumber = (value, at) => at + (/\[\d*$/.test(value.slice(0, at)) ? /^(?:\d*\])?/.exec(value.slice(at))[0].length : 0);
    // Where it goes, and whether it is a paragraph of its own there.
    const placeOf = (value, cursor) => {
      if (!cursor) return [value.length, true]; // nobody has been in the text yet
      let at = behindNumber(value, cursor);
      const begins = value.lastIndexOf("\n", at - 1) + 1;
      const lines = value.slice(begins).split("\n");
      const until = (ends) => {
        const next = lines.findIndex((line, place) => place && (!line.trim() || ends.test(line)));
        return begins + lines.slice(0, next < 0 ? lines.length : next).join("\n").length;
      };
      if (!lines[0].trim()) return [at, true];
      if (BLOCK.test(lines[0])) return [HEADING.test(lines[0]) ? begins + lines[0].length : until(HEADING), true];
      const words = begins + (ENTRY.exec(lines[0])?.[0].length || 0);
      if (at <= begins && words === begins && /\n\s*\n$/.test(value.slice(0, at))) return [at, false];
      at = Math.max(at, words);
      const ended = ENDED.test(value.slice(words, at));
      const rest = value.slice(at, until(new RegExp(`${BLOCK.source}|${ENTRY.source}`)));
      const found = (ended ? NUMBERS : END).exec(rest);
      if (found) return [at + found.index + found[0].length, false];
      return [ended ? at : at + rest.trimEnd().length, false];
    };
    const putIn = (words, number) => {
      const { value } = field;
      const [at, alone] = words ? placeOf(value, field.selectionEnd) : [behindNumber(value, field.selectionEnd || value.trimEnd().length), false];
      const space = alone ? /\s/ : / /;
      let [start, end] = [at, at];
      while (start && space.test(value[start - 1])) start -= 1;
      while (end < value.length && space.test(value[end])) end += 1;
      const between = alone ? "\n\n" : " ";
      const text = `${start && value[start - 1] !== "\n" ? between : ""}${[words, number].filter(Boolean).join(" ")}`;
      insert(`${text}${end < value.length && value[end] !== "\n" ? between : ""}`, start, end);
      field.setSelectionRange(start + text.length, start + text.length);
    };
    writing.addEventListener("submit", async (event) => {
      const sentence = event.target.closest(".sentence");
      if (!sentence) return;
      event.preventDefault();
      const chosen = new FormData(sentence);
      const quotes = chosen.getAll("quote");
      const words = chosen.get("text") ?? quotes.join(" "); // of a passage of a proposal, what is ticked
      const wanted = { chunk_id: chosen.get("chunk_id"), quote: quotes.join("\n") };
      if (chosen.has("source_id")) wanted.source_id = chosen.get("source_id");
      try {
        const answer = await fetch(`${api}/citations`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wanted) });
        const told = await answer.json();
        if (!answer.ok) {
          say(told.detail, true);
          return;
        }
        await refresh();
        unfold(false); // on a phone it covers the text
        putIn(words, `[${told.n}]`);
        if (wanted.source_id) sentence.reset();
        else {
          sentence.remove();
          if (await save()) suggest();
        }
      } catch {
        say("No connection: the sentence was not put in", true);
      }
    });
    // What the text cites as it is saved, and what the sources still have to say.
    const more = writing.querySelector("[data-more]");
    const suggest = async () => {
      const answer = await fetch(`${pages}/sentences?section=${encodeURIComponent(key)}`).catch(() => null);
      if (!answer?.ok) return answer;
      const newest = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of ["[data-cited]", "[data-sentences]"]) {
        const there = panel.querySelector(part);
        const used = there.contains(document.activeElement) && !there.contains(more);
        if (!used) there.replaceWith(newest.querySelector(part));
      }
      return answer;
    };
    more?.addEventListener("click", async (event) => {
      event.preventDefault();
      await save();
      const answer = await suggest();
      if (answer?.ok) panel.querySelector("[data-sentences]").focus();
      else if (answer) location.assign(more.href);
      else say("No connection: the sources cannot be searched now", true);
    });

    // ---- keys

    const leave = async (url) => {
      if (await save()) location.assign(url);
      else if (!stuck && storage) location.assign(url); // kept in this browser, and saved when it is opened again
    };
    field.addEventListener("keydown", (event) => {
      const control = event.ctrlKey || event.metaKey;
      const pressed = event.key.toLowerCase();
      if (control && event.key === "Enter") {
        event.preventDefault();
        if (form.dataset.next) leave(form.dataset.next);
        else save();
      } else if (control && !event.altKey && !event.shiftKey && { b: 1, i: 1, k: 1 }[pressed]) {
        event.preventDefault();
        ({ b: tools.bold, i: tools.italic, k: tools.link })[pressed]();
      } else if (event.key === "Escape") {
        event.preventDefault();
        save();
        (document.querySelector(".writing-sections a[aria-current]") || document.querySelector("#main")).focus();
      } else if (event.key === "Enter" && !event.shiftKey && !event.altKey && !event.isComposing && enter()) {
        event.preventDefault();
      }
    });

    // ---- pasting: HTML becomes Markdown at the server, a picture asks for its words

    field.addEventListener("paste", async (event) => {
      const data = event.clipboardData;
      const file = [...data.files].find((each) => each.type.startsWith("image/"));
      const html = data.getData("text/html");
      const text = data.getData("text/plain");
      if (file && !text && images) {
        event.preventDefault();
        picture(file);
        return;
      }
      if (!html || !/<(p|div|h\d|ul|ol|li|table|a|b|i|strong|em|br|blockquote)[\s>]/i.test(html)) return;
      event.preventDefault();
      const { selectionStart: start, selectionEnd: end } = field;
      field.readOnly = true;
      let markdown = text;
      try {
        const answer = await fetch(`${api}/paste`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ html: html.slice(0, 900_000) }) });
        if (answer.ok) ({ markdown } = await answer.json());
      } catch {
        // Without a connection the plain text will do.
      }
      field.readOnly = false;
      insert(markdown, start, end);
    });
    field.addEventListener("drop", (event) => {
      const file = [...event.dataTransfer.files].find((each) => each.type.startsWith("image/"));
      if (!file || !images) return;
      event.preventDefault();
      picture(file);
    });

    // ---- a click on [3] opens its source

    field.addEventListener("click", () => {
      const at = field.selectionStart;
      if (at !== field.selectionEnd) return;
      for (const found of field.value.matchAll(/\[([1-9]\d{0,2})\](?!\()/g)) {
        if (found.index < at && at < found.index + found[0].length) open(found[1]);
      }
    });

    // ---- a draft from sources has ended: its text comes in, below what was typed meanwhile

    // That it has begun is no news once it has ended; a short draft ends before its page is there.
    const begun = () => document.querySelector("#drafting:not([hx-get])") && document.querySelector("#main > .flash.info")?.remove();
    begun();
    let renewing = null;
    const renew = async () => {
      clearTimeout(timer);
      if (running) await running;
      const [answer, page] = await Promise.all([fetch(api), fetch(location.href)].map((each) => each.catch(() => null)));
      if (!answer?.ok || !page?.ok) {
        later();
        return;
      }
      const told = await answer.json();
      const mine = sectionOf(told).text || "";
      const written = normal(mine).startsWith(normal(base)) ? normal(mine).slice(normal(base).length).trim() : null;
      if (!stuck && (written !== null || !dirty())) {
        const typed = dirty();
        const { selectionStart: start, selectionEnd: end } = field;
        field.value = typed ? [field.value.trimEnd(), written].filter(Boolean).join("\n\n") : mine;
        field.setSelectionRange(start, end);
        base = mine;
        revision = told.revision;
        updated = told.updated_at;
        form.elements.base.value = base;
        form.elements.revision.value = revision;
        shown(told);
        keep();
        preview();
        if (typed) later();
        else say(`Saved ${clock(updated)}`);
      } else later(); // somebody else's text: saving shows both
      const newest = new DOMParser().parseFromString(await page.text(), "text/html");
      begun();
      for (const part of [".writing-sections ol", ".proposal-facts", "[data-after-draft=all]", "[data-after-draft=one]", "[data-after-draft=made]"]) {
        const there = document.querySelector(part);
        const renewed = newest.querySelector(part);
        if (there && renewed) there.innerHTML = renewed.innerHTML;
      }
    };
    document.addEventListener("htmx:afterSwap", (event) => {
      const ended = event.detail.requestConfig?.elt?.id === "drafting" && !document.querySelector("#drafting[hx-get]");
      if (ended && !renewing) renewing = renew().finally(() => { renewing = null; }); // it is told for each element
    });

    // ---- when

    field.addEventListener("input", changed);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const onward = event.submitter?.value === "next" && form.dataset.next;
      if (stuck) form.submit();
      else if (await save()) {
        if (onward) location.assign(onward);
      }
    });
    addEventListener("online", () => dirty() && save());
    addEventListener("pagehide", () => {
      keep();
      if (dirty() && !stuck && !running) send(field.value);
    });
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && dirty() && !stuck && save());
    addEventListener("beforeunload", (event) => {
      if (dirty() && !storage) event.preventDefault();
    });
    document.addEventListener("click", (event) => {
      const away = event.target.closest("a[data-leave], a[data-view-link=preview]");
      if (!away || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0 || !dirty()) return;
      event.preventDefault();
      leave(away.href);
    });

    // What an earlier visit could not save is here again, and is saved now.
    const kept = storage && JSON.parse(storage.getItem(store) || "null");
    if (kept && normal(kept.text) !== normal(field.value)) {
      field.value = kept.text;
      base = kept.base;
      revision = kept.revision;
      updated = kept.updated;
      form.elements.base.value = base;
      form.elements.revision.value = revision;
      if (form.elements.updated_at) form.elements.updated_at.value = updated;
      say("What you typed before is here again. Saving …", true);
      save();
    } else if (kept) keep();
    // What the report card is about is selected; its words may be broken into other lines.
    const wanted = form.querySelector("[data-place]")?.textContent.trim().split(/\s+/) || [];
    const found = wanted.length ? new RegExp(wanted.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+")).exec(field.value) : null;
    const place = found ? [found.index, found.index + found[0].length] : [0, 0];
    const enterField = () => {
      if (!matchMedia("(pointer: coarse)").matches) {
        field.focus({ preventScroll: true });
        field.setSelectionRange(...place);
      }
      form.scrollIntoView({ block: "start" });
      const down = field.getBoundingClientRect().height * (place[0] / Math.max(1, field.value.length));
      if (place[1] && down > innerHeight / 3) scrollBy(0, down - innerHeight / 3);
    };
    // The browser goes to the address's fragment when the page is complete, and takes the focus away with that.
    if (location.hash === "#editor") addEventListener("load", () => setTimeout(enterField));
    // The toolbar stands above the keyboard of a phone.
    const bar = form.querySelector(".tools");
    if (window.visualViewport && bar) {
      visualViewport.addEventListener("resize", () => {
        const covered = Math.max(0, innerHeight - visualViewport.height - visualViewport.offsetTop);
        bar.style.bottom = `${covered}px`;
      });
    }
    form.querySelectorAll("[data-look] .cite").forEach((each) => each.removeAttribute("id"));
    writing.addEventListener("view", preview);
    return { insert, save };
  };

  // ---- the panel

  if (form) editor();
  const panel = writing.querySelector(".writing-panel");
  const handle = panel.querySelector(".panel-handle"); // a proposal's panel has none: it stands beside the text, or below it
  const unfold = (wanted) => {
    if (!handle) return;
    panel.classList.toggle("open", wanted);
    handle.setAttribute("aria-expanded", wanted);
  };
  if (handle) {
    panel.classList.add("sheet");
    handle.addEventListener("click", () => unfold(!panel.classList.contains("open")));
    if (location.hash === "#panel") unfold(true);
  }

  const show = (name) => {
    all("[data-panel]", panel).forEach((each) => { each.hidden = each.dataset.panel !== name; });
    all("[data-panel-link]", panel).forEach((each) => {
      if (each.dataset.panelLink === name) each.setAttribute("aria-current", "true");
      else each.removeAttribute("aria-current");
    });
  };
  const open = async (number, focus = false) => {
    show("sources");
    const place = panel.querySelector("[data-passage]");
    try {
      const answer = await fetch(`${pages}/citations/${number}`);
      if (!answer.ok) {
        place.replaceChildren(make("p", { className: "notice warn", textContent: `[${number}] leads to no source.` }));
      } else place.innerHTML = await answer.text();
      unfold(true);
      panel.scrollTop = 0;
      if (!handle) place.scrollIntoView({ block: "nearest" });
      if (focus) place.firstElementChild.focus();
    } catch {
      place.replaceChildren(make("p", { className: "muted", textContent: "No connection: the source cannot be opened now." }));
    }
  };

  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    const tab = event.target.closest("[data-panel-link]");
    if (tab) {
      event.preventDefault();
      show(tab.dataset.panelLink);
    }
    const cite = event.target.closest("a[data-cite]");
    if (cite) {
      event.preventDefault();
      open(cite.dataset.cite, true);
    }
    const view = event.target.closest("[data-view-link]");
    if (view && view.dataset.viewLink !== "preview" && writing.dataset.view !== "preview") {
      event.preventDefault();
      writing.dataset.view = view.dataset.viewLink;
      all("[data-view-link]").forEach((each) => each.removeAttribute("aria-current"));
      view.setAttribute("aria-current", "true");
      history.replaceState(null, "", view.href);
      writing.dispatchEvent(new Event("view"));
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && panel.classList.contains("open") && panel.contains(document.activeElement)) {
      unfold(false);
      handle.focus();
    }
  });

})();

// ---- Review: a citation opens below its section.
(() => {
  const reviewing = document.querySelector("[data-citations]");
  reviewing?.addEventListener("click", async (event) => {
    const cite = event.target.closest("a[data-cite]");
    if (!cite || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const answer = await fetch(`${reviewing.dataset.citations}${cite.dataset.cite}`).catch(() => null);
    if (!answer?.ok) {
      location.assign(cite.href);
      return;
    }
    reviewing.querySelectorAll("[data-passage]").forEach((each) => each.replaceChildren());
    const place = cite.closest("section").querySelector("[data-passage]");
    place.innerHTML = await answer.text();
    place.scrollIntoView({ block: "nearest" });
    place.firstElementChild.focus({ preventScroll: true });
  });
})();

/* Sources: files can be dropped, and each is listed before it is sent. */
(() => {
  const area = document.querySelector("[data-drop-area]");
  if (!area) return;
  const field = area.querySelector("input[type=file]");
  const list = area.querySelector("[data-drop-list]");
  const show = () => {
    const most = Number(field.dataset.most);
    list.replaceChildren(...[...field.files].map((file) => {
      const line = document.createElement("li");
      const name = document.createElement("span");
      const size = document.createElement("span");
      name.textContent = file.name;
      size.textContent = file.size > most ? "too large" : `${(file.size / 1e6).toFixed(1)} MB`;
      line.classList.toggle("bad", file.size > most);
      line.append(name, size);
      return line;
    }));
  };
  field.addEventListener("change", show);
  for (const kind of ["dragenter", "dragover"]) {
    area.addEventListener(kind, (event) => {
      if (!event.dataTransfer || ![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      area.classList.add("over");
    });
  }
  area.addEventListener("dragleave", () => area.classList.remove("over"));
  area.addEventListener("drop", (event) => {
    if (!event.dataTransfer || !event.dataTransfer.files.length) return;
    event.preventDefault();
    area.classList.remove("over");
    field.files = event.dataTransfer.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
})();
