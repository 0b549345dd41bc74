/** Holds the list behind `docs/coverage.md` against the texts of a description: `npm run described -- <folder>`. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { described, namesOf } from './described/kinds.ts';
import { readTexts } from './described/read-texts.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  for (const [kind, one] of Object.entries(described))
    process.stdout.write(`${kind}: ${namesOf(one).length} names, ${one.left.length} left out\n`);
  process.exit(0);
}
const files = (await readdir(folder)).filter((name) => /\.(txt|md)$/.test(name));
const names = readTexts(await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8'))));
let missing = 0;
for (const [kind, found] of Object.entries(names)) {
  const listed = new Set(namesOf(described[kind as keyof typeof names]));
  // The short form `list/get_thing` leaves a plural out.
  for (const name of found.filter((one: string) => !listed.has(one) && !listed.has(`${one}s`))) {
    missing += 1;
    process.stdout.write(`${kind}: ${name} is not in the list\n`);
  }
}
process.stdout.write(
  `${files.length} texts, ${Object.values(names).flat().length} names, ${missing} not in the list\n`,
);
process.exit(missing === 0 ? 0 : 1);
