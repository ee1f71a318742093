// The view of a scenario: what one needs, the script, and what is not drawn.

/** The position of the slider, kept while one looks at steps and comes back. @type {Map<number, number>} */
const chosenLevels = new Map();

/**
 * @param {HTMLElement} main
 * @param {number} scenario
 */
function showScenario(main, scenario) {
  const script = scriptOf(scenario);
  const label = short(index.scenarios.label[scenario]);
  const others = index.scenarios.others[scenario].map(short);
  fill(main, [], {}, [el("h1", {}, label), el("p.lead", {},
    `Read in ${count(index.scenarios.support[scenario], "source")} · ${count(index.scenarios.steps[scenario], "step")}`,
    script?.generated > 0 && ` · ${script.generated === script.support ? "" : `${script.generated} `}written by a language model`,
    others.length > 0 && ` · also called ${others.join(", ")}`), ...(script ? scenarioCorrections(script) : [])]);
  if (!script) {
    const [first, last] = stepsOf(scenario);
    fill(main, [], {}, [notHere(scenario), section("Its steps in the index", listed(first, last))]);
    return;
  }
  fill(main, [], {}, [needs(script), lanesOf(script, scenario),
    elsewhere(script, scenario), section("Corrections", corrections(script.corrections)),
    copies(scenarioQueries(script))]);
}

/** @param {number} scenario */
function notHere(scenario) {
  return served ? scriptComes(scenario) : el("div.notice", {}, el("p", {}, "The script of this scenario is not on this page. This command makes a page that has it:"),
    copied(`kgscripts explore ${quoted(graph.name)} --scenario ${quoted(index.scenarios.label[scenario])}`));
}

/**
 * @param {number} first
 * @param {number} last
 */
function listed(first, last) {
  const steps = Array.from({ length: last - first }, (_, i) => first + i);
  return steps.length > 0 && el("ol.entries", {}, steps.map((step) => entry("steps", step)));
}

/** @param {any} script */
function needs(script) {
  /** @param {any} need */
  const chip = (need) => el("li.chip", { class: need.role ? "tool" : "supply", title: `${numbersOf(need)}${
    need.declared ? `, declared by ${need.declared}` : ""}${need.used ? `, used by ${need.used}` : ""}` },
  nameOf(need), need.instead.length > 0 && el("span.numbers", {}, short(`or ${need.instead.join(", or ")}`)), need.amount && el("span.numbers", {}, short(need.amount)), needCorrection(script, need));
  /**
   * @param {string} title
   * @param {any[]} group
   */
  const row = (title, group) => {
    const usual = group.filter((need) => need.usual), rare = group.filter((need) => !need.usual);
    return group.length > 0 && el("div.needs", {}, el("h3", {}, title), el("ul.chips", {}, usual.map(chip)),
      rare.length > 0 && el("details", {}, el("summary", {}, `${rare.length} more in few sources`),
        el("ul.chips", {}, rare.map(chip))));
  };
  const groups = [row("Tools", script.needs.filter((/** @type {any} */ need) => need.role)),
    row("Supplies", script.needs.filter((/** @type {any} */ need) => !need.role))].filter(Boolean);
  return section("You need", groups.length > 0 && el("div.columns", {}, groups));
}

/**
 * The script, with a slider that hides what is less usual.
 * @param {any} script
 * @param {number} scenario
 */
