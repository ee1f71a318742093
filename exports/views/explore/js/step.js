// The view of a step: all that is known of it, with the passages behind it, and commands to copy.

/**
 * @param {HTMLElement} main
 * @param {number} scenario
 * @param {number} number the step in the index
 */
function showStepOfIndex(main, scenario, number) {
  const script = scenario < 0 ? null : scriptOf(scenario);
  const place = script ? script.steps.findIndex((/** @type {any} */ step) => step.number === number) : -1;
  if (place >= 0) {
    showStep(main, scenario, script, place);
    return;
  }
  const { label, others, support } = index.steps;
  const wordings = others[number] ? others[number].split("; ").map(short) : [];
  fill(main, [], {}, [
    crumbs(scenario), el("h1", {}, short(label[number])), el("p.lead", {}, count(support[number], "source")),
    scenario >= 0 ? notHere(scenario) : el("div.notice", {},
      el("p", {}, "No text names the scenario of this step. This command finds steps like it:"),
      copied(`kgscripts search ${quoted(graph.name)} ${quoted(label[number])}`)),
    section("Other wordings", wordings.length > 0 && el("ul.plain", {}, wordings.map((/** @type {string} */ words) => el("li", {}, words)))),
    section("Tools", linked("uses", "tools", number)), section("Participants", linked("takes_part", "entities", number)),
    section("Changes", linkedChanges(number)),
  ]);
}

/**
 * The tools or participants of a step by the index.
 * @param {"uses" | "takes_part"} relation
 * @param {Kind} kind
 * @param {number} step
 */
function linked(relation, kind, step) {
  const { step: steps, thing, support, share } = index[relation];
  const rows = rowsOf(steps, step);
  return rows.length > 0 && el("ul.entries", {}, rows.map((row) => el("li", {},
    linkTo(kind, thing[row]), el("span.numbers", {}, numbersOf({ support: support[row], share: share[row] })))));
}

/**
 * The changes of a step by the index.
 * @param {number} step
 */
function linkedChanges(step) {
  const { attribute, before, after, level, support, share, thing, tool } = index.changes;
  const rows = rowsOf(index.changes.step, step);
  return rows.length > 0 && el("ul.entries", {}, rows.map((row) => el("li", {}, change({ attribute: attribute[row],
    before: before[row], after: after[row],
    entity: thing[row] >= 0 ? index.entities.label[thing[row]] : index.tools.label[tool[row]] }),
  el("span.numbers", {}, `${level[row]} · ${numbersOf({ support: support[row], share: share[row] })}`))));
}

/** @param {number} scenario */
function crumbs(scenario) {
  return scenario >= 0 && el("p.crumbs", {}, linkTo("scenarios", scenario));
}

/**
 * @param {HTMLElement} main
 * @param {number} scenario
 * @param {any} script
 * @param {number} place the step in its script
 */
function showStep(main, scenario, script, place) {
  const step = script.steps[place];
  const kind = [step.essential && "essential", step.optional && "often left out", !step.usual && "unusual"].filter(Boolean);
  const typical = step.typicality === null ? [] : [`typicality ${percent(step.typicality)}`];
  const when = [...step.conditions, ...step.variants.map((/** @type {string} */ name) => `in the variant ${name}`)];
  fill(main, [], {}, [
    crumbs(scenario), el("h1", {}, short(step.label)),
    when.length > 0 && el("p", {}, `Only ${when.map(short).join("; ")}.`),
    step.parts.length > 0 && el("p", {}, `Consists of: ${step.parts.map(short).join(", ")}.`),
    el("p.lead", {}, [numbersOf(step), ...kind, ...typical, step.durations.length && `takes ${step.durations.map(short).join(", ")}`]
      .filter(Boolean).join(" · ")),
    neighbours(script, scenario, place), ...stepCorrections(script, place),
    section("Passages", passages(script, step.passages), step.support > step.passages.length && step.passages.length > 0 &&
      el("p.status", {}, `Short ones first; ${count(step.support, "source")} in all have it.`)),
    section("Wordings", step.wordings.length > 0 && el("table", {}, el("tbody", {}, step.wordings.map(
      (/** @type {[string, number, number, string?]} */ wording) => {
        const [words, support, share] = wording;
        return el("tr", {}, el("th", { scope: "row" }, short(words)),
          el("td.bar", {}, el("meter", { min: 0, max: 1, value: share, "aria-label": percent(share) })),
          el("td.numbers", {}, `${percent(share)} of mentions, ${count(support, "source")}`),
          correcting && el("td.action", {}, wordingCorrection(script, step, wording)));
      })))),
    parts(script, "Tools", step.tools, (tool) => [tool.role, tool.inferred && "inferred from a step before", tool.predicted && "predicted by a model"],
      nameOf, (tool) => toolCorrections(script, step, tool)),
    parts(script, "Participants", step.participants, (thing) => [thing.role],
      nameOf, (thing) => wrongPart(script, step, "HAS_PARTICIPANT", thing)),
    parts(script, "Changes", step.changes, (change) => [change.level],
      change, (each) => wrongPart(script, step, "CHANGES", each)),
    order(script, scenario, place),
    parts(script, "Done by", step.decomposes_into, () => []),
    parts(script, "Alternatives", step.alternatives, () => []),
    parts(script, "The same step elsewhere", step.matches, (match) => [short(match.scenario), `similarity ${match.similarity}`]),
    ...Object.entries(step.further).map(([name, each]) => parts(script, short(name), each, () => [])),
    readers(step), section("Corrections", corrections(step.corrections)), copies(stepQueries(script, step)),
  ]);
}

