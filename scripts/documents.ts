import { globSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const begin = 'README.md';
const link = /\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]*))?\)/g;
const script = /\bnpm run ([a-z][a-z:-]*)/g;

/** Pages for maintainers are read at one sitting. */
const wordsMax = 900;
const forMaintainers = /^docs[\\/]architecture\b/;
/** A file or folder of the project, as a page names it. */
const named =
  /`((?:agents|bench|clients|core|db|docs|engines|kernel|resolvers|rest-compat|schema|scripts|server|subscriptions|test)\/[\w./-]+)`/g;

/** Anchors of the headings of a page, as GitHub makes them. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );

/**
 * @returns what is wrong in the project's pages, a line each: links without a target, unknown scripts, pages that no way leads
 *   to, and of those for maintainers such as are long or name files that are not there
 */
export async function documentFaults(): Promise<string[]> {
  const places = ['*.md', 'docs/**/*.md', 'clients/*/*.md', 'examples/**/*.md', 'bench/*.md'];
  const paths = globSync(places, { cwd: root, exclude: (name) => name === 'node_modules' });
  const texts = new Map<string, string>();
  for (const path of paths) texts.set(normalize(path), await readFile(join(root, path), 'utf8'));
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: object };

  const faults: string[] = [];
  const leadsTo = new Map<string, string[]>();
  for (const [path, text] of texts) {
    const targets: string[] = [];
    for (const [, to, anchor] of text.matchAll(link)) {
      const target = to === '' ? path : relative(root, join(root, dirname(path), to!));
      const found = await stat(join(root, target)).catch(() => undefined);
      if (found === undefined) faults.push(`${path}: ${to} is not there`);
      const page = texts.get(target);
      if (anchor !== undefined && page !== undefined && !anchorsOf(page).includes(anchor))
        faults.push(`${path}: ${target} has no heading #${anchor}`);
      targets.push(target);
    }
    leadsTo.set(path, targets);
    for (const [, name] of text.matchAll(script))
      if (!(name! in scripts)) faults.push(`${path}: there is no script ${name}`);
    if (!forMaintainers.test(path)) continue;
    const words = text.split(/\s+/).length;
    if (words >= wordsMax) faults.push(`${path}: has ${words} words; split it below ${wordsMax}`);
    for (const [, name] of text.matchAll(named))
      if ((await stat(join(root, name!)).catch(() => undefined)) === undefined)
        faults.push(`${path}: ${name} is not there`);
  }

  const reached = new Set([begin]);
  for (const path of reached) for (const target of leadsTo.get(path) ?? []) reached.add(target);
  for (const path of texts.keys())
    if (path.startsWith('docs/') && !reached.has(path)) faults.push(`${path}: no way leads here from ${begin}`);
  return faults;
}
