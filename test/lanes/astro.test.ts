import { execFile } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { terminal } from '../cli/command.ts';
import { filesIn, served } from '../deploys/served-folder.ts';
import { startService } from '../helpers/service.ts';
import { asking } from '../hosting/site.ts';

const service = await startService();
const ada = await terminal(service.url);
afterAll(async () => {
  await ada.remove();
  await service.stop();
});
const sources = fileURLToPath(new URL('astro', import.meta.url));

test('a site that Astro builds is served byte for byte, with its own page for what is not there', async () => {
  await ada.svc('init');
  for (const name of ['package.json', 'astro.config.mjs', 'src', 'public'])
    await cp(join(sources, name), join(ada.checkout, name), { recursive: true });
  await symlink(join(sources, 'node_modules'), join(ada.checkout, 'node_modules'));
  await ada.file('svc.json', {
    app: { id: 'field-notes' },
    build: { commands: [{ id: 'astro', argv: ['node', 'node_modules/astro/bin/astro.mjs', 'build'] }] },
    release: { site: { replace: { __source: 'local-dir', path: 'dist' } } },
  });
  const up = await ada.with({ ASTRO_TELEMETRY_DISABLED: '1' })('up');
  expect(up.error).toBeUndefined();
  expect(up.json).toMatchObject({ status: 'ready' });

  const files = await filesIn(join(ada.checkout, 'dist'));
  expect([...files.keys()].filter((path) => !path.startsWith('_astro/')).sort()).toEqual([
    '404.html',
    'about/index.html',
    'favicon.svg',
    'feed.xml',
    'index.html',
    'notes/herons/index.html',
    'notes/lime-trees/index.html',
    'tags/rivers & lakes/index.html',
    'tags/trees/index.html',
    'tags/été/index.html',
  ]);
  const built = [...files.keys()].map((path) => path.split('.').at(-1));
  expect(built).toEqual(expect.arrayContaining(['css', 'js', 'webp']));
  const { hostname } = new URL(up.json.url);
  expect((await served(service, hostname, files)).differences).toEqual([]);
  const missing = await asking(service, hostname)('/no-such-page');
  expect([missing.status, missing.body.equals(files.get('404.html')!)]).toEqual([404, true]);
});

test('the starter of Astro is built into the pages that it is served as', async () => {
  await ada.svc('init');
  await ada.svc('init', 'astro', 'my-notes');
  const folder = join(ada.checkout, 'my-notes');
  // What npm would install there, by the build of its svc.json.
  await symlink(join(sources, 'node_modules'), join(folder, 'node_modules'));
  await promisify(execFile)(process.execPath, ['node_modules/astro/bin/astro.mjs', 'build'], {
    cwd: folder,
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' },
  });
  const up = await ada.svc('up', 'my-notes', '--skip-build');
  expect(up.error).toBeUndefined();
  expect(up.json).toMatchObject({
    app: 'my-notes',
    checks: [{ passed: true }, { passed: true }, { passed: true }],
  });
  const { hostname } = new URL(up.json.url);
  const home = await asking(service, hostname)('/');
  expect([home.status, home.text]).toEqual([200, expect.stringContaining('href="/notes/lime-trees/"')]);
  expect((await served(service, hostname, await filesIn(join(folder, 'dist')))).differences).toEqual([]);
});