/**
 * Links to the steps before and after it in the reading order.
 * @param {any} script
 * @param {number} scenario
 * @param {number} place
 */
function neighbours(script, scenario, place) {
  /**
   * @param {number} other
   * @param {string} words
   */
  const link = (other, words) => script.steps[other] && el("a", { href: stepAddress(script, scenario, other) }, `${words}: ${short(script.steps[other].label)}`);
  return el("nav.neighbours", { "aria-label": "Steps beside it" }, link(place - 1, "Before"), link(place + 1, "After"));
}

/** @param {any} change */
function change(change) {
  const entity = index.entities.label.indexOf(change.entity);
  return el("span.change", {}, `${short(change.attribute)} of `,
    entity >= 0 ? linkTo("entities", entity) : el("span.name", {}, short(change.entity)), ": ",
    change.before ? [el("span.before", {}, short(change.before)), " → "] : el("span.before", {}, "… → "),
    el("span.after", {}, short(change.after)));
}

/**
 * What belongs to a step; the passages of each are folded.
 * @param {any} script
 * @param {string} title
 * @param {any[]} each
 * @param {(part: any) => (string | false)[]} details
 * @param {(part: any) => Node} name
 * @param {(part: any) => Child} corrected the buttons that correct it
 */
function parts(script, title, each, details, name = nameOf, corrected = () => null) {
  return section(title, each.length > 0 && el("ul.parts", {}, each.map((part) => {
    const words = [...details(part).filter(Boolean), numbersOf(part)].join(" · ");
    const line = [name(part), el("span.numbers", {}, words), corrected(part)];
    return el("li", {}, el("div.line", {}, line), part.passages.length > 0 && el("details", {},
      el("summary", {}, count(part.passages.length, "passage")), passages(script, part.passages)));
  })));
}

/**
 * Passages with the words of the mention marked, each in the text around it, with its source and position.
 * @param {any} script
 * @param {[number, number, number][]} references
 */
function passages(script, references) {
  return references.length > 0 && el("ul.passages", {}, references.map(([number, from, to]) => {
    const [text, source, start, end] = script.passages[number];
    const characters = Array.from(text);
    /**
     * @param {number} a
     * @param {number} [b]
     */
    const piece = (a, b) => legible(characters.slice(a, b).join(""));
    const [before, after] = contextOf(script, number).map((around) => around && el("span.context", {}, legible(around)));
    return el("li", {}, el("blockquote", { dir: "auto" }, before, piece(0, from), el("mark", {}, piece(from, to)), piece(to), after),
      el("cite", {}, short(script.sources[source]), el("span.numbers", {}, `characters ${start} to ${end}`)));
  }));
}

/**
 * What comes before and after it, with probabilities.
 * @param {any} script
 * @param {number} scenario
 * @param {number} place
 */
function order(script, scenario, place) {
  /**
   * @param {string} title
   * @param {number} own
   */
  const side = (title, own) => {
    const rows = script.order.filter((/** @type {number[]} */ row) => row[own] === place);
    return rows.length > 0 && el("div", {}, el("h3", {}, title), el("ul.entries", {}, rows.map((/** @type {number[]} */ row) =>
      el("li", {}, el("a.name", { href: stepAddress(script, scenario, row[1 - own]) }, short(script.steps[row[1 - own]].label)),
        el("span.numbers", {}, `${numbersOf({ support: row[2], share: row[3] })}, at least ${percent(row[4])}${row[5] ? ", required" : ""}`),
        orderCorrection(script, row)))));
  };
  const sides = [side("It comes after", 1), side("It comes before", 0)].filter(Boolean);
  return section("Order", sides.length > 0 && el("div.columns", {}, sides));
}

/** @param {any} step */
function readers(step) {
  return section("Read by", step.readers.length > 0 && el("ul.parts", {}, step.readers.map((/** @type {[number, number]} */ [number, score]) => {
    const model = graph.models[number];
    return el("li", {}, el("div.line", {}, el("span.name", {}, short(model.name)),
      el("span.numbers", {}, `version ${short(model.version)} · ${short(model.task)} · confidence ${score}`)),
    model.scores.length > 0 && el("details", {}, el("summary", {}, count(model.scores.length, "score")),
      el("table", {}, el("thead", {}, el("tr", {}, ["Metric", "Data", "Value", "Exposure"].map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, model.scores.map((/** @type {any} */ each) => el("tr", {}, el("td", {}, short(each.metric)),
          el("td", {}, short(`${each.dataset}, ${each.split}`)), el("td.numbers", {}, String(each.value)), el("td", {}, short(each.exposure))))))));
  })));
}
