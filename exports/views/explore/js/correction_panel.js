// The panel with the corrections that are made on this page.

const panel = {
  box: el("aside.corrections", { id: "corrections", "aria-label": "Corrections", hidden: true }),
  opener: el("button.opener", { type: "button", "aria-controls": "corrections", "aria-expanded": "false" }),
  author: el("input", { id: "author", autocomplete: "name", maxlength: 200 }),
  fault: el("p.fault", { role: "alert" }),
  state: el("div", { role: "status" }),
  list: el("div"),
  said: el("p.said", { role: "status" }),
  /** What the list shows. */ shown: "",
  timer: 0,
};

/** The name of the person who corrects. */
function authorName() {
  return panel.author.value.trim();
}

/** Say for a while what was done. @param {string} words */
function saySomething(words) {
  panel.said.textContent = short(words);
  setTimeout(() => { if (panel.said.textContent === short(words)) panel.said.textContent = ""; }, 5000);
}

/** What the header has of the panel, and the panel, which is closed. @returns {[Node[], Node]} */
function correctionPanel() {
  panel.opener.addEventListener("click", () => { if (panel.box.hidden) openCorrections(); else closeCorrections(); });
  panel.author.value = kept("author") ?? "";
  panel.author.addEventListener("change", () => keep("author", authorName()));
  panel.box.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") closeCorrections(); });
  fill(panel.box, [], {}, [
    el("div.line", {}, el("h2", { tabindex: -1 }, "Corrections"), el("button", { type: "button", click: closeCorrections }, "Close")),
    panel.fault, el("label.author", { for: "author" }, "Your name"), panel.author, panel.state, panel.list]);
  loadCorrections();
  window.addEventListener("beforeunload", (event) => {
    if (!server && !made.isDownloaded) event.preventDefault();
  });
  showCorrections();
  return [[panel.opener, panel.said], panel.box];
}

function openCorrections() {
  const wasClosed = panel.box.hidden;
  panel.box.hidden = false;
  panel.opener.setAttribute("aria-expanded", "true");
  showCorrections();
  if (!wasClosed) return;
  (made.fault && !authorName() ? panel.author : panel.box.querySelector("h2")).focus();
  if (server) {
    if (!made.fault) refresh();
    panel.timer = setInterval(refresh, 10_000);
  }
}

function closeCorrections() {
  clearInterval(panel.timer);
  panel.box.hidden = true;
  panel.opener.setAttribute("aria-expanded", "false");
  if (panel.opener.checkVisibility()) panel.opener.focus();
  made.fault = "";
}

/** Show what has changed, on the panel and on the buttons of the view. */
function showCorrections() {
  const number = made.items.length;
  panel.opener.hidden = !(number || server || correcting || !panel.box.hidden);
  panel.opener.textContent = `Corrections (${number})`;
  panel.fault.textContent = made.fault;
  for (const [button, correction] of fixes) button.setAttribute("aria-pressed", String(Boolean(itemOf(correction))));
  if (panel.box.hidden) return;
  const content = JSON.stringify([made.items, made.applied, made.state, made.message, made.build, made.isKept, made.isDownloaded]);
  if (content === panel.shown) return;
  panel.shown = content;
  panel.state.replaceChildren(...(server ? stateOfServer() : stateOfBrowser()));
  const active = document.activeElement;
  const [isInside, place] = [panel.list.contains(active), lineButtons().indexOf(active)];
  panel.list.replaceChildren(...(server ? listsOfServer() : listOfBrowser()));
  if (!isInside) return;
  // Those who undo by the keyboard stay in the list.
  const next = place >= 0 ? lineButtons()[Math.min(place, lineButtons().length - 1)]
    : [...panel.list.querySelectorAll("button")].find((button) => button.textContent === active?.textContent);
  (next ?? panel.box.querySelector("h2")).focus();
}

/** The buttons of the corrections on the list. @returns {any[]} */
function lineButtons() {
  return [...panel.list.querySelectorAll(".plain button")];
}

/** @returns {Node[]} */
function stateOfBrowser() {
  const words = !made.items.length ? "Press “Correct…” on a scenario, a step or a thing."
    : !made.isKept ? "This browser does not keep them: download them before you leave."
      : made.isDownloaded ? "They are downloaded." : "This browser keeps them until you undo them. They are not downloaded yet.";
  return [el("p", {}, words)];
}

/** @returns {Node[]} */
function stateOfServer() {
  const words = made.state === "applying" ? "They are being applied…" : made.state === "failed" ? `They could not be applied: ${short(made.message)}`
    : made.items.length ? "Everybody sees these corrections. They are not applied yet." : "Press “Correct…” on a scenario, a step or a thing.";
  return [el("p", {}, words), made.build !== graph.build && el("p", {}, "The graph has changed. ",
    el("button", { type: "button", click: () => location.reload() }, "Reload"))].filter(Boolean);
}

/**
 * @param {Item} item
 * @param {string} words
 * @param {() => void} click
 */
function itemLine(item, words, click) {
  const { scenario, author } = item.correction;
  return el("li", {}, el("span.name", {}, short(item.label)), scenario && el("span.where", {}, short(scenario)),
    author && el("span.where", {}, short(author)),
    el("button", { type: "button", "aria-label": `${words}: ${short(item.label)}`, click }, words));
}

/** @param {string} title @param {Item[]} items @param {(item: Item) => Node} line */
function itemList(title, items, line) {
  return items.length > 0 && [el("h3", {}, title), el("ul.plain", {}, items.map(line))];
}

/** @returns {Node[]} */
function listOfBrowser() {
  if (!made.items.length) return [];
  const name = quoted(graph.name);
  return [el("ul.plain", {}, made.items.map((item) => itemLine(item, "Undo", () => undo(item)))),
    el("p.buttons", {}, el("button", { type: "button", click: download }, "Download"),
      el("button", { type: "button", click: undoAll }, "Undo all")),
    el("p", {}, "One of these commands applies the file:"),
    copied(`kgscripts correct ${name} --corrections corrections.jsonl`, "Correct the graph"),
    copied(`kgscripts build-graph INPUT -o ${name} --corrections corrections.jsonl`, "Build it with them")];
}

/** @returns {Node[]} */
function listsOfServer() {
  const takeBack = (/** @type {Item} */ item) => {
    const { author, time, ...correction } = item.correction;
    return itemLine(item, "Take back", () => record({ ...correction, withdrawn: true }));
  };
  return [itemList("Not applied yet", made.items, (item) => itemLine(item, "Undo", () => undo(item))),
    made.items.length > 0 && made.state !== "applying" && el("p.buttons", {}, el("button", { type: "button", click: applyCorrections }, "Apply")),
    itemList("Applied", made.applied.filter((item) => !item.correction.withdrawn), takeBack)].flat().filter(Boolean);
}
