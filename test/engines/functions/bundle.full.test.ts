import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BundleError, buildBundle } from '../../../engines/functions/bundle.ts';
import type { ApartLimits } from '../../../engines/functions/run-apart.ts';
import { until } from '../../helpers/until.ts';

type Source = Parameters<typeof buildBundle>[0];

/** Builds a function without packages: none is asked for. */
const bundleFunction = (source: Source, limits?: ApartLimits) =>
  buildBundle(source, { deps: [] }, undefined as never, limits);

const sourceOf = (files: Record<string, string>, entrypoint = Object.keys(files)[0]!): Source => ({
  files: new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
  entrypoint,
});

// Where a function runs, its box offers this.
Object.assign(globalThis, { require: createRequire(import.meta.url) });

async function run(files: Record<string, string>, entrypoint?: string): Promise<unknown> {
  const { code } = await bundleFunction(sourceOf(files, entrypoint));
  const loaded = (await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)) as {
    readonly default: () => unknown;
  };
  return loaded.default();
}

/** Processes that this one has started, and theirs; Linux alone tells. */
function descendants() {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
      try {
        const parent = Number(/\) \w (\d+)/.exec(read('stat'))![1]);
        return { pid: Number(pid), parent, command: read('cmdline'), environment: read('environ') };
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
  const below = (pid: number): typeof all =>
    all.filter(({ parent }) => parent === pid).flatMap((one) => [one, ...below(one.pid)]);
  return below(process.pid);
}

const failure = async (files: Record<string, string>): Promise<readonly string[]> => {
  const error: unknown = await bundleFunction(sourceOf(files)).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(BundleError);
  return (error as BundleError).log;
};

describe('a function of several files', () => {
  test('is one module, whatever its files are written in', async () => {
    const found = await run({
      'api/index.ts': `import { join } from 'node:path';
        import data from '../data.json' with { type: 'json' };
        import { greet } from './greet.js';
        import page from '../page.html';
        import { old } from '../old.cjs';
        interface Answer { text: string }
        export default (): Answer => ({ text: [greet(data.name), page, old(), join('a', 'b')].join('|') });`,
      'api/greet.ts': `export const greet = (name: string): string => 'Hello ' + name;`,
      'data.json': '{ "name": "Ada" }',
      'page.html': '<p>',
      'old.cjs': `const { sep } = require('path'); exports.old = () => sep;`,
    });
    expect(found).toEqual({ text: 'Hello Ada|<p>|/|a/b' });
  });

  test('finds folders by their index, and files without their extension', async () => {
    const files = {
      'index.mjs': `import { one } from './lib'; export default () => one;`,
      'lib/index.ts': 'export const one = 1;',
    };
    expect(await run(files)).toBe(1);
  });
});

describe('what cannot be bundled is told by file, line and column', () => {
  test('code that is no code', async () => {
    expect(await failure({ 'index.mjs': 'export default () => {\n  return (;\n};' })).toEqual([
      'index.mjs:2:10: Unexpected ";"',
    ]);
  });

  test.each([
    ['a file of this machine', '/etc/passwd', '/etc/passwd is not there'],
    ['a file above the function', '../../../etc/hostname', 'there is no file ../../../etc/hostname'],
    ['a file of the gateway', 'file:///etc/passwd', 'file:///etc/passwd is not there'],
    ['a package that was not named', 'left-pad', 'left-pad is not there'],
    ['a module of a URL', 'https://example.com/x.js', 'https://example.com/x.js is not there'],
  ])('%s', async (_what, path, text) => {
    const [line] = await failure({ 'index.mjs': `import x from ${JSON.stringify(path)}; export default x;` });
    expect(line).toContain(text);
    expect(line).toMatch(/^index\.mjs:1:\d+: /);
  });

  test('a file of a kind that is never imported', async () => {
    const [line] = await failure({ 'index.mjs': `import x from './x.node'; export default x;`, 'x.node': 'x' });
    expect(line).toContain('x.node is of no kind that can be imported');
  });
});

test('the same code makes the same bytes', async () => {
  const source = sourceOf({ 'index.ts': 'export default () => 1;' });
  const [one, other] = await Promise.all([bundleFunction(source), bundleFunction(source)]);
  expect(one.code).toEqual(other.code);
  expect(JSON.parse(Buffer.from(one.sourceMap).toString())).toMatchObject({
    sources: [expect.stringContaining('index.ts')],
  });
});

// What is left of a process is looked for in /proc.
describe.skipIf(process.platform !== 'linux')('code that is hard on the bundler', () => {
  /** A build of some seconds. */
  const long = sourceOf({
    'index.ts': Array.from({ length: 100_000 }, (_one, at) => `export const a${at} = (x: number) => x + ${at};`).join(
      '\n',
    ),
  });
  const builders = () => descendants().filter(({ command }) => /bundle-program|esbuild/.test(command));

  test('takes no longer than it may, and leaves no process', async () => {
    const error: unknown = await bundleFunction(long, { timeoutMs: 1 }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'BundleError', log: ['The build took more than 0.001 seconds.'] });
    await expect.poll(builders).toEqual([]);
  });

  test('takes no more memory than it may, and leaves no process', async () => {
    const error: unknown = await bundleFunction(long, { memoryMb: 200 }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      name: 'BundleError',
      log: ['The build ended before it was done. It may use 200 MiB of memory.'],
    });
    await expect.poll(builders).toEqual([]);
  });

  test('does not grow past the bound in the gateway', async () => {
    const text = 'x'.repeat(1_000_000);
    const grown = `const enum E { A = '${text}' } export default [${'E.A, '.repeat(30)}];`;
    const [line] = await failure({ 'index.ts': grown });
    expect(line).toMatch(/^The bundle has \d{8} bytes, more than 26214400\.$/);
  });

  test('meets nothing of the environment, where secrets are', async () => {
    process.env.SVC_BUNDLE_SECRET = 'a secret of the gateway';
    onTestFinished(() => {
      delete process.env.SVC_BUNDLE_SECRET;
    });
    const built = bundleFunction(long);
    const names = await until(() => {
      const found = builders();
      expect(found.map(({ command }) => command).join()).toContain('esbuild');
      return found;
    });
    for (const { environment } of names) expect(environment).not.toContain('a secret of the gateway');
    expect(names.length).toBeGreaterThan(1);
    await built;
  });
});
