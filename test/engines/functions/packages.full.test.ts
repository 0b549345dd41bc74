import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { BundleError, buildBundle, PackagesUnavailableError } from '../../../engines/functions/bundle.ts';
import { archiveOf, type Published, startNpmRegistry } from '../../helpers/npm-registry.ts';

const registry = await startNpmRegistry();
const folder = mkdtempSync(join(tmpdir(), 'svc-packages-'));
afterEach(() => {
  registry.instead = undefined;
});
afterAll(async () => {
  await registry.stop();
  rmSync(folder, { recursive: true });
});
// Where a function runs, its box offers these.
Object.assign(globalThis, { require: createRequire(import.meta.url), __dirname: '/fn', __filename: '/fn/main.mjs' });

const store = { registry: { url: registry.url, token: undefined }, folder, environment: {} };
const build = (text: string, ...deps: readonly string[]) =>
  buildBundle({ files: new Map([['index.mjs', Buffer.from(text)]]), entrypoint: 'index.mjs' }, { deps }, store);
async function run(text: string, ...deps: readonly string[]): Promise<unknown> {
  const { code } = await build(text, ...deps);
  const module = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
  return ((await import(module)) as { readonly default: unknown }).default;
}
const using = (name: string) => `import it from ${JSON.stringify(name)}; export default it;`;
const failure = async (...deps: readonly string[]): Promise<string> => {
  const error: unknown = await build(using(deps[0]!), ...deps).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(BundleError);
  return (error as BundleError).log[0]!;
};
const esm = (name: string, text: string, more: object = {}, version = '1.0.0'): Published => ({
  manifest: { name, version, type: 'module', exports: './i.js', ...more },
  files: { 'i.js': text },
});
const said = (name: string, version = '1.0.0', more: object = {}) =>
  esm(name, `export default ${JSON.stringify(`${name} ${version}`)};`, more, version);

describe('versions are chosen as npm does', () => {
  test('the newest that a range allows, for each who asks, and one for all where one serves', async () => {
    await registry.publish(
      ...['1.0.0', '1.5.0', '2.0.0'].map((version) => said('deep', version)),
      esm('asks-old', `export { default } from 'deep';`, { dependencies: { deep: '^1.0.0' } }),
      esm('asks-any', `export { default } from 'deep';`, { dependencies: { deep: '*' } }),
    );
    const text = `import a from 'asks-old'; import b from 'asks-any'; import c from 'deep'; export default [a, b, c];`;
    expect(await run(text, 'asks-any', 'asks-old', 'deep@1.0.0')).toEqual(['deep 1.0.0', 'deep 1.0.0', 'deep 1.0.0']);
    expect(await run(text, 'asks-any', 'asks-old', 'deep')).toEqual(['deep 1.5.0', 'deep 2.0.0', 'deep 2.0.0']);
  });

  test('a package that has to be beside another one is there once', async () => {
    await registry.publish(
      esm('frame', 'export default {};', {}, '18.0.0'),
      esm('frame', 'export default {};', {}, '19.0.0'),
      esm('frame-dom', `export { default } from 'frame';`, { peerDependencies: { frame: '>=17' } }),
      esm('frame-old', `export { default } from 'frame';`, { peerDependencies: { frame: '^17.0.0' } }),
    );
    const text = `import a from 'frame'; import b from 'frame-dom'; import c from 'frame-old'; export default [a === b, a === c];`;
    expect(await run(text, 'frame@18', 'frame-dom', 'frame-old')).toEqual([true, true]);
    const { log } = await build(text, 'frame@18', 'frame-dom', 'frame-old');
    expect(log).toEqual(['frame-old@1.0.0 is meant for frame@^17.0.0, and runs with 18.0.0']);
    expect(await run(using('frame-dom'), 'frame-dom')).toEqual({});
  });

  test('another name, a name of its own, and what came in the package are found', async () => {
    await registry.publish(
      esm('aliased', `export { default } from 'other-name';`, { dependencies: { 'other-name': 'npm:deep@^1.0.0' } }),
      esm('inner', `export { default } from '#platform';`, {
        imports: { '#platform': { node: 'deep', default: './none.js' } },
        dependencies: { deep: '1.0.0' },
      }),
      {
        manifest: {
          name: 'bundles',
          version: '1.0.0',
          main: 'i.js',
          dependencies: { within: '*' },
          bundleDependencies: ['within'],
        },
        files: {
          'i.js': `module.exports = require('within');`,
          'node_modules/within/package.json': '{ "name": "within", "version": "1.0.0" }',
          'node_modules/within/index.js': `module.exports = 'within';`,
        },
      },
    );
    expect(await run(using('aliased'), 'aliased')).toBe('deep 1.5.0');
    expect(await run(using('inner'), 'inner')).toBe('deep 1.0.0');
    expect(await run(using('bundles'), 'bundles')).toBe('within');
  });

  test('what a package can do without may be missing, be for other machines, or want a compiler', async () => {
    const compiled: Published = {
      manifest: { name: 'compiled', version: '1.0.0' },
      files: { 'binding.gyp': '{}', 'index.js': '' },
    };
    await registry.publish(
      said('for-windows', '1.0.0', { os: ['win32'] }),
      compiled,
      esm('does-without', `export default 'fine';`, {
        optionalDependencies: { 'for-windows': '*', compiled: '*', 'not-published': '*' },
      }),
    );
    const { log } = await build(using('does-without'), 'does-without');
    expect(log).toEqual([
      'does-without@1.0.0 goes without not-published: the registry has not got the package not-published',
      'compiled@1.0.0 is compiled when it is installed, and was left out',
    ]);
    expect(await failure('compiled')).toBe(
      'compiled@1.0.0 is compiled when it is installed, which functions cannot have',
    );
    expect(await failure('for-windows')).toMatch(/^for-windows@1\.0\.0 does not run on linux/);
  });

  test('the same packages make the same bytes, on any machine', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'svc-packages-'));
    const source = { files: new Map([['index.mjs', Buffer.from(using('bundles'))]]), entrypoint: 'index.mjs' };
    const here = await build(using('bundles'), 'bundles');
    const there = await buildBundle(source, { lock: here.lock }, { ...store, folder: elsewhere });
    rmSync(elsewhere, { recursive: true });
    expect(Buffer.compare(here.code, there.code)).toBe(0);
    expect(Buffer.compare(here.sourceMap, there.sourceMap)).toBe(0);
    expect(Buffer.from(here.code).toString()).not.toContain(folder.slice(1));
  });
});

