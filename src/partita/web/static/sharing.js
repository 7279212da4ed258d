// Sharing the address of a page: what the device offers, or the clipboard. Without it, the address can be copied by hand.
"use strict";
(() => {
  const say = (menu, text) => { menu.querySelector("[role=status]").textContent = text; };

  document.addEventListener("click", async (event) => {
    const summary = event.target.closest("[data-share] > summary");
    if (summary && navigator.share && matchMedia("(pointer: coarse)").matches) {
      const menu = summary.parentElement;
      event.preventDefault();
      try {
        await navigator.share({ title: menu.dataset.title, url: menu.dataset.share });
      } catch (error) {
        if (error.name !== "AbortError") menu.open = true;
      }
      return;
    }
    const copy = event.target.closest("[data-share-copy]");
    if (!copy) return;
    const menu = copy.closest("[data-share]");
    try {
      await navigator.clipboard.writeText(menu.dataset.share);
      say(menu, "Link copied.");
    } catch {
      const field = menu.querySelector("input");
      field.focus();
      field.select();
      say(menu, "Press Ctrl+C to copy the link.");
    }
  });

  // Closed and opened again, it has said nothing yet.
  document.addEventListener("toggle", (event) => {
    if (event.target.matches("[data-share]") && !event.target.open) say(event.target, "");
  }, true);
})();
