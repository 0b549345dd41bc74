/**
 * Runs every cause many times, each time built, placed and fed differently, and writes down what it failed with:
 * `node scripts/fingerprints/generate-corpus.ts [--new]`. With `--new` only those that the corpus does not have. Wants esbuild, and Chromium for what fails in a page.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import type { Cause } from './cause.ts';
import { causes } from './causes.ts';
import { corpusFile, type Lane, readCorpus, type Trace } from './corpus.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const runner = fileURLToPath(new URL('run-cause.mjs', import.meta.url));

/** How often a cause is run in each way. */
const variants: Readonly<Record<Lane, number>> = { node: 4, minified: 3, page: 2 };

/** Numbers that look random, and are the same in every run. */
function randoms(seed: number) {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  const of = (letters: string, length: number) => Array.from({ length }, () => letters[int(letters.length)]).join('');
  return { int, of, pick: <T>(list: readonly T[]) => list[int(list.length)]! };
}

type Randoms = ReturnType<typeof randoms>;

const hexDigits = '0123456789abcdef';
const lower = 'abcdefghijklmnopqrstuvwxyz';
const words = ['amber', 'birch', 'cedar', 'delta', 'ember', 'flint', 'grove', 'heron'];

/** What differs from run to run. */
function valuesOf(random: Randoms, index: number, scratch: string) {
  const { int, of, pick } = random;
  const n = 100 + int(90_000);
  return {
    n,
    m: 1 + int(97),
    odd: index % 2 === 1,
    uuid: [8, 4, 4, 4, 12].map((length) => of(hexDigits, length)).join('-'),
    id: `${pick(['ord', 'ch', 'usr'])}_${of(lower + hexDigits, 9)}7${of(lower, 3)}4`,
    hex: `${of(hexDigits, 15)}7`,
    email: `${pick(words)}.${pick(words)}${int(99)}@${pick(words)}.example`,
    ip: `10.${int(255)}.${int(255)}.${int(255)}`,
    port: 1024 + int(60_000),
    date: new Date(1_700_000_000_000 + n * 977_777).toISOString(),
    word: pick(words),
    text: Array.from({ length: 8 }, () => pick(words)).join(' '),
    path: `/mnt/data/${of(hexDigits, 12)}`,
    scratch,
  };
}

/** Code above the cause, so that its lines are elsewhere and a bundler gives its names other letters. */
const filler = (random: Randoms) =>
  Array.from(
    { length: random.int(30) },
    (_, at) => `export const filler${at} = (a${at}) => a${at} + ${random.int(99)};\n`,
  ).join('');

/** Where a program might stand. */
const placeOf = ({ pick, of, int }: Randoms) =>
  pick([
    `/srv/app/releases/${of(hexDigits, 10)}/dist`,
    `/var/task/build-${int(999)}`,
    `/home/deploy/shop/${int(99)}/current`,
    `/app`,
  ]);

async function inNode(cause: Cause, lane: Lane, index: number, work: string): Promise<Trace> {
  const random = randoms(seedOf(cause, lane, index));
  const folder = join(work, `${cause.name}-${lane}-${index}`);
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${random.pick(['index', 'main', 'function'])}.mjs`);
  await writeFile(file, `${'// A line.\n'.repeat(random.int(40))}${filler(random)}${cause.source}`);
  let program = file;
  // One in four of the named ones is bundled, too.
  if (lane === 'minified' || index === 3) {
    program = join(folder, 'bundle.mjs');
    const flags = ['--bundle', '--format=esm', '--platform=node', '--packages=external', '--log-level=error'];
    const minify = lane === 'minified' ? ['--minify'] : [];
    await run(join(root, 'node_modules/.bin/esbuild'), [file, ...flags, ...minify, `--outfile=${program}`]);
  }
  const values = valuesOf(random, index, folder);
  const { stdout } = await run(process.execPath, [runner, program, JSON.stringify(values)], { timeout: 30_000 });
  const place = placeOf(random);
  const modules = await realpath(join(root, 'node_modules'));
  // What is told of the machine that ran it, by where it might have run.
  const told = stdout
    .replaceAll(modules, `${place}/node_modules`)
    .replaceAll(runner, '/opt/svc-runtime/run.mjs')
    .replaceAll(folder, place)
    .replaceAll(work, place);
  return { cause: cause.name, lane, kind: cause.kind, ...(JSON.parse(told) as { message: string }) };
}

async function inPages(list: readonly Cause[]): Promise<Trace[]> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  const traces: Trace[] = [];
  try {
    for (const cause of list) {
      for (let index = 0; index < variants.page; index++) {
        const random = randoms(seedOf(cause, 'page', index));
        const source = `${'// A line.\n'.repeat(random.int(40))}${filler(random)}${cause.source}`;
        const page = await browser.newPage();
        const address = `https://${random.pick(words)}.example/assets/index-${random.of(hexDigits, 8)}.js`;
        await page.route('**/*', (route) =>
          route.request().url() === address
            ? route.fulfill({ contentType: 'text/javascript', body: source })
            : route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
        );
        await page.goto(new URL('/', address).href);
        const told = await page.evaluate(
          async ({ address, values }) => {
            try {
              const { handler } = await import(address);
              await handler(values);
              return { message: 'did not fail' };
            } catch (error) {
              if (!(error instanceof Error)) return { message: String(error) };
              return { name: error.name, message: error.message, stack: error.stack ?? '' };
            }
          },
          { address, values: valuesOf(random, index, '/') },
        );
        traces.push({ cause: cause.name, lane: 'page', kind: cause.kind, ...told });
        await page.close();
      }
    }
  } finally {
    await browser.close();
  }
  return traces;
}

const seedOf = ({ name }: Cause, lane: Lane, index: number) =>
  [...`${name} ${lane} ${index}`].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7);

const work = await mkdtemp(join(await realpath(tmpdir()), 'svc-corpus-'));
await symlink(join(root, 'node_modules'), join(work, 'node_modules'));
const traces: Trace[] = process.argv.includes('--new') ? await readCorpus() : [];
const known = new Set(traces.map(({ cause }) => cause));
const wanted = causes.filter(({ name }) => !known.has(name));
try {
  for (const cause of wanted) {
    for (const lane of ['node', 'minified'] as const) {
      const indexes = Array.from({ length: variants[lane] }, (_, index) => index);
      traces.push(...(await Promise.all(indexes.map((index) => inNode(cause, lane, index, work)))));
    }
    process.stdout.write(`${cause.name}\n`);
  }
  traces.push(...(await inPages(wanted.filter(({ browser }) => browser === true))));
} finally {
  await rm(work, { recursive: true, force: true });
}
const lame = traces.filter(({ message }) => message === 'did not fail');
if (lame.length > 0) throw new Error(`Did not fail: ${lame.map(({ cause, lane }) => `${cause} (${lane})`).join(', ')}`);
await writeFile(corpusFile, traces.map((trace) => `${JSON.stringify(trace)}\n`).join(''));
process.stdout.write(`wrote ${traces.length} traces\n`);
