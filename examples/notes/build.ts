/** Builds the page as a site: the files of `page/`, with the types taken out of the scripts, into `dist/`. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';

const from = new URL('page/', import.meta.url);
const to = new URL('dist/', import.meta.url);

/** Names of scripts as browsers load them. */
const asScript = (text: string) => text.replaceAll(/(['"])([^'"]+)\.ts\1/g, '$1$2.js$1');

await rm(to, { recursive: true, force: true });
await mkdir(to);
for (const name of await readdir(from)) {
  if (name.endsWith('.ts')) {
    const text = await readFile(new URL(name, from), 'utf8');
    await writeFile(new URL(name.replace(/\.ts$/, '.js'), to), asScript(stripTypeScriptTypes(text)));
  } else if (name.endsWith('.html')) {
    await writeFile(new URL(name, to), asScript(await readFile(new URL(name, from), 'utf8')));
  } else if (name.endsWith('.css')) await cp(new URL(name, from), new URL(name, to));
}
