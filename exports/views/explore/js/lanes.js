// The drawing of a script: boxes of steps with chips, and arrows, at the places that the layout computed.

const BOX_WIDTH = 232;

/**
 * @param {any} script
 * @param {any} level the drawing of it that is shown
 * @param {number} scenario
 */
function drawing(script, level, scenario) {
  const [width, height] = [level.width + 16, level.height + 16];
  return svg("svg.lanes", {
    viewBox: `-8 -8 ${width} ${height}`, width, height, role: "group", "aria-label": `Steps of ${short(script.label)}`,
  },
  svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8,
    markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z" }))),
  svg("g", {}, level.arrows.map((/** @type {any} */ arrow) => svg("path.arrow", {
    d: path(arrow.way), class: arrow.required ? "required" : null, "marker-end": "url(#tip)",
  }, svg("title", {}, arrowTip(script, arrow))))),
  level.steps.map((/** @type {number[]} */ [number, x, y]) => box(script, scenario, number, x, y)));
}

/**
 * Straight from the first point to the second, a curve to the third, and so on.
 * @param {number[]} way
 */
function path(way) {
  let line = `M${way[0]} ${way[1]}`;
  for (let i = 2, curved = false; i < way.length; i += 2, curved = !curved) {
    const [x0, y0, x, y] = way.slice(i - 2, i + 2);
    line += curved ? `C${x0} ${(y0 + y) / 2} ${x} ${(y0 + y) / 2} ${x} ${y}` : `L${x} ${y}`;
  }
  return line;
}

/**
 * @param {any} script
 * @param {any} arrow
 */
function arrowTip(script, arrow) {
  const [before, after] = arrow.ends.map((/** @type {number} */ step) => short(script.steps[step].label));
  const share = arrow.share === null ? "follows from others" : percent(arrow.share);
  return `${before} → ${after}: ${share}${arrow.required ? ", required" : ""}`;
}

/**
 * @param {any} script
 * @param {number} scenario
 * @param {number} number
 * @param {number} x
 * @param {number} y
 */
function box(script, scenario, number, x, y) {
  const step = script.steps[number];
  const { height, lines, chips } = script.boxes[number];
  const kind = step.essential ? "essential" : step.optional ? "optional" : "usual";
  const note = `${kind === "essential" ? "essential · " : ""}${numbersOf(step)}`;
  return svg(`a.box.${kind}`, {
    href: stepAddress(script, scenario, number), transform: `translate(${x} ${y})`,
  },
  svg("rect", { width: BOX_WIDTH, height, rx: 10 }),
  // Spaces between the words for those who hear them.
  lines.map((/** @type {string} */ line, /** @type {number} */ i) =>
    [svg("text.title", { x: 14, y: 28 + i * 19 }, line), " "]).flat(),
  !step.optional && svg("text.note", { x: 14, y: 27 + lines.length * 19 }, note), " ",
  chips.map((/** @type {any[]} */ [group, text, cx, cy, wide]) => svg(`g.chip.${group}`, {},
    svg("rect", { x: cx, y: cy, width: wide, height: 20, rx: group === "change" ? 4 : 10 }),
    svg("text", { x: cx + wide / 2, y: cy + 14 }, text), " ")));
}

/**
 * The address of a step of a script on this page, also of one that the index leaves out.
 * @param {any} script
 * @param {number} scenario
 * @param {number} number
 */
function stepAddress(script, scenario, number) {
  const place = script.steps[number].number;
  if (place >= 0) return addressOf("steps", place);
  return `#${new URLSearchParams({ scenario: addressesOf("scenarios").names[scenario], step: `${number + 1}` })}`;
}
