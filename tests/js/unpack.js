// Unpacks what stands on the standard input, as the page does: blobs, and the states of each.
import { stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";

import { unpacked } from "../../explorable/panels/js/pack.js";

/** As JSON, where a number that is none is null and an array says so. */
const plain = (key, value) => (ArrayBuffer.isView(value) ? { $numbers: [...value] } : value);

const trees = [];
for (const [blob, states] of JSON.parse(await text(stdin))) {
  const at = await unpacked(blob);
  trees.push(Array.from({ length: states }, (_, state) => at(state)));
}
stdout.write(JSON.stringify(trees, plain));
