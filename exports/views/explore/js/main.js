// The frame of the page, and which view an address shows.

/** @type {HTMLElement} */
let main;
/** @type {HTMLInputElement} */
let field;

/** The parameters of the address: `#scenario=…&step=…`. */
function parameters() {
  return new URLSearchParams(location.hash.slice(1));
}

/**
 * Show the view of the address.
 * @param {boolean} moved whether the user came here by a link, so that the focus moves to the view
 */
function route(moved) {
  const wanted = parameters();
  endMap();
  endAsking();
  fixes.clear();
  main.replaceChildren();
  main.className = "";
  for (const name of ["index", "map"]) {
    document.getElementById(`to-${name}`)?.removeAttribute("aria-current");
  }
  const question = wanted.get("search") ?? "";
  if (document.activeElement !== field) field.value = question;
  let view = question;
  if (wanted.has("scenario") || wanted.has("step")) view = routeStep(wanted.get("scenario"), wanted.get("step"));
  else if (wanted.has("tool")) view = routeThing("tools", wanted.get("tool") ?? "");
  else if (wanted.has("entity")) view = routeThing("entities", wanted.get("entity") ?? "");
  else if (wanted.has("map")) {
    view = "Map";
    main.className = "wide";
    document.getElementById("to-map")?.setAttribute("aria-current", "page");
    showMap(main);
  } else {
    document.getElementById("to-index")?.setAttribute("aria-current", "page");
    const kind = wanted.get("kind") ?? "";
    showIndex(main, question, KINDS.some((each) => each === kind) ? kind : "");
  }
  document.title = [view && short(view), short(graph.name)].filter(Boolean).join(" – ");
  if (moved) {
    window.scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

/**
 * Show a scenario or a step of it, and return its name.
 * @param {string | null} scenario null for a step without a scenario
 * @param {string | null} step
 */
function routeStep(scenario, step) {
  const number = scenario === null ? -1 : addressesOf("scenarios").numbers.get(scenario);
  if (number === undefined) return missing("scenario", scenario ?? "");
  if (step === null) {
    main.className = "wide";
    showScenario(main, number);
    return scenario ?? "";
  }
  const place = addressesOf("steps", number).numbers.get(step);
  if (place !== undefined) showStepOfIndex(main, number, place + stepsOf(number)[0]);
  else if (number >= 0 && scriptOf(number)?.steps[Number(step) - 1]) showStep(main, number, scriptOf(number), Number(step) - 1);
  else if (served && number >= 0 && !scriptOf(number)) fill(main, [], {}, [crumbs(number), el("h1", {}, short(step)), scriptComes(number)]);
  else return missing("step", step);
  return step;
}

/**
 * @param {"tools" | "entities"} kind
 * @param {string} name
 */
function routeThing(kind, name) {
  const number = addressesOf(kind).numbers.get(name);
  if (number === undefined) return missing(ONE[kind], name);
  showThing(main, kind, number);
  return name;
}

/**
 * @param {string} kind
 * @param {string} name
 */
function missing(kind, name) {
  fill(main, [], {}, [el("h1", {}, "Not found"), el("p.empty", {}, `This graph has no ${kind} “${short(name)}”. `, el("a", { href: "#" }, "Search for it"), ".")]);
  return "Not found";
}

/** Move between the field and the entries with the arrow keys. @param {KeyboardEvent} event */
function keys(event) {
  const typing = event.target instanceof HTMLInputElement && event.target.type !== "range" && event.target.type !== "checkbox";
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    field.select();
    field.focus();
  }
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const links = [.../** @type {NodeListOf<HTMLElement>} */ (main.querySelectorAll(".entries a"))];
  const place = links.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (place < 0 && document.activeElement !== field) return;
  event.preventDefault();
  const next = place + (event.key === "ArrowDown" ? 1 : -1);
  if (next < 0) field.focus();
  else links[Math.min(next, links.length - 1)]?.focus();
}

/** Search for what is typed; the address changes with it, without a step of the history for each letter. */
function typed() {
  const wanted = parameters();
  const searching = location.hash === "" || wanted.has("search") || (wanted.has("kind") && !wanted.has("scenario"));
  const next = new URLSearchParams();
  if (field.value.trim()) next.set("search", field.value);
  if (searching && wanted.has("kind")) next.set("kind", wanted.get("kind") ?? "");
  const address = `#${next}`;
  if (searching) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  route(false);
}

/** Build the frame, and show the view of the address. */
function start() {
  field = el("input", { type: "search", id: "search", placeholder: "Search steps, tools, scenarios", autocomplete: "off", spellcheck: "false", input: typed, keydown: (/** @type {any} */ event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      const first = /** @type {HTMLElement | null} */ (main.querySelector(".entries a"));
      if (field.value.trim()) first?.click();
    }
  } });
  main = el("main", { id: "main", tabindex: -1 });
  const skip = el("a.skip", { href: "#", click: (/** @type {Event} */ event) => { event.preventDefault(); main.focus(); } }, "Skip to the content");
  const [button, aside] = correctionPanel();
  document.body.append(el("header", {}, skip,
    el("a.brand", { href: "#" }, short(graph.name)),
    el("search", {}, el("label.hidden", { for: "search" }, "Search"), field, el("kbd", { "aria-hidden": "true" }, "/"), said),
    el("nav", { "aria-label": "Views" }, el("a", { id: "to-index", href: "#" }, "Index"), el("a", { id: "to-map", href: "#map" }, "Map"),
      served ? el("a", { href: `${served.at}/query` }, "Queries") : ""), button),
  aside, main, el("footer", {}, `Made by kgscripts. ${served ? "" : "This page is one file and loads nothing."}`));
  window.addEventListener("hashchange", () => route(true));
  document.addEventListener("keydown", keys);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => route(false));
  route(false);
}
