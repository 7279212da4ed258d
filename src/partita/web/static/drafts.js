// What was typed survives a detour: it is kept in this tab until it is saved. Without script the browser's Back keeps it.
"use strict";
(() => {
  const PREFIX = "draft:";
  const TYPED = "textarea:not([hidden]), input:not([type]), input[type=text], input[type=url], input[type=email], input[type=tel], input[type=number], input[type=date], input[type=datetime-local]";
  const viewer = document.body.dataset.viewer || "";
  const navigation = performance.getEntriesByType("navigation")[0] || {};
  const refusedPage = (navigation.responseStatus || 200) >= 400;
  const signing = ["/sign-in", "/sign-up"].includes(location.pathname);
  let leaving = false;

  const storage = (() => {
    try {
      sessionStorage.setItem("draft-test", "");
      sessionStorage.removeItem("draft-test");
      return sessionStorage;
    } catch {
      return null;
    }
  })();
  const unkept = new WeakSet();

  // ---- whose drafts: those of others are removed, and all of them when somebody signs out, in every tab

  // Rooms keep longer texts in this browser beyond the tab, as `text:PERSON:…`.
  const OWNED = [["draft:", "|"], ["text:", ":"]];
  const removeDrafts = (stays = () => false) => {
    for (const each of storage ? [sessionStorage, localStorage] : []) {
      for (const name of Object.keys(each)) {
        if (OWNED.some(([prefix, end]) => name.startsWith(prefix) && !stays(name, `${prefix}${viewer}${end}`))) each.removeItem(name);
      }
    }
  };
  const endDrafts = () => {
    document.body.dataset.signedOut = ""; // nothing is kept again while the page is left
    removeDrafts();
  };
  if (viewer) removeDrafts((name, own) => name.startsWith(own));
  addEventListener("storage", (event) => {
    if (event.key !== "signed-out" || !event.newValue) return;
    endDrafts();
  });

  // ---- forms and what is in them

  // A field named "action" or "method" hides the form's own property of that name: the attribute says it.
  const path = (form) => new URL(form.getAttribute("action") || location.href, location.href).pathname;
  const watched = (form) => form.getAttribute("method") === "post" && !form.matches(".stale, [data-own-draft]") && form.querySelector(TYPED) && !form.querySelector("[type=password], [data-secret]");
  const forms = () => [...document.forms].filter(watched);
  // Several forms may be sent to one address: each has its own draft, known by its first field; so has each step (`at`) of a longer form.
  const step = (form) => form.querySelector("input[type=hidden][name=at]")?.value || "";
  const address = (form) => `${PREFIX}${viewer}|${path(form)}|`;
  const key = (form) => `${address(form)}${step(form)}|${form.querySelector(TYPED).name.replace(/\d+/g, "")}`;
  const controls = (form) => [...form.elements].filter((each) => each.name && each.matches("input, textarea, select") && !each.matches("[type=hidden], [type=file], [type=password], [data-secret], [hidden]"));
  const ticks = (control) => control.matches("[type=checkbox], [type=radio]");

  const read = (form) => controls(form).filter((each) => !ticks(each) || each.checked).map((each) => [each.name, each.value]);
  const first = (form) => controls(form).filter((each) => !ticks(each) || each.defaultChecked).map((each) => {
    if (!each.matches("select")) return [each.name, each.defaultValue];
    const chosen = [...each.options].find((option) => option.defaultSelected) || each.options[0];
    return [each.name, chosen ? chosen.value : ""];
  });
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  // A form that was sent and is shown again (refused, with a preview, after a sign-in) holds typing that is saved nowhere.
  const shownAgain = (form) => "again" in document.body.dataset && (location.pathname.startsWith("/kept/") || path(form) === location.pathname);
  const cameBack = (form) => form.dataset.again === "" || shownAgain(form) || form.querySelector("[aria-invalid=true], [role=alert]") !== null;
  const dirty = (form) => cameBack(form) || !same(read(form), first(form));
  // While a file is sent the page goes on by itself.
  const files = (form) => form.getAttribute("aria-busy") !== "true" && [...form.elements].some((each) => each.type === "file" && each.files.length);

  // ---- keeping

  const load = (name) => JSON.parse(storage.getItem(name) || "null");
  const forget = (form) => storage && storage.removeItem(key(form));
  const keep = (form, sent = false) => {
    if ("signedOut" in document.body.dataset) return undefined;
    if (!storage) return unkept.add(form);
    if (!dirty(form) && !(sent && step(form))) return forget(form);
    const marks = ["revision", "version", "opened"].map((name) => [name, form.querySelector(`[name=${name}]`)?.value]);
    try {
      storage.setItem(key(form), JSON.stringify({ fields: read(form), marks, sent }));
      unkept.delete(form);
    } catch {
      unkept.add(form);
    }
    return undefined;
  };

  const fill = (form, fields) => {
    const wanted = new Map();
    for (const [name, value] of fields) wanted.set(name, [...(wanted.get(name) || []), value]);
    for (const [name, values] of wanted) {
      const named = () => controls(form).filter((each) => each.name === name);
      if (named().some(ticks)) continue;
      for (let tries = 0; named().length < values.length && tries < 20; tries += 1) {
        const group = named()[0]?.closest("[data-repeat]") || form.querySelector(`#f-${CSS.escape(name.split(".")[0])}[data-repeat]`);
        const more = group?.querySelector("[data-repeat-more]:not([hidden])");
        if (!more) break;
        more.click();
      }
      named().forEach((each, place) => { each.value = values[place] ?? ""; });
    }
    for (const each of controls(form).filter(ticks)) each.checked = (wanted.get(each.name) || []).includes(each.value);
  };

  const restore = (form) => {
    const draft = storage && load(key(form));
    if (!draft) return cameBack(form) ? keep(form) : undefined;
    if (same(draft.fields, read(form))) return step(form) ? undefined : keep(form); // a step is saved with the last one
    const shown = document.activeElement;
    const marks = draft.marks.map(([name, value]) => [form.querySelector(`[name=${name}]`), value]);
    const before = marks.map(([input]) => input?.value);
    fill(form, draft.fields);
    // The revision that was edited: if somebody was faster, both versions are shown.
    for (const [input, value] of marks) if (input && value) input.value = value;
    const discard = Object.assign(document.createElement("button"), { type: "button", className: "button quiet", textContent: "Discard it" });
    const notice = Object.assign(document.createElement("div"), { className: "notice restored" });
    const words = Object.assign(document.createElement("div"), { textContent: "What you typed before is here again. It is not saved." });
    notice.append(words, discard);
    notice.setAttribute("role", "status");
    discard.addEventListener("click", () => {
      form.reset();
      marks.forEach(([input], place) => { if (input) input.value = before[place]; });
      forget(form);
      notice.remove();
      controls(form)[0]?.focus();
    });
    form.prepend(notice);
    form.closest("details:not([open])")?.setAttribute("open", "");
    if (shown && shown !== document.body) shown.focus();
    return undefined;
  };

  // ---- when

  // What was sent is saved, unless the answer says otherwise.
  // One step of a longer form is saved with the last: then there is no other step on the page that answers.
  if (storage) {
    const drafts = () => Object.keys(storage).filter((each) => each.startsWith(PREFIX));
    const going = forms().filter(step).map(address);
    for (const name of drafts()) {
      const draft = load(name);
      const [, path, at] = name.split("|");
      const others = at && drafts().filter((each) => each.startsWith(`${PREFIX}${viewer}|${path}|`));
      if (!draft) continue; // removed with another step
      if (draft.sent && !refusedPage && !signing && !going.some((each) => name.startsWith(each))) (others || [name]).forEach((each) => storage.removeItem(each));
      else if (draft.sent) storage.setItem(name, JSON.stringify({ ...draft, sent: false }));
    }
  }
  forms().forEach(restore);
  // A button of a form may ask for the form with more in it, such as what a page says: the answer has what was sent, and only what was typed since then comes from the draft.
  const asked = new Map();
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt, requestConfig } = event.detail;
    if (elt.form && requestConfig.verb === "post" && watched(elt.form)) asked.set(key(elt.form), read(elt.form));
  });
  const answer = (form) => {
    const [draft, sent] = [storage && load(key(form)), asked.get(key(form))];
    asked.delete(key(form));
    form.dataset.again = "";
    if (draft && !same(draft.fields, sent)) {
      const values = (fields, name) => fields.filter(([each]) => each === name);
      const typed = [...new Set(draft.fields.map(([name]) => name))].filter((name) => !same(values(draft.fields, name), values(sent, name)));
      fill(form, [...read(form).filter(([name]) => !typed.includes(name)), ...draft.fields.filter(([name]) => typed.includes(name))]);
    }
    keep(form);
  };
  document.addEventListener("htmx:load", (event) => {
    if (event.detail.elt === document.body) return;
    for (const form of forms().filter((each) => event.detail.elt.contains(each))) {
      if (asked.has(key(form))) answer(form);
      else {
        if (storage && load(key(form))) form.dataset.again = "";
        restore(form);
      }
    }
  });

  const changed = (event) => {
    const form = event.target.form;
    if (form && watched(form)) keep(form);
  };
  document.addEventListener("input", changed);
  document.addEventListener("change", changed);

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.getAttribute("action") === "/sign-out" && storage) {
      endDrafts();
      localStorage.setItem("signed-out", Date.now()); // tells the other tabs
      localStorage.removeItem("signed-out");
    }
    if (form.matches("[hx-post]") || event.defaultPrevented) return;
    leaving = true;
    // What was chosen of two versions counts, and not what was typed before; the form that asks has all of it.
    if (storage && form.matches(".stale")) Object.keys(storage).filter((each) => each.startsWith(address(form))).forEach((each) => storage.removeItem(each));
    if (watched(form)) keep(form, true);
  });
  document.addEventListener("saved", (event) => { // an upload, whose page goes on by script
    leaving = true;
    if (watched(event.target)) forget(event.target);
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const form = event.detail.requestConfig?.elt;
    if (form && form.matches("form") && event.detail.xhr.status < 400 && watched(form)) forget(form);
  });

  addEventListener("beforeunload", (event) => {
    if (!leaving && ([...document.forms].some(files) || forms().some((form) => dirty(form) && unkept.has(form)))) event.preventDefault();
  });

  // ---- Back shows what is true: a page from the browser's memory is loaded again, unless something is typed in it

  const stale = navigation.type === "back_forward" && navigation.transferSize === 0 && !refusedPage;
  const refresh = (saved) => {
    if (saved || !forms().some(dirty)) location.reload();
    else document.querySelectorAll(".unread[hx-get]").forEach((each) => window.htmx?.ajax("GET", each.getAttribute("hx-get"), each));
  };
  addEventListener("pageshow", (event) => {
    const saved = leaving;
    leaving = false;
    if (event.persisted) refresh(saved);
    else if (stale) refresh(false);
  });
})();
