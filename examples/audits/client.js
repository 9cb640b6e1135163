// k-ary randomized response over 0..4 at eps = 1, one value per line. With the argument "leaky" it
// has a bug that JavaScript invites: Math.round gives the first and the last value half the share
// of the others, and a lie may be the truth.
"use strict";
const readline = require("readline");
const k = 5;
const truth = Math.E / (Math.E + k - 1);
const leaky = process.argv[2] === "leaky";

function report(value) {
  if (Math.random() < truth) return value;
  if (leaky) return Math.round(Math.random() * (k - 1));
  const other = Math.floor(Math.random() * (k - 1));
  return other < value ? other : other + 1;
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  process.stdout.write(report(JSON.parse(line)) + "\n");
});
