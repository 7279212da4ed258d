// What makes pages quicker to use. Every page works without it.
"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  // ---- menus: one at a time, closed by a click elsewhere or Escape

  document.addEventListener("click", (event) => {
    for (const menu of all("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      for (const menu of all("details.menu[open]")) {
        menu.open = false;
        menu.querySelector("summary").focus();
      }
    }
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const search = document.querySelector("[data-search]");
      if (search) {
        event.preventDefault();
        search.focus();
        search.select();
      }
    }
  });

  // ---- the keys of a desk: they press what names them; whoever does not want them turns them off

  const keysAreOn = () => localStorage.getItem("keys") !== "off";
  const showKeys = (within) => all("[data-keys]", within).forEach((button) => {
    button.textContent = keysAreOn() ? "Turn keys off" : "Turn keys on";
    button.closest(".keys").classList.toggle("off", !keysAreOn());
  });

  document.addEventListener("keydown", (event) => {
    if (!document.querySelector("[data-desk]") || event.altKey || event.defaultPrevented) return;
    if (event.target.matches("textarea") && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.target.form.requestSubmit();
      return;
    }
    const typing = event.target.closest("input, textarea, select, dialog, [contenteditable]");
    if (typing && event.key === "Escape") event.target.blur();
    if (typing || event.ctrlKey || event.metaKey || !keysAreOn()) return;
    const pressed = all("[aria-keyshortcuts]").find((each) => each.getAttribute("aria-keyshortcuts") === event.key);
    if (!pressed) return;
    event.preventDefault();
    // What cannot be undone is not done by one key: the first one asks.
    const asks = pressed.dataset.keyAsks;
    if (asks && document.activeElement !== pressed) {
      pressed.focus();
      if (!pressed.nextElementSibling?.matches(".key-asks")) pressed.after(make("p", { className: "key-asks small", role: "status", textContent: asks }));
      return;
    }
    pressed.click();
    if (pressed.matches("summary") && pressed.parentElement.open) pressed.parentElement.querySelector("textarea, input:not([type=hidden])").focus();
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-keys]");
    if (!button) return;
    localStorage.setItem("keys", keysAreOn() ? "off" : "on");
    showKeys(document);
  });

  // ---- theme: at once, and kept in the same cookie that the server sets

  const showTheme = (theme) => {
    const root = document.documentElement;
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const button of all("[data-theme-form] button")) button.setAttribute("aria-pressed", button.value === theme);
  };

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("[data-theme-form]") || !event.submitter) return;
    event.preventDefault();
    const theme = event.submitter.value;
    const secure = location.protocol === "https:" ? "; secure" : "";
    document.cookie = `theme=${theme}; path=/; max-age=31536000; samesite=lax${secure}`;
    showTheme(theme);
    form.closest("details.menu").open = false;
  });

  // ---- destructive actions: the link leads to a page that asks; here the same question comes in a dialog

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-confirm]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const { confirm, lost, does } = link.dataset;
    const dialog = make("dialog");
    dialog.setAttribute("aria-labelledby", "confirm-title");
    const cancel = make("button", { type: "button", className: "button", textContent: "Keep it", autofocus: true });
    cancel.addEventListener("click", () => dialog.close());
    const go = make("button", { className: "button danger primary", textContent: does || "Delete" });
    const form = make("form", { method: "post", action: link.getAttribute("href"), className: "row" }, cancel, go);
    dialog.append(make("h2", { id: "confirm-title", textContent: confirm }), make("p", { textContent: lost || "" }), form);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  });

  // ---- uploads: how much has been sent shows, and can be stopped; without script the form goes as forms do

  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

  document.addEventListener("change", (event) => {
    const field = event.target;
    if (!field.matches("input[type=file][data-most]")) return;
    const most = Number(field.dataset.most);
    const large = [...field.files].find((file) => file.size > most);
    field.setCustomValidity(large ? `This file has ${megabytes(large.size)} MB; at most ${megabytes(most)} MB.` : "");
    if (large) field.reportValidity();
  });

  // What is wrong with a form that was sent; it is in sight wherever the form is on the page.
  const inTrouble = (within) => within.querySelector("[role=alert][autofocus], input[aria-invalid=true], textarea[aria-invalid=true], select[aria-invalid=true]");
  if (!document.querySelector("[autofocus]")) inTrouble(document)?.focus();

  // The page that an upload was answered with, in the place of this one's content.
  const showAnswer = (html) => {
    const answer = new DOMParser().parseFromString(html, "text/html");
    const main = answer.querySelector("#main");
    if (!main) return false;
    document.title = answer.title;
    document.querySelector("#main").replaceWith(main);
    if (window.htmx) window.htmx.process(main);
    begin(main);
    (inTrouble(main) || main).focus();
    return true;
  };

  const upload = (form, submitter) => {
    const bar = make("progress", { max: 1, value: 0, ariaLabel: "Upload" });
    const sent = make("span", { className: "muted number", textContent: "0 %" });
    const stop = make("button", { type: "button", className: "button small", textContent: "Cancel the upload" });
    const row = make("div", { className: "row" }, make("span", { textContent: "Uploading" }), sent);
    const shown = make("div", { className: "progress" }, row, bar, make("div", {}, stop));
    const request = new XMLHttpRequest();
    const end = (message) => {
      shown.remove();
      form.removeAttribute("aria-busy");
      if (message) toast(message);
    };
    request.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable) return;
      bar.value = event.loaded / event.total;
      const whole = event.loaded === event.total;
      sent.textContent = whole ? "Sent; being checked" : `${megabytes(event.loaded)} of ${megabytes(event.total)} MB`;
    });
    request.addEventListener("load", () => {
      const onward = request.getResponseHeader("X-Location");
      if (onward) {
        form.dispatchEvent(new CustomEvent("saved", { bubbles: true }));
        const there = new URL(onward, location.href);
        location.assign(there);
        // A place on this very page: going there would not load it.
        if (there.hash && there.pathname === location.pathname && there.search === location.search) location.reload();
      } else if (!showAnswer(request.responseText)) end(`That did not work (${request.status}). Reload the page and try again.`);
    });
    request.addEventListener("error", () => end("The upload broke off. Check the connection and the size of the file, and try again."));
    request.addEventListener("abort", () => end(""));
    stop.addEventListener("click", () => request.abort());
    form.setAttribute("aria-busy", "true");
    form.append(shown);
    request.open("POST", form.getAttribute("action") || location.href);
    request.setRequestHeader("X-Upload-Progress", "1");
    request.send(new FormData(form, submitter));
    stop.focus();
  };

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || !form.matches("form[data-upload]")) return;
    if (!all("input[type=file]", form).some((field) => field.files.length)) return; // nothing to wait for
    event.preventDefault();
    if (form.getAttribute("aria-busy") !== "true") upload(form, event.submitter);
  });

  // ---- forms: sent once; filters send themselves

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.getAttribute("method") !== "post" || form.matches("[hx-post], [hx-put], [hx-patch], [hx-delete]")) return;
    if (form.getAttribute("aria-busy") === "true") event.preventDefault();
    form.setAttribute("aria-busy", "true");
  });
  addEventListener("pageshow", () => all("form[aria-busy]").forEach((form) => form.removeAttribute("aria-busy")));

  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-auto]");
    if (form && event.target.matches("select, input[type=radio], input[type=checkbox]")) form.requestSubmit();
  });

  // ---- repeated fields: more and fewer without asking the server

  document.addEventListener("click", (event) => {
    const more = event.target.closest("[data-repeat-more]");
    if (more) {
      const group = more.closest("[data-repeat]");
      const rows = all("[data-repeat-one]", group);
      if (rows.length >= Number(group.dataset.repeat)) return event.preventDefault();
      event.preventDefault();
      const row = rows.at(-1).cloneNode(true);
      for (const field of all("input, textarea, select", row)) {
        field.value = field.matches("select") ? field.options[0].value : "";
        field.removeAttribute("aria-invalid");
      }
      all(".error", row).forEach((error) => error.remove());
      rows.at(-1).after(row);
      number(group);
      row.querySelector("input, textarea, select").focus();
    }
    const fewer = event.target.closest("[data-repeat-fewer]");
    if (fewer) {
      const group = fewer.closest("[data-repeat]");
      if (all("[data-repeat-one]", group).length < 2) return event.preventDefault();
      event.preventDefault();
      fewer.closest("[data-repeat-one]").remove();
      number(group);
      group.querySelector("[data-repeat-more]").focus();
    }
    return undefined;
  });

  // Names and ids count on from one row to the next: links.0.title, links.1.title.
  const number = (group) => {
    const rows = all("[data-repeat-one]", group);
    rows.forEach((row, position) => {
      for (const element of all("[name], [id], [for], [aria-describedby], [aria-label]", row)) {
        for (const attribute of ["name", "id", "for", "aria-describedby"]) {
          const value = element.getAttribute(attribute);
          if (value) element.setAttribute(attribute, value.replace(/([.-])\d+(?=([.-]|$))/, `$1${position}`));
        }
        const label = element.getAttribute("aria-label");
        if (label) element.setAttribute("aria-label", label.replace(/\d+$/, position + 1));
      }
    });
    group.querySelector("[data-repeat-more]").hidden = rows.length >= Number(group.dataset.repeat);
  };

  // ---- long forms in steps: all parts are one form; here one part shows at a time

  const steps = (form) => {
    const parts = all("[data-step]", form);
    const marks = all(".steps li", form.parentElement);
    const actions = form.querySelector(".form-actions");
    const back = make("button", { type: "button", className: "button", textContent: "Back" });
    const next = make("button", { type: "button", className: "button primary", textContent: "Continue" });
    const send = actions.querySelector("[type=submit]");
    actions.prepend(back, next);
    const show = (wanted, focus) => {
      parts.forEach((part, position) => { part.hidden = position !== wanted; });
      marks.forEach((mark, position) => {
        mark.classList.toggle("done", position < wanted);
        mark.classList.toggle("current", position === wanted);
        if (position === wanted) mark.setAttribute("aria-current", "step");
        else mark.removeAttribute("aria-current");
      });
      back.hidden = wanted === 0;
      next.hidden = wanted === parts.length - 1;
      send.hidden = wanted !== parts.length - 1;
      if (focus) {
        const first = parts[wanted].querySelector("[aria-invalid=true], input, select, textarea");
        if (first) first.focus();
        form.scrollIntoView({ block: "start" });
      }
    };
    const shown = () => parts.findIndex((part) => !part.hidden);
    const sound = (part) => all("input, select, textarea", part).every((field) => field.reportValidity());
    next.addEventListener("click", () => sound(parts[shown()]) && show(shown() + 1, true));
    back.addEventListener("click", () => show(shown() - 1, true));
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target.matches("input") && !next.hidden) {
        event.preventDefault();
        next.click();
      }
    });
    // The browser will not show a message beside a field that is hidden.
    form.addEventListener("invalid", (event) => {
      const part = parts.findIndex((each) => each.contains(event.target));
      if (part >= 0 && parts[part].hidden) show(part, false);
    }, true);
    const wrong = parts.findIndex((part) => part.querySelector("[aria-invalid=true], .error"));
    show(Math.max(wrong, 0), false);
  };

  // ---- messages, copying

  const toast = (text) => {
    const shelf = document.querySelector(".toasts");
    const message = make("div", { className: "flash bad" }, make("div", { textContent: text }));
    message.setAttribute("role", "alert");
    shelf.replaceChildren(message);
    setTimeout(() => message.remove(), 8000);
  };
  document.addEventListener("htmx:responseError", (event) => {
    const { status } = event.detail.xhr;
    toast(status === 429 ? "Too many requests. Wait a little and try again." : `That did not work (${status}). Reload the page and try again.`);
  });
  document.addEventListener("htmx:sendError", () => toast("The server could not be reached. Check the connection and try again."));

  document.addEventListener("click", (event) => {
    const dismiss = event.target.closest("[data-dismiss]");
    if (dismiss) dismiss.closest(".flash").remove();
    const reveal = event.target.closest("[data-reveal]");
    if (reveal) showSecret(reveal, reveal.getAttribute("aria-pressed") !== "true");
    const copy = event.target.closest("[data-copy]");
    if (copy) {
      navigator.clipboard.writeText(copy.dataset.copy).then(() => {
        const word = copy.querySelector("span") || copy;
        const before = word.textContent;
        word.textContent = "Copied";
        setTimeout(() => { word.textContent = before; }, 1500);
      });
    }
  });

  // ---- passwords: they can be looked at, and are hidden again before browsers remember what was typed

  const showSecret = (button, shown) => {
    document.getElementById(button.dataset.reveal).type = shown ? "text" : "password";
    button.setAttribute("aria-pressed", shown);
    button.firstChild.data = shown ? "Hide" : "Show";
  };
  document.addEventListener("submit", (event) => all("[data-reveal]", event.target).forEach((button) => showSecret(button, false)));

  // ---- work that goes on at the server: parts of the page are replaced as they change, and only those

  // A form on its way leads to a page of its own, which shows the end of the work too: to load this one anew would break
  // it off, and what it did would not be said. One that brings a file leaves this page as it is: it is loaded in the end.
  let sending = false;
  addEventListener("submit", (event) => { sending = !event.defaultPrevented; });
  addEventListener("pageshow", () => { sending = false; });

  const live = (element) => {
    const source = new EventSource(element.dataset.live);
    source.addEventListener("state", (event) => {
      const fresh = make("template", { innerHTML: event.data });
      for (const part of [...fresh.content.children]) {
        const old = document.getElementById(part.id);
        if (old && !old.isEqualNode(part)) old.replaceWith(part);
      }
    });
    source.addEventListener("end", () => {
      source.close();
      if (element.dataset.then) setTimeout(() => location.replace(element.dataset.then), sending ? 10_000 : 0);
    });
    addEventListener("pagehide", () => source.close());
  };

  // Without htmx (it is served from the packages, which may be missing) a page that asks again and again is loaded anew, unless
  // somebody types in it.
  const DELAY = /^load delay:(\d+)(ms|s)$/;
  const reloadLater = (within) => {
    const delays = all("[hx-trigger^='load delay:']", within).map((each) => DELAY.exec(each.getAttribute("hx-trigger"))).filter(Boolean);
    if (window.htmx || !delays.length) return;
    const milliseconds = Math.max(1000, Math.min(...delays.map(([, number, unit]) => number * (unit === "s" ? 1000 : 1))));
    const timer = setTimeout(() => sending || location.reload(), milliseconds);
    document.addEventListener("input", () => clearTimeout(timer), { once: true });
  };

  const begin = (within) => {
    all("[data-live]:not([data-begun])", within).forEach((element) => {
      element.dataset.begun = "";
      live(element);
    });
    all("form[data-steps]:not([data-begun])", within).forEach((form) => {
      form.dataset.begun = "";
      steps(form);
    });
    showKeys(within);
    all("[data-needs-script]", within).forEach((element) => { element.hidden = false; });
    all("[data-without-script]", within).forEach((element) => { element.hidden = true; });
  };
  begin(document);
  reloadLater(document);
  document.addEventListener("htmx:load", (event) => begin(event.detail.elt));
})();
