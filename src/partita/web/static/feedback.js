// What happened is said where one is; a button that works shows it and is pressed once.
"use strict";
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];

  // ---- messages: a message that comes with its page is not read out, one that is added later is

  const region = Object.assign(document.createElement("div"), { className: "for-readers" });
  region.setAttribute("role", "status");
  document.body.append(region);
  const announce = (text) => setTimeout(() => { region.textContent = text; }, 200);
  const flash = document.querySelector("#main > .flash > div");
  if (flash) announce(flash.textContent.trim());

  // An answer that replaces a part of the page brings its message in the header HX-Trigger.
  document.addEventListener("told", (event) => {
    const { text, kind } = event.detail;
    const message = Object.assign(document.createElement("div"), { className: `flash ${kind}` });
    const words = Object.assign(document.createElement("div"), { textContent: text });
    message.append(words);
    message.setAttribute("role", "status");
    document.querySelector(".toasts").replaceChildren(message);
    setTimeout(() => message.remove(), 6000);
  });

  // ---- buttons

  const rest = () => all("[data-working]").forEach((button) => delete button.dataset.working);
  const work = (button) => {
    if (button && !button.matches("[hidden], .for-readers")) button.dataset.working = "";
  };

  let pressed = null;
  document.addEventListener("submit", (event) => {
    pressed = event.submitter;
    if (!event.defaultPrevented && event.target.getAttribute("method") === "post") work(event.submitter);
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt } = event.detail;
    if (!elt.matches("form, button")) return;
    if (elt.getAttribute("aria-busy") === "true") {
      event.preventDefault();
      return;
    }
    elt.setAttribute("aria-busy", "true");
    work(elt.matches("button") ? elt : pressed && elt.contains(pressed) ? pressed : elt.querySelector("[type=submit]"));
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    event.detail.elt.removeAttribute("aria-busy");
    rest();
  });
  addEventListener("pageshow", rest);
})();
