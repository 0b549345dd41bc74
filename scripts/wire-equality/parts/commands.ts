import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exchange } from '../exchange.ts';
import { inOrder, namedSample, takesAway } from '../samples.ts';
import { fill, type Side, walletOf } from '../side.ts';
import { newWorld } from '../world.ts';

/** A command that does not end by itself is ended after this long, in milliseconds. */
const patienceMs = 20_000;

/** Commands that go on until they are ended, or that work on this machine rather than with a gateway. */
const left = /^(dev|mcp|backup|restore|doctor|operator login|operator sign-in|auth login|live|pay)\b/;

const mainOf = ({ checkout }: Side): string => join(checkout!, 'clients/cli/src/main.ts');

/** Runs `svc`, as the world's owner. @returns exit code and output */
function svc(side: Side, words: readonly string[], output: 'human' | 'json'): Promise<string> {
  const { home, url } = side;
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    NO_COLOR: '1',
    SVC_CONFIG_DIR: configOf(side),
    SVC_API_BASE: url,
    SVC_OUTPUT: output,
    SVC_AGENT_NAME: 'wire',
  };
  const options = { cwd: home, env, timeout: patienceMs, maxBuffer: 2 ** 26 };
  return new Promise((resolve) => {
    const given = [mainOf(side), ...words.map((word) => fill(word, side))];
    const child = execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', ...given],
      options,
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.killed === true ? 'killed' : error.code;
        resolve(`exit ${code}\n--- output\n${stdout}--- errors\n${stderr}`);
      },
    );
    child.stdin?.end();
  });
}

const configOf = ({ home, values }: Side): string => join(home, `config-${values.get('world')}`);

const asked = (group: string, words: readonly string[], output: 'human' | 'json' = 'json'): Exchange => ({
  group,
  name: `${output}: svc ${words.join(' ')}`,
  ask: (side) => svc(side, words, output),
});

/** The owner's wallet, where the command line keeps one. */
async function keepWallet(side: Side): Promise<void> {
  const folder = configOf(side);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { address, privateKey } = walletOf(`owner ${side.values.get('world')}`);
  const file = join(folder, 'allowance.json');
  await writeFile(
    file,
    JSON.stringify({ address, privateKey, created: '2026-01-02T03:04:05.000Z', funded: false, rail: 'x402' }),
  );
  await chmod(file, 0o600);
}

/** Every command that either build has: its page, without words, and with what it asks for, for programs and for people. */
export async function* commandsPart(sides: readonly Side[]): AsyncIterable<Exchange> {
  if (!sides.every((side) => side.checkout !== undefined && existsSync(mainOf(side)))) return;
  yield* newWorld(sides);
  await Promise.all(sides.map(keepWallet));
  yield asked('svc', []);
  yield asked('svc', ['no-such']);
  yield asked('svc', ['--version']);
  const pages = new Map<string, string>();
  const groups = [...new Set((await pagesOf(sides, [])).flatMap(({ text }) => entriesOf(text)))];
  for (const group of groups)
    for (const { text } of await pagesOf(sides, [group])) {
      const commands = [...text.matchAll(/^ {2}([a-z][\w-]*(?: [a-z][\w-]*)*)(?= |$)/gm)].map(([, words]) => words!);
      for (const words of [group, ...commands.filter((one) => one === group || one.startsWith(`${group} `))])
        pages.set(words, '');
    }
  for (const words of pages.keys()) {
    const page = asked(`svc ${words}`, [...words.split(' '), '--help']);
    yield {
      ...page,
      async ask(side) {
        const text = await page.ask(side);
        if (side === sides.at(-1)) pages.set(words, text);
        return text;
      },
    };
  }
  const called = [...pages].filter(([words]) => !left.test(words));
  const last = ([words]: readonly [string, string]) => takesAway(words);
  for (const one of called.filter((each) => !last(each))) yield* runs(...one);
  yield* newWorld(sides);
  await Promise.all(sides.map(keepWallet));
  for (const one of inOrder(called.filter(last), ([words]) => words)) yield* runs(...one);
}

const pagesOf = (sides: readonly Side[], words: readonly string[]) =>
  Promise.all(
    sides.map(async (side) => ({
      side,
      text: (await svc(side, [...words, '--help'], 'json')).replace(/^exit.*\n.*\n/, ''),
    })),
  );

/** First words on the first page. */
const entriesOf = (page: string): string[] =>
  [...page.matchAll(/^ {2}([a-z][\w-]*) {2,}\S/gm)].map(([, word]) => word!);

function* runs(words: string, page: string): Iterable<Exchange> {
  const group = `svc ${words}`;
  const bare = words.split(' ');
  yield asked(group, bare);
  const full = [...bare, ...givenOf(page, words)];
  if (full.length === bare.length) return;
  yield asked(group, full);
  yield asked(group, full, 'human');
  yield asked(group, [...full, '--no-such-flag', 'too', 'many', 'words']);
}

/** Words for what a page's usage names: every argument, flags that have to be given, and where it is to happen. */
function givenOf(page: string, words: string): string[] {
  const usage = /^Usage\n((?: {2,}.*\n)+)/m.exec(page)?.[1]?.replaceAll(/\s+/g, ' ') ?? '';
  const behind = usage.slice(usage.indexOf(words) + words.length);
  const value = (name: string): string => {
    const known = namedSample(name.replaceAll('-', '_').replace('…', ''), `${words}/`);
    return known === undefined ? '1' : typeof known === 'string' ? known : JSON.stringify(known);
  };
  const given: string[] = [];
  for (const [, optional, flag, name] of behind.matchAll(/(\[)?(?:--([\w-]+) )?<([^>]+)>/g)) {
    if (flag === undefined) given.push(value(name!));
    else if (optional === undefined || ['org', 'project', 'room', 'name'].includes(flag))
      given.push(`--${flag}`, value(flag));
  }
  return given;
}
