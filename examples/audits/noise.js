// Clients built on random numbers of npm packages: values 0..7, a claim of eps = 1.
// node noise.js FOLDER NAME, where FOLDER holds node_modules.
"use strict";
const { createRequire } = require("module");
const path = require("path");
const { pathToFileURL } = require("url");

const [folder, name] = process.argv.slice(2);
const load = createRequire(path.join(path.resolve(folder), "package.json"));
const K = 8, SCALE = K - 1;

async function client() {
  if (name === "stdlib") {
    const laplace = load("@stdlib/random-base-laplace");
    return (value) => value + laplace(0, SCALE);
  }
  if (name === "jstat") {
    const { jStat } = load("jstat");
    return (value) => value + jStat.laplace.sample(0, SCALE);
  }
  const module = path.join(path.resolve(folder), "node_modules", "d3-random", "dist", "d3-random.mjs");
  const d3 = await import(pathToFileURL(module));
  const keep = d3.randomBernoulli(Math.E / (Math.E + K - 1));
  const other = d3.randomInt(1, K);
  return (value) => (keep() ? value : (value + other()) % K);
}

client().then((report) => {
  require("readline")
    .createInterface({ input: process.stdin })
    .on("line", (line) => console.log(JSON.stringify(report(JSON.parse(line)))));
});
