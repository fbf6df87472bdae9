// Answers the values on the standard input from a packed table, as the page does.
import { stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";

import { cornersOf } from "../../explorable/panels/js/corners.js";

const [blob, every] = JSON.parse(await text(stdin));
const at = await cornersOf(blob);
const found = every.map((/** @type {any} */ values) => {
  try {
    return at(values);
  } catch (problem) {
    return { error: problem.message };
  }
});
stdout.write(JSON.stringify(found));
