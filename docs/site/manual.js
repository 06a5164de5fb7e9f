// SPDX-License-Identifier: Apache-2.0

// Adds a bar above DocC's page: a link to the start page, and a search in the titles of all pages and symbols.

"use strict";
(() => {
  const script = document.currentScript;
  const base = new URL(script.dataset.base, location.href);
  const maximumResults = 30;
  let pages = null, selected = 0;

  const make = (name, attributes, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const input = make("input", {
    type: "search", placeholder: "Search the manual (s)", "aria-label": "Search the manual", role: "combobox", "aria-expanded": "false",
    "aria-controls": "manual-results", autocomplete: "off", spellcheck: "false",
  });
  const list = make("ul", { class: "manual-results", id: "manual-results", role: "listbox", hidden: "" });
  const bar = make("nav", { class: "manual-bar", "aria-label": "Manual" },
    make("a", { class: "manual-home", href: new URL(script.dataset.home, base) }, script.dataset.title),
    make("div", { class: "manual-search" }, input, list));
  document.body.prepend(bar);

  async function load() {
    pages ??= fetch(new URL("search.json", base)).then(response => {
      if (!response.ok) throw new Error(response.status);
      return response.json();
    });
    return pages;
  }

  // Lower is better: the title itself, then its beginning, the beginning of a word, and any part. -1 means no match.
  function rank(title, words) {
    const text = title.toLowerCase();
    let worst = 0;
    for (const word of words) {
      const at = text.indexOf(word);
      if (at < 0) return -1;
      const startsWord = new RegExp(`(^|[^A-Za-z])${word.replace(/[^\w]/g, "\\$&")}`, "i").test(title)
        || title.includes(word[0].toUpperCase() + word.slice(1));
      worst = Math.max(worst, text === word ? 0 : at === 0 ? 1 : startsWord ? 2 : 3);
    }
    return worst * 1000 + Math.min(title.length, 999);
  }

  async function search() {
    const words = input.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return close();
    let found;
    try {
      found = (await load()).map(page => [rank(page[0], words), page]).filter(([value]) => value >= 0).sort((a, b) => a[0] - b[0]);
    } catch (error) {
      pages = null;
      return show([make("li", { class: "manual-none" }, `The search index cannot be loaded (${error.message}).`)]);
    }
    selected = 0;
    show(found.slice(0, maximumResults).map(([, [title, path, kind]], index) => make("li", {
      role: "option", id: `manual-result-${index}`, "aria-selected": String(index === 0),
    }, make("a", { href: new URL(path.split("/").map(encodeURIComponent).join("/"), base), tabindex: "-1" }, title, make("small", {}, kind)))));
    if (!found.length) show([make("li", { class: "manual-none" }, "No page has this title.")]);
  }

  function show(items) {
    list.replaceChildren(...items);
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    choose(0);
  }

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function choose(index) {
    const options = [...list.querySelectorAll("[role=option]")];
    if (!options.length) return;
    selected = (index + options.length) % options.length;
    options.forEach((option, number) => option.setAttribute("aria-selected", String(number === selected)));
    options[selected].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[selected].id);
  }

  input.addEventListener("input", search);
  input.addEventListener("focus", () => { load().catch(() => { pages = null; }); if (input.value) search(); });
  input.addEventListener("keydown", event => {
    if (event.key === "Escape") { close(); input.blur(); }
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(selected + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter") {
      list.querySelector("[aria-selected=true] a")?.click();
    }
  });
  document.addEventListener("pointerdown", event => { if (!bar.contains(event.target)) close(); });
  document.addEventListener("keydown", event => {
    if (event.key !== "s" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(input|textarea|select)$/i.test(event.target.tagName)) return;
    event.preventDefault();
    event.stopPropagation();
    input.focus();
  }, true);
})();
