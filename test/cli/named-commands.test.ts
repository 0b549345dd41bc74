import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseCall, splitGlobals } from '../../clients/cli/src/arguments.ts';
import type { Command } from '../../clients/cli/src/command.ts';
import { directory } from '../../clients/cli/src/directory.ts';
import { reserved } from '../../clients/cli/src/reserved.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const groups = await Promise.all(directory.map(async ({ load }) => (await load()).group));
const commands = groups.flatMap((group) => group.commands);

async function files(folder: string, ending: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending) && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name));
}

const longest = (words: readonly string[]): Command | undefined =>
  commands
    .filter((command) => `${words.join(' ')} `.startsWith(`${command.words} `))
    .sort((a, b) => b.words.length - a.words.length)[0];

/** Words as a shell would split them. */
const shellWords = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');

/** Commands of the gateway's own next actions, hints and refusals; what is put in at run time is a word. */
async function named(): Promise<string[]> {
  const folders = [
    'agents',
    'core',
    'engines',
    'kernel',
    'resolvers',
    'rest-compat',
    'schema',
    'server',
    'subscriptions',
    'clients/cli/src',
  ];
  const sources = (await Promise.all(folders.map((folder) => files(folder, '.ts')))).flat();
  const found = await Promise.all(
    sources.map(async (path) =>
      [
        ...(await readFile(path, 'utf8')).matchAll(
          /(?:command:|cli:|runCommand\(|successors: \[|moved\(|removed\()\s*(?:'svc ([^']+)'|`svc ((?:\$\{(?:[^{}]|\{[^}]*\})*\}|[^`])+)`)/g,
        ),
      ].map(([, plain, template]) => plain ?? template!),
    ),
  );
  return [...new Set(found.flat())].filter((text) => text[0] !== '$');
}

test('every command that a next action names is one, and takes what it is given there', async () => {
  const all = await named();
  // The walk finds what it is meant to find.
  expect(all).toEqual(expect.arrayContaining(['operator login', 'svc init'.slice(4)]));
  expect(all.some((text) => text.startsWith('logs ') && text.includes('--request-id'))).toBe(true);
  for (const text of all) {
    const words = shellWords(text.replace(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, 'x').replace(/<[^>]*>/g, 'x'));
    const command = longest(words);
    if (command === undefined) {
      const isKept = reserved.some((one) => `${words.join(' ')} `.startsWith(`${one.words} `));
      expect(isKept, `svc ${text} is no command`).toBe(true);
      continue;
    }
    const { flags = [], positionals = [] } = command;
    const free: string[] = [];
    const behind = words.slice(command.words.split(' ').length);
    for (let at = 0; at < behind.length; at += 1) {
      const flag = flags.find(({ name }) => behind[at] === `--${name}`);
      if (behind[at]!.startsWith('--')) expect(flag, `svc ${text}: ${behind[at]}`).toBeDefined();
      if (flag === undefined) free.push(behind[at]!);
      else if (flag.type !== 'boolean') at += 1;
    }
    // A flag that is chosen at run time stands there as a word, and so does its value.
    const chosen = /\$\{flag\}/.test(text) ? 2 : 0;
    const places = positionals.some(({ rest }) => rest === true) ? Number.POSITIVE_INFINITY : positionals.length;
    expect(free.length - chosen, `svc ${text} has words too many`).toBeLessThanOrEqual(places);
  }
});

test('every command that a page of the documentation shows would be taken', async () => {
  const pages = [...(await files('docs', '.md')), join(root, 'README.md')];
  let shown = 0;
  for (const path of pages)
    for (const [, block] of (await readFile(path, 'utf8')).matchAll(/```sh\n([\s\S]*?)```/g))
      for (const line of block!.split('\n'))
        for (const part of line.replace(/(^|\s)#.*$/, '').split(/\|\||&&|(?<=\s)[|&;](?=\s|$)/)) {
          const [first, ...words] = shellWords(part.trim().replace(/ [<>] \S+/g, ''));
          if (first !== 'svc') continue;
          shown += 1;
          const { words: called } = splitGlobals(words);
          const command = longest(called);
          expect(command, `${path}: ${part}`).toBeDefined();
          expect(
            () => parseCall(command!, called.slice(command!.words.split(' ').length)),
            `${path}: ${part}`,
          ).not.toThrow();
        }
  expect(shown).toBeGreaterThan(10);
});

test('no command that is kept free is one already', () => {
  for (const { words } of reserved) {
    expect(longest(words.split(' ')), words).toBeUndefined();
    expect(directory.map(({ name }) => name)).not.toContain(words);
  }
});
