// The one script of the portal. Pages work without it, but for the forecast while a request is built.
"use strict";

// What a form says so far is sent a moment after a change, and what the server says of it is shown. An answer that is
// overtaken by a later change is dropped; where there is none, nothing is said.
for (const region of document.querySelectorAll("[data-forecast]")) {
  const form = region.closest("form");
  let waiting = 0;
  let asking = null;

  const say = (nodes) => region.replaceChildren(...nodes);

  const ask = async () => {
    asking?.abort();
    const own = (asking = new AbortController());
    try {
      const answer = await fetch(region.dataset.forecast, {
        method: "POST",
        body: new URLSearchParams(new FormData(form)),
        signal: own.signal,
        redirect: "error",
      });
      const text = answer.ok ? await answer.text() : "";
      const read = new DOMParser().parseFromString(text, "text/html");
      if (asking === own) say([...read.body.childNodes]);
    } catch {
      if (asking === own) say([]);
    }
  };

  const changed = () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 250);
  };

  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  if (form.querySelector("select[name^='use.'] option[selected]")) changed();
}
