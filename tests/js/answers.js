// What a function of the page answers to the standard input, in JSON; its name is the first word.
import { argv, stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";

import { cornersOf } from "../../explorable/panels/js/corners.js";
import { composed, unpacked } from "../../explorable/panels/js/pack.js";
import { firstEnd } from "../../explorable/panels/js/words.js";

/** As JSON, where a number that is none is null and an array says so. */
const plain = (key, value) => (ArrayBuffer.isView(value) ? { $numbers: [...value] } : value);

const ANSWERS = {
  composed: (stacks) => stacks.map(composed),
  async corners([blob, every]) {
    const at = await cornersOf(blob);
    return every.map((values) => {
      try {
        return at(values);
      } catch (problem) {
        return { error: problem.message };
      }
    });
  },
  first: (texts) => texts.map((each) => each.slice(0, firstEnd(each))),
  async unpacked(books) {
    const trees = books.map(async ([blob, states]) => {
      const at = await unpacked(blob);
      return Array.from({ length: states }, (_, state) => at(state));
    });
    return Promise.all(trees);
  },
};
stdout.write(JSON.stringify(await ANSWERS[argv[2]](JSON.parse(await text(stdin))), plain));
