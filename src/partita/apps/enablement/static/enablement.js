// Files are sent while the form is filled in. Without script there is a page of its own for that.
"use strict";
(() => {
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const size = (bytes) => (bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.max(1, Math.round(bytes / 1e3))} KB`);
  const left = (seconds) => (seconds < 60 ? `${Math.ceil(seconds)} s left` : `${Math.ceil(seconds / 60)} min left`);

  const attach = (field) => {
    const form = field.closest("form");
    const chooser = field.querySelector("input[type=file]");
    const state = field.querySelector(".upload-state");
    const most = Number(field.dataset.most);
    const id = form.elements.upload_id;
    const called = form.elements.file_name;
    let running = null;
    let wanted = null; // the button that was pressed while the file was on its way

    const told = () => form.dispatchEvent(new Event("input")); // a script that fills in a field tells nobody
    const say = (text, ...buttons) => state.replaceChildren(make("span", { textContent: text }), ...buttons);
    const button = (text, press) => {
      const made = make("button", { type: "button", className: "button small", textContent: text });
      made.addEventListener("click", press);
      return made;
    };
    const failed = (file, why) => {
      running = null;
      wanted = null;
      form.removeAttribute("aria-busy");
      state.classList.add("failed");
      say(why, button("Try again", () => send(file)));
    };
    const done = (file, upload) => {
      running = null;
      id.value = upload.upload_id;
      called.value = file.name;
      told();
      say(`${file.name}, ${size(file.size)}: sent. It is attached when you save.`, button("Leave it out", () => {
        id.value = "";
        called.value = "";
        told();
        state.replaceChildren();
      }));
      if (wanted) {
        form.removeAttribute("aria-busy");
        form.requestSubmit(wanted);
      }
    };

    const send = async (file) => {
      state.classList.remove("failed");
      id.value = "";
      if (file.size > most) return failedForGood(`${file.name} has ${size(file.size)}; 100 MB are the most. Choose a smaller file.`);
      if (!file.size) return failedForGood(`${file.name} is empty. Choose another file.`);
      say(`${file.name}: beginning …`);
      const request = new XMLHttpRequest();
      running = request;
      let upload;
      try {
        const answer = await fetch(field.dataset.attach, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ file_name: file.name, size_bytes: file.size }),
        });
        upload = await answer.json();
        if (!answer.ok) return failed(file, upload.detail || "The upload could not begin.");
      } catch {
        return failed(file, "The server could not be reached. Check the connection.");
      }
      if (running !== request) return undefined; // another file was chosen meanwhile
      const bar = make("progress", { max: 1, value: 0, ariaLabel: `Upload of ${file.name}` });
      const told = make("span", { className: "muted number" });
      const row = make("div", { className: "row between" }, make("span", { textContent: file.name }), told);
      const stop = button("Cancel the upload", () => request.abort());
      state.replaceChildren(make("div", { className: "progress" }, row, bar, make("div", {}, stop)));
      const begun = performance.now();
      request.upload.addEventListener("progress", (event) => {
        bar.value = event.loaded / event.total;
        const seconds = (performance.now() - begun) / 1000;
        const rest = event.loaded ? ((event.total - event.loaded) * seconds) / event.loaded : 0;
        told.textContent = `${size(event.loaded)} of ${size(event.total)}${rest > 1 ? `, ${left(rest)}` : ""}`;
      });
      request.addEventListener("load", () => {
        if (request.status < 300) return done(file, upload);
        let why = `The file was not taken (${request.status}).`;
        try {
          why = JSON.parse(request.responseText).detail || why;
        } catch {
          // It was a page; the status says enough.
        }
        return failed(file, why);
      });
      request.addEventListener("error", () => failed(file, "The upload broke off. What you typed is still here."));
      request.addEventListener("abort", () => {
        running = null;
        say("The upload was cancelled.", button("Send it after all", () => send(file)));
      });
      const body = new FormData();
      for (const [name, value] of Object.entries(upload.fields)) body.append(name, value);
      body.append("file", file);
      request.open("POST", upload.url);
      request.send(body);
      return undefined;
    };
    const failedForGood = (why) => {
      running = null;
      state.classList.add("failed");
      say(why);
    };
    const chosen = (files) => {
      if (!files.length) return;
      if (running) running.abort();
      send(files[0]);
    };

    chooser.addEventListener("change", () => {
      chosen([...chooser.files]);
      chooser.value = ""; // the form itself sends no file
    });
    field.addEventListener("dragover", (event) => {
      event.preventDefault();
      field.classList.add("over");
    });
    for (const name of ["dragleave", "drop"]) field.addEventListener(name, () => field.classList.remove("over"));
    field.addEventListener("drop", (event) => {
      event.preventDefault();
      chosen([...event.dataTransfer.files]);
    });
    // Whoever saves before the file has arrived waits for it.
    form.addEventListener("submit", (event) => {
      if (!running) return;
      event.preventDefault();
      event.stopPropagation();
      wanted = event.submitter;
      form.setAttribute("aria-busy", "true");
    });
  };

  for (const field of document.querySelectorAll("[data-attach]")) attach(field);
})();

// What is still missing before something can be submitted, while it is written. Without script it says what was missing when the page came.
(() => {
  const needed = document.querySelector(".needed");
  if (!needed) return;
  const form = needed.closest("form");
  const typed = (name) => form.elements[name]?.value.trim() ?? "";
  const there = {
    title: () => typed("title"),
    summary: () => typed("summary"),
    note: () => typed("note").length >= 10,
    body: () => typed("text") || typed("upload_id") || ("file" in needed.dataset && !form.elements.remove_file?.checked),
  };
  const look = () => {
    for (const each of needed.children) {
      const done = Boolean(there[each.dataset.needs]());
      each.classList.toggle("done", done);
      each.querySelector("[data-state]").textContent = done ? ": there" : ": missing";
    }
  };
  form.addEventListener("input", look);
  form.addEventListener("change", look);
  look(); // a browser that comes back fills in what was typed
})();

// Import: several files are chosen at once and sent one after the other. Without script they are sent one by one.
(() => {
  const form = document.querySelector("form[data-import-files]");
  if (!form) return;
  const chooser = form.querySelector("input[type=file]");
  const state = form.querySelector(".upload-state");
  const folded = (name) => name.normalize("NFKC").toLowerCase().normalize("NFC").trim();
  chooser.multiple = true;
  form.removeAttribute("data-upload");
  document.querySelector("label[for=" + chooser.id + "]").firstChild.textContent = "Files of the rows";

  const send = (file, say) =>
    new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.upload.addEventListener("progress", (event) => {
        if (event.lengthComputable) say(`${Math.round((100 * event.loaded) / event.total)} %`);
      });
      request.addEventListener("load", () => {
        let told = "";
        try {
          const answer = JSON.parse(request.responseText);
          told = (answer.errors && answer.errors.length && answer.errors[0].message) || answer.detail || "";
        } catch {
          told = "";
        }
        resolve(request.status < 300 ? "" : told || "It was refused.");
      });
      request.addEventListener("error", () => resolve("It broke off. Check the connection and send it again."));
      request.open("POST", form.dataset.importFiles);
      const body = new FormData();
      body.append("file", file);
      request.send(body);
    });

  // The numbers, the list and the button say what has arrived; what was refused stays where it is told.
  const follow = async () => {
    const answer = await fetch(location.href).catch(() => null);
    if (!answer?.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-follows-files]")) {
      const now = fresh.querySelector(`[data-follows-files="${part.dataset.followsFiles}"]`);
      if (!now) continue;
      const [before, after] = [part, now].map((each) => each.querySelector("[type=checkbox]"));
      if (before && after) after.checked = before.checked;
      part.replaceWith(document.adoptNode(now));
    }
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.dataset.sending) return;
    form.dataset.sending = "1";
    const files = [...chooser.files];
    const refused = [];
    for (const [place, file] of files.entries()) {
      const before = `${place + 1} of ${files.length}: ${file.name}`;
      const why =
        file.size > Number(chooser.dataset.most)
          ? "It has more than 100 MB."
          : await send(file, (part) => (state.textContent = `${before}, ${part}`));
      if (why) {
        refused.push(`${file.name}: ${why}`);
        continue;
      }
      const row = [...document.querySelectorAll(".ticks li")].find((each) => each.dataset.file === folded(file.name));
      if (row) {
        row.classList.add("here");
        row.querySelector(".muted").textContent = "has arrived";
        row.querySelector("a")?.remove();
        const mark = row.querySelector("use");
        mark.setAttribute("href", mark.getAttribute("href").replace(/#.*/, "#check"));
      }
    }
    delete form.dataset.sending;
    form.removeAttribute("aria-busy");
    chooser.value = ""; // what was sent is not lost when the page is left
    if (!refused.length) return location.reload();
    await follow();
    state.replaceChildren(...refused.map((text) => Object.assign(document.createElement("p"), { className: "import-errors", textContent: text })));
    return undefined;
  });
})();

// Several at once: one box ticks all of a list. Without script they are ticked one by one.
(() => {
  for (const form of document.querySelectorAll("form[data-tick-all]")) {
    const boxes = [...form.querySelectorAll("input[name=ids]")];
    const all = Object.assign(document.createElement("input"), { type: "checkbox" });
    const count = document.createElement("span");
    const label = Object.assign(document.createElement("label"), { className: "choice tick-all" });
    label.append(all, count);
    form.querySelector("ul").before(label);
    const show = () => {
      const on = boxes.filter((each) => each.checked).length;
      all.checked = on === boxes.length;
      all.indeterminate = on > 0 && on < boxes.length;
      count.textContent = on ? `${on} of ${boxes.length} ticked` : `Tick all ${boxes.length}`;
      for (const each of form.querySelectorAll("[data-ticked]")) each.textContent = on ? `${each.dataset.ticked} ${on}` : `${each.dataset.ticked} all ticked`;
    };
    all.addEventListener("change", () => {
      for (const each of boxes) each.checked = all.checked;
      show();
    });
    form.addEventListener("change", show);
    show();
  }
})();
