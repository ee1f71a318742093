// Correcting by click: buttons and forms of steps, scenarios and things, each of which makes one correction.

const ROLES = ["instrument", "container", "appliance", "support"];
const MOST_SUGGESTED = 1000;

/** Whether the views have buttons and forms to correct them. */
let correcting = false;
/** The buttons of the view with what they record. @type {Map<any, Correction>} */
const fixes = new Map();

/** The button that shows the other ones. */
function correctButton() {
  return el("button.correct", { type: "button", id: "correct", "aria-pressed": String(correcting), click: () => {
    correcting = !correcting;
    route(false);
    showCorrections();
    document.getElementById("correct")?.focus();
  } }, "Correct…");
}

/**
 * A button that records a correction; pressed again, it takes it back.
 * @param {string} words
 * @param {string} about what it corrects, for those who hear it
 * @param {Correction} correction
 */
function fix(words, about, correction) {
  const button = el("button.fix", { type: "button", "aria-label": `${words}: ${short(about)}`,
    "aria-pressed": String(Boolean(itemOf(correction))), click: async () => {
      const item = itemOf(correction);
      await (item ? undo(item) : record(correction));
    } }, words);
  fixes.set(button, correction);
  return button;
}

/**
 * A form that records a correction.
 * @param {string} title
 * @param {Node[]} controls
 * @param {() => Correction} make
 */
function correctionForm(title, controls, make) {
  return el("form.correction", { "aria-label": title, submit: async (/** @type {any} */ event) => {
    event.preventDefault();
    if (await record(make())) event.target.reset();
  } }, el("span", { "aria-hidden": "true" }, title), controls, el("button", { "aria-label": `Record: ${title}` }, "Record"));
}

/**
 * @param {string} name
 * @param {[string, string][]} options values and what is shown
 * @param {string} [chosen] the value at first; without one, a choice has to be made
 */
function choice(name, options, chosen) {
  const first = chosen === undefined && el("option", { value: "" }, "choose…");
  return el("select", { "aria-label": name, required: true }, first,
    options.map(([value, words]) => el("option", { value, selected: value === chosen }, short(words))));
}

/**
 * A field for words, with names of the graph that are suggested.
 * @param {string} name
 * @param {string} example
 * @param {...("tools" | "entities")} kinds
 */
function wordsField(name, example, ...kinds) {
  const list = kinds.join("-");
  const names = new Set(kinds.flatMap((kind) => index[kind].label.slice(0, MOST_SUGGESTED)));
  return [el("input", { "aria-label": name, placeholder: example, required: true, maxlength: MOST_OF_A_FIELD, list: list || null, autocomplete: "off" }),
    names.size > 0 && el("datalist", { id: list }, [...names].map((value) => el("option", { value })))].filter(Boolean);
}

/** What is typed, without articles, as labels have none. @param {any} field */
function typedIn(field) {
  return plainWords(field.value).replace(/\b(?:the|an?|my|your|his|her|our|their|some) /g, "");
}

/** How many steps of a script have an action with these words. @type {WeakMap<any, Map<string, number>>} */
const owners = new WeakMap();

/** The label of the action of a wording. @param {any[]} wording */
function labelOfWording([text, , , label = text]) {
  return plainWords(label);
}

/**
 * The words by which corrections name a step: the most frequent of its actions that no other step has; "" without one.
 * @param {any} script
 * @param {any} step
 */
function wordsOf(script, step) {
  let counts = owners.get(script);
  if (!counts) {
    counts = new Map();
    for (const each of script.steps) {
      for (const words of new Set(each.wordings.map(labelOfWording))) counts.set(words, (counts.get(words) ?? 0) + 1);
    }
    owners.set(script, counts);
  }
  return step.wordings.map(labelOfWording).find((/** @type {string} */ words) => counts.get(words) === 1) ?? "";
}

/**
 * The buttons and forms of a step.
 * @param {any} script
 * @param {number} place the step in its script
 */
function stepCorrections(script, place) {
  if (!correcting) return [correctButton()];
  const step = wordsOf(script, script.steps[place]);
  if (!step) return [correctButton(), el("p.notice", {}, "Other steps have the same words, so that no correction can name this one.")];
  const at = { scenario: script.label, step };
  /** @type {[string, string][]} */
  const others = script.steps.flatMap((/** @type {any} */ each, /** @type {number} */ i) => {
    const words = i === place ? "" : wordsOf(script, each);
    return words ? [[words, each.label]] : [];
  });
  const [name] = wordsField("New name", "such as: drain the pasta");
  const same = choice("Other step", others), other = choice("Other step", others);
  const side = choice("Before or after", [["before", "before"], ["after", "after"]], "before");
  const tool = wordsField("Tool", "such as: colander", "tools"), role = choice("Role", ROLES.map((each) => [each, each]), ROLES[0]);
  return [correctButton(), el("div.corrections", {},
    fix("No step of this scenario", script.steps[place].label, { kind: "reject", ...at }),
    correctionForm("It is called", [name], () => ({ kind: "rename", ...at, name: name.value.trim() })),
    others.length > 0 && correctionForm("It is the same step as", [same], () => ({ kind: "same step", ...at, other: same.value })),
    others.length > 0 && correctionForm("It comes", [side, other], () => {
      const [first, second] = side.value === "before" ? [step, other.value] : [other.value, step];
      return { kind: "add", scenario: script.label, step: first, relation: "PRECEDES", other: second };
    }),
    correctionForm("It needs the tool", [...tool, role], () => (
      { kind: "add", ...at, relation: "USES", other: typedIn(tool[0]), role: role.value })))];
}

