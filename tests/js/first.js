// Writes the first sentence of each text on the standard input, as the page folds the rest.
import { stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";

import { firstEnd } from "../../explorable/panels/js/words.js";

const texts = JSON.parse(await text(stdin));
stdout.write(JSON.stringify(texts.map((each) => each.slice(0, firstEnd(each)))));
