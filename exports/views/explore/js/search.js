// The index: search as one types, and a list of all.

const MOST_SHOWN = 60;

/** Says to those who do not see the page what has changed on it; a part of the frame, since new regions are not read out. */
const said = el("p.hidden", { role: "status" });

/** @param {string} text */
function folded(text) {
  return text.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** @type {Map<Kind, string[]>} */
const foldedNames = new Map();

/**
 * The names of all things of a kind: the label, then the other names behind a line end.
 * @param {Kind} kind
 */
function namesOf(kind) {
  let names = foldedNames.get(kind);
  if (!names) {
    const { label, others = [] } = index[kind];
    names = label.map((/** @type {string} */ text, /** @type {number} */ number) =>
      ` ${folded(text)}\n ${folded([others[number] ?? []].flat().join(" "))}`);
    foldedNames.set(kind, /** @type {string[]} */ (names));
  }
  return /** @type {string[]} */ (names);
}

/**
 * The numbers of the things with all words, the best first: those whose label is the question, begins with it or has
 * its words come before those of which another name has them. A word of a name may be longer than that of the question.
 * @param {Kind} kind
 * @param {string} question
 */
function found(kind, question) {
  const whole = folded(question);
  const words = whole.split(" ").map((word) => ` ${word}`);
  const support = index[kind].support;
  /** @type {[number, number][]} */
  const hits = [];
  namesOf(kind).forEach((name, number) => {
    if (!words.every((word) => name.includes(word))) return;
    const label = name.slice(0, name.indexOf("\n"));
    const rank = label === ` ${whole}` ? 0 : label.startsWith(` ${whole}`) ? 1
      : words.every((word) => label.includes(word)) ? 2 : 3;
    hits.push([rank, number]);
  });
  hits.sort((a, b) => a[0] - b[0] || support[b[1]] - support[a[1]] || a[1] - b[1]);
  return hits.map(([, number]) => number);
}

/**
 * A line of the list.
 * @param {Kind} kind
 * @param {number} number
 */
function entry(kind, number) {
  const { support } = index[kind];
  const numbers = [count(support[number], "source")];
  let where = "";
  if (kind === "scenarios") {
    numbers.unshift(count(index.scenarios.steps[number], "step"));
    if (!isHere(number) && !served) numbers.push("not on this page");
  }
  if (kind === "steps") {
    const scenario = index.steps.scenario[number];
    where = scenario < 0 ? "no scenario" : short(index.scenarios.label[scenario]);
  }
  return el("li", {}, linkTo(kind, number), where && el("span.where", {}, where),
    el("span.numbers", {}, numbers.join(" · ")));
}

/**
 * The list of one kind; more of it where one asks for it.
 * @param {Kind} kind
 * @param {number[]} numbers
 * @param {number} most
 */
function listOf(kind, numbers, most) {
  const list = el("ul.entries.index", {}, numbers.slice(0, most).map((number) => entry(kind, number)));
  let shown = Math.min(most, numbers.length);
  const more = el("button", { type: "button", click: () => {
    const next = numbers.slice(shown, shown + 10 * MOST_SHOWN);
    list.append(...next.map((number) => entry(kind, number)));
    const first = list.children[shown];
    shown += next.length;
    label();
    first.querySelector("a").focus();
  } });
  const label = () => {
    more.textContent = `Show more of ${(numbers.length - shown).toLocaleString("en")}`;
    more.hidden = shown >= numbers.length;
  };
  label();
  return el("section", {}, el("h2", {}, kind[0].toUpperCase() + kind.slice(1),
    el("span.numbers", {}, numbers.length.toLocaleString("en"))), list, more);
}

/**
 * The index of all, or what is found.
 * @param {HTMLElement} main
 * @param {string} question
 * @param {string} only the kind that is shown, "" for all
 */
function showIndex(main, question, only) {
  const kinds = KINDS.filter((kind) => !only || kind === only);
  const results = kinds.map((kind) => /** @type {[Kind, number[]]} */ ([kind,
    folded(question) ? found(kind, question) : index[kind].label.map((/** @type {any} */ _, /** @type {number} */ i) => i)]));
  const total = results.reduce((sum, [, numbers]) => sum + numbers.length, 0);
  const tabs = el("nav.tabs", { "aria-label": "Kinds" }, ["", ...KINDS].map((kind) => {
    const parameters = new URLSearchParams();
    if (question) parameters.set("search", question);
    if (kind) parameters.set("kind", kind);
    return el("a", { href: `#${parameters}`, "aria-current": kind === only && "page" },
      kind ? kind[0].toUpperCase() + kind.slice(1) : "All");
  }));
  const here = index.scenarios.label.filter((/** @type {any} */ _, /** @type {number} */ i) => isHere(i)).length;
  const all = index.scenarios.label.length;
  said.textContent = question ? `${total.toLocaleString("en")} found` : "";
  fill(main, [], {}, [
    el("h1.hidden", {}, question ? `Found for ${short(question)}` : "Index"), tabs,
    here < all && !served && el("p.notice", {}, `${here.toLocaleString("en")} of ${count(all, "scenario")} are on this page; run `,
      el("code", {}, `kgscripts explore ${quoted(graph.name)} --scenario NAME`), " for others."),
    graph.least > 0 && el("p.notice", {}, `Steps, tools and entities of fewer than ${graph.least} sources are left out.`),
    el("p.status", {}, said.textContent),
    !total && el("p.empty", {}, question ? "Nothing has these words. Try fewer words, or the beginning of one."
      : "This graph is empty. Build it with kgscripts build-graph INPUT -o DIR."),
    ...results.filter(([, numbers]) => numbers.length).map(([kind, numbers]) =>
      listOf(kind, numbers, only ? 5 * MOST_SHOWN : question ? 20 : kind === "scenarios" ? 5 * MOST_SHOWN : MOST_SHOWN)),
    served && folded(question) && only !== "entities"
      && nearSection(question, only, new Map(results.map(([kind, numbers]) => [kind, new Set(numbers)]))),
  ]);
}