/**
 * The button that says that a part of a step is wrong.
 * @param {any} script
 * @param {any} step
 * @param {string} relation
 * @param {any} part
 */
function wrongPart(script, step, relation, part) {
  const words = correcting && wordsOf(script, step);
  return words && fix("Wrong", part.label, { kind: "reject", scenario: script.label, step: words, relation, other: plainWords(part.label) });
}

/**
 * What corrects a tool of a step.
 * @param {any} script
 * @param {any} step
 * @param {any} tool
 */
function toolCorrections(script, step, tool) {
  const words = correcting && wordsOf(script, step);
  if (!words) return null;
  const role = choice("Role", ROLES.map((each) => [each, each]), tool.role);
  return el("span.fixes", {}, wrongPart(script, step, "USES", tool),
    correctionForm(`Role of ${short(tool.label)} here`, [role], () => (
      { kind: "tool role", scenario: script.label, step: words, thing: plainWords(tool.label), role: role.value })));
}

/**
 * The button that says that a wording is another step.
 * @param {any} script
 * @param {any} step
 * @param {any[]} wording
 */
function wordingCorrection(script, step, wording) {
  const words = correcting && wordsOf(script, step), other = labelOfWording(wording);
  return words && other !== words && fix("Another step", wording[0], { kind: "different step", scenario: script.label, step: words, other });
}

/**
 * The button that says that an order is wrong.
 * @param {any} script
 * @param {number[]} pair
 */
function orderCorrection(script, [before, after]) {
  const [step, other] = [before, after].map((each) => correcting && wordsOf(script, script.steps[each]));
  return step && other && fix("Wrong", `${script.steps[before].label} before ${script.steps[after].label}`,
    { kind: "reject", scenario: script.label, step, relation: "PRECEDES", other });
}

/**
 * The forms of a scenario.
 * @param {any} script
 */
function scenarioCorrections(script) {
  if (!correcting) return [correctButton()];
  const { label: scenario } = script;
  const [step] = wordsField("Step", "such as: warm plate");
  const need = wordsField("Need", "such as: timer", "tools", "entities");
  /** @type {[string, string][]} */
  const kinds = [["", "supply"], ...ROLES.map((each) => /** @type {[string, string]} */ ([each, `tool: ${each}`]))];
  const role = choice("Kind of need", kinds, "");
  role.required = false;
  return [correctButton(), el("div.corrections", {},
    correctionForm("Add the step", [step], () => {
      const words = typedIn(step);
      const wordings = script.steps.flatMap((/** @type {any} */ each) => each.wordings);
      const known = wordings.find((/** @type {any[]} */ each) => plainWords(each[0]) === plainWords(step.value));
      return { kind: "add", scenario, step: known ? labelOfWording(known) : words };
    }),
    correctionForm("One needs", [...need, role], () => (
      { kind: "add", scenario, relation: "NEEDS", other: typedIn(need[0]), ...(role.value && { role: role.value }) })))];
}

/** The button that says that a need is none. @param {any} script @param {any} need */
function needCorrection(script, need) {
  return correcting && fix("Not needed", need.label, { kind: "reject", scenario: script.label, relation: "NEEDS", other: plainWords(need.label) });
}

/**
 * The forms of a tool or an entity.
 * @param {"tools" | "entities"} kind
 * @param {string} label
 * @param {boolean} isUsed whether a step uses it as a tool
 */
function thingCorrections(kind, label, isUsed) {
  if (!correcting) return [correctButton()];
  const other = plainWords(label);
  const name = wordsField("Name", `such as: ${short(index[kind].label[0])}`, kind), role = choice("Role", ROLES.map((each) => [each, each]));
  return [correctButton(), el("div.corrections", {},
    correctionForm("It is the same thing as, and called", name, () => ({ kind: "same thing", thing: typedIn(name[0]), other })),
    isUsed && correctionForm("Its role is", [role], () => ({ kind: "tool role", thing: other, role: role.value })))];
}
