// The view of a tool or an entity: in which steps of which scenarios it occurs, and what happens to it.

/**
 * @param {HTMLElement} main
 * @param {"tools" | "entities"} kind
 * @param {number} number
 */
function showThing(main, kind, number) {
  const label = index[kind].label[number];
  const other = kind === "tools" ? "entities" : "tools";
  const also = index[other].label.indexOf(label);
  const relation = index[kind === "tools" ? "uses" : "takes_part"];
  const uses = rowsOf(relation.thing, number);
  const changes = rowsOf(index.changes[kind === "tools" ? "tool" : "thing"], number);
  const scenarios = new Set(uses.map((row) => index.steps.scenario[relation.step[row]]).filter((each) => each >= 0));
  fill(main, [], {}, [
    el("p.crumbs", {}, kind === "tools" ? "Tool" : "Entity"), el("h1", {}, short(label)),
    el("p.lead", {}, `${count(index[kind].support[number], "source")} · ${count(uses.length, "step")} of ${count(scenarios.size, "scenario")}`,
      also >= 0 && [" · also ", kind === "tools" ? "a participant: " : "a tool: "], also >= 0 && linkTo(other, also)),
    ...thingCorrections(kind, label, kind === "tools" && uses.length > 0),
    section(kind === "tools" ? "Used in" : "Takes part in", byScenario(uses, relation.step, (row) => [
      relation.role[row], relation.inferred?.[row] && "inferred", relation.predicted?.[row] && "predicted",
      numbersOf({ support: relation.support[row], share: relation.share[row] })])),
    section("What happens to it, in order", byScenario(changes, index.changes.step, (row) => [
      index.changes.level[row], numbersOf({ support: index.changes.support[row], share: index.changes.share[row] })],
    (row) => el("span.change", {}, `${short(index.changes.attribute[row])}: `,
      el("span.before", {}, `${index.changes.before[row] ? short(index.changes.before[row]) : "…"} → `),
      el("span.after", {}, short(index.changes.after[row]))))),
    !uses.length && !changes.length && el("p.empty", {}, "No step of the index has it."),
  ]);
}

/**
 * @param {number[]} column
 * @param {number} number
 */
function rowsOf(column, number) {
  /** @type {number[]} */
  const rows = [];
  column.forEach((each, row) => { if (each === number) rows.push(row); });
  return rows;
}

/**
 * Rows of relations by the scenarios of their steps, which are in order.
 * @param {number[]} rows
 * @param {number[]} steps
 * @param {(row: number) => (string | false | 0 | undefined)[]} details
 * @param {(row: number) => Node} [extra]
 */
function byScenario(rows, steps, details, extra) {
  /** @type {Map<number, number[]>} */
  const groups = new Map();
  for (const row of rows) {
    const scenario = index.steps.scenario[steps[row]];
    groups.set(scenario, [...(groups.get(scenario) ?? []), row]);
  }
  return [...groups].map(([scenario, each]) => el("div.group", {},
    el("h3", {}, scenario >= 0 ? linkTo("scenarios", scenario) : "Without a scenario"),
    el("ul.entries", {}, each.map((row) => el("li", {}, linkTo("steps", steps[row]), extra?.(row),
      el("span.numbers", {}, details(row).filter(Boolean).join(" · ")))))));
}