describe('a package is refused by its name', () => {
  test.each([
    ['from an address', 'https://example.com/x.tgz'],
    ['from a repository', 'git+ssh://git@example.com/x.git'],
    ['from a repository, in short', 'acme/x'],
    ['from a folder', 'file:../../../../etc'],
    ['by a name that is none', '1.0.0', '../../../etc'],
  ])('that needs another one %s', async (what, range, name = 'x') => {
    const by = `needs-${what.replaceAll(/\W+/g, '-')}`;
    await registry.publish(esm(by, '', { dependencies: { [name]: range } }));
    expect(await failure(by)).toBe(`${by}@1.0.0 needs ${name} from ${range}, which is not in the registry`);
  });

  test('whose version or tag is not there', async () => {
    expect(await failure('deep@^9')).toBe('there is no deep@^9');
    expect(await failure('deep@never')).toBe('there is no deep@never');
  });

  test('that brings more others than a function may have', async () => {
    const chain = Array.from({ length: 1_001 }, (_one, at) =>
      esm(`chain-${at}`, '', { dependencies: { [`chain-${at + 1}`]: '*' } }),
    );
    await registry.publish(...chain);
    expect(await failure('chain-0')).toBe('the function needs more than 1000 packages');
  });

  test('that imports what is not there, or what is compiled', async () => {
    await registry.publish(
      esm('imports-nothing', `import x from 'nowhere'; export default x;`),
      esm('imports-binary', `import x from './build/x.node'; export default x;`),
      esm('imports-outside', `import x from '../../../../../etc/hostname.json'; export default x;`),
    );
    expect(await failure('imports-nothing')).toMatch(
      /^imports-nothing\/i\.js:1:14: .*imports nowhere, which is not there$/,
    );
    expect(await failure('imports-binary')).toMatch(
      /x\.node, which is not there, since it is compiled for one machine$/,
    );
    expect(await failure('imports-outside')).toMatch(/hostname\.json, which is not there$/);
  });
});

