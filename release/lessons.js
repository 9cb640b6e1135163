// Counterexamples of a lesson, to be moved by the reader. Loads nothing, sends nothing.
"use strict";
(() => {
  const HOLDS = {
    "<=": (a, b) => a <= b, "<": (a, b) => a < b, ">=": (a, b) => a >= b, ">": (a, b) => a > b,
    "==": (a, b) => a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b)),
    "!=": (a, b) => Math.abs(a - b) > 1e-12 * Math.max(Math.abs(a), Math.abs(b)),
  };

  // The complementary error function: Taylor series near 0, continued fraction beyond.
  function erfc(x) {
    if (x < 0) return 2 - erfc(-x);
    if (x < 2.5) {
      let term = x, sum = x;
      for (let n = 1; n < 200 && Math.abs(term) > 1e-18 * sum; n++) {
        term *= -x * x / n;
        sum += term / (2 * n + 1);
      }
      return 1 - 2 / Math.sqrt(Math.PI) * sum;
    }
    let fraction = 0;
    for (let n = 60; n > 0; n--) fraction = n / 2 / (x + fraction);
    return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
  }

  function element(name, text, parent) {
    const made = document.createElement(name);
    made.textContent = text;
    parent.append(made);
    return made;
  }

  const shown = (number) => Number.isInteger(number) ? String(number) : number.toPrecision(6);

  function relation(place, what) {
    const names = what.parameters.map((each) => each.name);
    const formula = (text) => new Function("erfc", ...names, `return ${text};`);
    const [left, right] = [formula(what.left), formula(what.right)];
    const values = what.parameters.map((each) => each.value);
    const verdict = document.createElement("p");
    verdict.setAttribute("role", "status");
    const update = () => {
      const [a, b] = [left(erfc, ...values), right(erfc, ...values)];
      const good = HOLDS[what.sign](a, b);
      verdict.textContent =
        `left ${shown(a)}, right ${shown(b)}: ${good ? "holds here" : "does not hold here"}`;
      verdict.className = good ? "holds" : "fails";
    };
    what.parameters.forEach((each, i) => {
      const end = (text, otherwise) =>
        text === undefined ? otherwise : formula(text)(erfc, ...values);
      const least = end(each.lower, 0);
      const most = end(each.upper, Math.max(4 * each.value, least + 1));
      const label = element("label", `${each.name} = `, place);
      const output = element("output", shown(each.value), label);
      const slider = document.createElement("input");
      Object.assign(slider, { type: "range", min: least, max: most });
      slider.step = each.integer ? 1 : "any";
      slider.value = each.value;
      slider.addEventListener("input", () => {
        const moved = Number(slider.value);
        // An open end of the domain does not belong to it.
        const gap = (most - least) / 1000;
        values[i] = each.integer ? moved : Math.min(Math.max(moved, least + gap), most - gap);
        output.textContent = shown(values[i]);
        update();
      });
      label.append(slider);
    });
    const back = element("button", "Back to the counterexample", place);
    back.type = "button";
    back.addEventListener("click", () => {
      what.parameters.forEach((each, i) => {
        values[i] = each.value;
        place.querySelectorAll("output")[i].textContent = shown(each.value);
        place.querySelectorAll("input")[i].value = each.value;
      });
      update();
    });
    place.append(verdict);
    update();
  }

  const read = (text) => {
    const [above, below = "1"] = text.trim().split("/");
    return Number(above) / Number(below);
  };

  // What delta two distributions need: for sets of outputs, and for single outputs.
  function laws(place, what) {
    const table = element("table", "", place);
    const inputs = [];
    const row = (name, texts) => {
      const line = element("tr", "", table);
      element("th", name, line);
      return texts.map((text) => {
        const cell = document.createElement("input");
        cell.value = text;
        cell.size = 6;
        cell.setAttribute("aria-label", name);
        element("td", "", line).append(cell);
        inputs.push(cell);
        return cell;
      });
    };
    const [level] = row("e^eps", [what.level]);
    const rows = what.rows.map((each) => row(each.name, each.chances));
    const verdict = element("p", "", place);
    verdict.setAttribute("role", "status");
    const update = () => {
      const ratio = read(level.value);
      const chances = rows.map((cells) => cells.map((cell) => read(cell.value)));
      if (![ratio, ...chances.flat()].every(Number.isFinite)) {
        verdict.textContent = "Every cell must be a number or a fraction such as 1/3.";
        return;
      }
      const sums = chances.map((each) => each.reduce((a, b) => a + b, 0));
      if (sums.some((sum) => Math.abs(sum - 1) > 1e-9)) {
        verdict.textContent = "The probabilities of a row must add up to 1.";
        return;
      }
      const pairs = chances.flatMap((p, i) =>
        chances.filter((_, j) => j !== i).map((q) => p.map((a, y) => Math.max(a - ratio * q[y], 0))));
      const sets = Math.max(...pairs.map((each) => each.reduce((a, b) => a + b, 0)));
      const outputs = Math.max(...pairs.map((each) => Math.max(...each)));
      verdict.textContent = `between any two rows: delta for single outputs ${shown(outputs)}, ` +
        `for sets of outputs ${shown(sets)}`;
    };
    inputs.forEach((each) => each.addEventListener("input", update));
    update();
  }

  for (const place of document.querySelectorAll(".lesson")) {
    if (place.childElementCount) continue;
    if (place.dataset.relation) relation(place, JSON.parse(place.dataset.relation));
    if (place.dataset.laws) laws(place, JSON.parse(place.dataset.laws));
  }
})();