function lanesOf(script, scenario) {
  const { levels, steps } = script;
  if (!steps.length) return el("p.empty", {}, "No step of this scenario was read.");
  const usual = steps.filter((/** @type {any} */ step) => step.usual).length;
  // One source, such as a script that a person wrote, is shown as it is.
  const start = script.support === 1 ? levels.length - 1 : levels.findLastIndex((/** @type {any} */ level) => level.steps.length <= Math.min(12, Math.max(4, usual)));
  const picture = el("div.picture", { tabindex: 0, role: "region", "aria-label": "Drawing of the script" });
  const cards = el("ol.cards");
  const rest = el("div");
  const said = el("output", { for: "level" });
  const slider = el("input", { type: "range", id: "level", min: 0, max: levels.length - 1, step: 1,
    input: () => show(Number(slider.value)) });
  /** @param {number} number */
  const show = (number) => {
    const level = levels[number];
    const kept = new Set(level.steps.map((/** @type {number[]} */ [step]) => step));
    chosenLevels.set(scenario, number);
    const words = `${count(kept.size, "step")} of ${steps.length} · each in ${level.support || 0} or more sources`;
    said.textContent = words;
    slider.setAttribute("aria-valuetext", words);
    picture.replaceChildren(drawing(script, level, scenario));
    cards.replaceChildren(...steps.flatMap((/** @type {any} */ step, /** @type {number} */ i) =>
      kept.has(i) ? [card(script, scenario, i)] : []));
    const hidden = steps.flatMap((/** @type {any} */ step, /** @type {number} */ i) => kept.has(i) ? [] : [i]);
    rest.replaceChildren(...(hidden.length ? [el("details", {}, el("summary", {}, `${hidden.length} less usual ${hidden.length === 1 ? "step" : "steps"}`),
      el("ul.entries", {}, hidden.map((/** @type {number} */ i) => el("li", {},
        el("a.name", { href: stepAddress(script, scenario, i) }, short(steps[i].label)),
        el("span.numbers", {}, numbersOf(steps[i]))))))] : []));
  };
  const first = chosenLevels.get(scenario) ?? Math.max(0, start);
  slider.value = String(first);
  show(first);
  return el("section", {}, el("h2", {}, "Script"),
    el("div.slider", {}, el("label", { for: "level" }, "How usual"), el("span.end", {}, "most usual"), slider, el("span.end", {}, "all"), said),
    legend(), picture, cards, rest);
}

/**
 * The steps with alternatives, and those that other scenarios have too, as links.
 * @param {any} script
 * @param {number} scenario
 */
function elsewhere(script, scenario) {
  /**
   * @param {string} title
   * @param {"alternatives" | "matches"} group
   */
  const side = (title, group) => {
    const steps = script.steps.flatMap((/** @type {any} */ step, /** @type {number} */ i) => step[group].length ? [i] : []);
    return steps.length > 0 && el("div", {}, el("h3", {}, title), el("ul.entries", {}, steps.map((/** @type {number} */ i) =>
      el("li", {}, el("a.name", { href: stepAddress(script, scenario, i) }, short(script.steps[i].label)),
        script.steps[i][group].map((/** @type {any} */ other) => el("span.other", {}, nameOf(other),
          other.scenario && el("span.where", {}, ` in ${short(other.scenario)}`)))))));
  };
  const sides = [side("One or the other", "alternatives"), side("The same step elsewhere", "matches")].filter(Boolean);
  return section("Alternatives", sides.length > 0 && el("div.columns", {}, sides));
}

function legend() {
  return el("p.legend", {}, el("span.key.essential", {}, "essential"), el("span.key.usual", {}, "usual"),
    el("span.key.optional", {}, "often left out"), el("span.key.tool", {}, "tool (inferred)"),
    el("span.key.participant", {}, "participant"), el("span.key.change", {}, "change (? likely)"));
}

/**
 * A step of the list that narrow screens and paper have instead of the drawing.
 * @param {any} script
 * @param {number} scenario
 * @param {number} number
 */
function card(script, scenario, number) {
  const step = script.steps[number];
  const kind = step.essential ? "essential" : step.optional ? "optional" : "usual";
  const chips = script.boxes[number].chips;
  return el("li.card", { class: kind }, el("a.name", { href: stepAddress(script, scenario, number) }, short(step.label)),
    el("span.numbers", {}, `${kind === "usual" ? "" : `${kind} · `}${numbersOf(step)}`),
    chips.length > 0 && el("ul.chips", {}, chips.map((/** @type {any[]} */ [group, text]) => el("li.chip", { class: group }, text))));
}

/** @param {string[][]} items */
function corrections(items) {
  return items.length > 0 && el("ul.plain", {}, items.map(([label, author, time]) =>
    el("li", {}, legible(label), el("span.numbers", {}, `${legible(author)}, ${legible(time)}`))));
}