describe('an archive is believed in nothing', () => {
  const file = (name: string, text = 'export default 1;') => ({
    header: { name, size: text.length, type: 'file' as const },
    body: text,
  });
  const manifest = (name: string) => file('package/package.json', JSON.stringify({ name, exports: './i.js' }));
  const link = (type: 'symlink' | 'link', linkname: string) => ({
    header: { name: 'package/i.js', size: 0, type, linkname },
  });
  const cases: readonly (readonly [string, () => Promise<Uint8Array> | Uint8Array, string])[] = [
    ['symbolic-link', () => archiveOf([manifest('x'), link('symlink', '/etc/passwd')]), 'has links or devices'],
    ['hard-link', () => archiveOf([manifest('x'), link('link', '/etc/passwd')]), 'has links or devices'],
    ['climbing', () => archiveOf([file('package/../../../up.js')]), 'has a path that leads out of it'],
    ['absolute', () => archiveOf([file('package//etc/up.js')]), ''],
    ['backslash', () => archiveOf([file('package/..\\..\\up.js')]), 'has a path that leads out of it'],
    ['no-archive', () => Buffer.from('<html>'), 'cannot be unpacked'],
    ['no-tar', () => gzipSync(Buffer.alloc(4_096, 'x')), 'cannot be unpacked'],
    ['bomb', () => gzipSync(Buffer.alloc(600 * 1024 * 1024)), 'is too large'],
    ['file-as-folder', () => archiveOf([file('package/a.js'), file('package/a.js/b.js')]), 'cannot be unpacked'],
  ];

  test.each(cases)('%s', async (name, archive, why) => {
    await registry.publish({ manifest: { name, version: '1.0.0' }, archive: await archive() });
    const told = await failure(name);
    if (why !== '') expect(told).toBe(`the archive of ${name}@1.0.0 ${why}`);
    expect(existsSync('/etc/up.js')).toBe(false);
  });

  test('that is another one than the registry describes', async () => {
    const integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
    await registry.publish(
      { ...said('forged'), dist: { integrity } },
      { ...said('weak'), dist: { integrity: 'md5-x' } },
    );
    expect(await failure('forged')).toBe('the archive of forged@1.0.0 is not the one that the registry describes');
    expect(await failure('weak')).toContain('no digest');
  });

  test('and leaves nothing behind that a later function would be given', () => {
    expect(readdirSync(folder).filter((name) => !/^[0-9a-f]{32}$/.test(name))).toEqual([]);
  });

  test('a script of a package is never run', async () => {
    const mark = join(folder, '..', `svc-ran-${process.pid}`);
    const scripts = { preinstall: `touch ${mark}`, install: `touch ${mark}`, postinstall: `touch ${mark}` };
    await registry.publish(said('scripted', '1.0.0', { scripts }));
    expect(await run(using('scripted'), 'scripted')).toBe('scripted 1.0.0');
    expect(existsSync(mark)).toBe(false);
  });
});

describe('a registry leads nowhere inside', () => {
  test.each([
    ['this machine', 'https://127.0.0.1:1/x.tgz'],
    ['this machine, without TLS', 'http://127.0.0.1:1/x.tgz'],
    ['a name of this machine', 'https://localhost:1/x.tgz'],
    ['the metadata of a cloud', 'http://169.254.169.254/latest'],
    ['a private network', 'https://10.0.0.1/x.tgz'],
  ])('%s', async (what, target) => {
    const name = `leads-to-${what.replaceAll(/\W+/g, '-').toLowerCase()}`;
    await registry.publish({ ...said(name), dist: { tarball: target } }, said(`${name}-by-redirect`));
    registry.instead = ({ url }, response) => {
      if (!url!.includes('by-redirect') || !url!.endsWith('.tgz')) return false;
      response.writeHead(302, { location: target }).end();
      return true;
    };
    expect(await failure(name)).toContain('which is not in the public internet');
    expect(await failure(`${name}-by-redirect`)).toContain('which is not in the public internet');
  });

  test('nor in circles', async () => {
    await registry.publish(said('circle'));
    registry.instead = ({ url }, response) => {
      if (!url!.endsWith('.tgz')) return false;
      response.writeHead(302, { location: url }).end();
      return true;
    };
    expect(await failure('circle')).toBe('the registry does not give out circle@1.0.0 (302)');
  });
});

test.each([
  ['that answers 503', 503, ''],
  ['that answers 429', 429, ''],
  ['whose answer is no description', 200, '<html>'],
])('a registry %s is no fault of the function', async (_what, status, text) => {
  registry.instead = (_request, response) => {
    response.writeHead(status).end(text);
    return true;
  };
  await expect(build(using('deep'), 'deep')).rejects.toBeInstanceOf(PackagesUnavailableError);
});

test('an archive that breaks off is no fault of the function', async () => {
  await registry.publish(said('broken-off'));
  registry.instead = ({ url }, response) => {
    if (!url!.endsWith('.tgz')) return false;
    response.writeHead(200, { 'content-length': '1000' });
    response.write('x');
    response.destroy();
    return true;
  };
  await expect(build(using('broken-off'), 'broken-off')).rejects.toBeInstanceOf(PackagesUnavailableError);
});
