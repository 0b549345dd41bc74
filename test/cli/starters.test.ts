import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { directory } from '../../clients/cli/src/directory.ts';
import { readManifest } from '../../clients/cli/src/up/manifest.ts';
import { startService } from '../helpers/service.ts';
import { asking } from '../hosting/site.ts';
import { type Terminal, terminal } from './command.ts';

const service = await startService();
const terminals: Terminal[] = [];
afterAll(async () => {
  await Promise.all(terminals.map((one) => one.remove()));
  await service.stop();
});

/** @param apiBase @default one where nothing answers: what writes files asks nobody */
async function newcomer(apiBase = 'http://127.0.0.1:9') {
  const one = await terminal(apiBase);
  terminals.push(one);
  return one;
}

const templates = ['static', 'vite', 'hono', 'ssr', 'astro', 'agent'];

test.each(templates)('svc init %s writes an application that svc up understands, and nothing else', async (name) => {
  const ada = await newcomer();
  const { code, json, stderr } = await ada.svc('init', name, 'apps/Field notes 2');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const folder = join(ada.checkout, 'apps/Field notes 2');
  expect(json).toEqual({
    template: name,
    folder,
    files: expect.arrayContaining(['.gitignore', 'README.md', 'svc.json']),
    next_step: 'svc up "apps/Field notes 2"',
  });
  const found = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  expect(found.map((one) => join(one.parentPath, one.name)).sort()).toEqual(
    json.files.map((path: string) => join(folder, path)).sort(),
  );
  // Without a wallet, for none is needed.
  expect((await ada.svc('wallets', 'list')).json.wallets).toEqual([]);
  const texts = await Promise.all(json.files.map((path: string) => readFile(join(folder, path), 'utf8')));
  expect(texts.join('\n')).not.toContain('my-app');
  const manifest = readManifest(JSON.parse(await readFile(join(folder, 'svc.json'), 'utf8')));
  expect(manifest.app.id).toBe('field-notes-2');
});

test('packages of the templates are of the versions that tests build them with', async () => {
  const json = async (path: string) => JSON.parse(await readFile(new URL(`../../${path}`, import.meta.url), 'utf8'));
  const tested = new Map<string, string>([
    ...Object.entries<string>((await json('package.json')).devDependencies),
    ...Object.entries<string>((await json('test/lanes/astro/package.json')).dependencies),
    ['hono', (await json('node_modules/hono/package.json')).version],
  ]);
  for (const name of ['vite', 'hono', 'astro']) {
    const { dependencies, devDependencies = {} } = await json(`clients/cli/starters/${name}/package.json`);
    const wanted = Object.entries<string>({ ...dependencies, ...devDependencies });
    expect(wanted.length).toBeGreaterThan(0);
    expect(wanted).toEqual(wanted.map(([one]) => [one, tested.get(one)]));
  }
  const { release } = await json('clients/cli/starters/hono/svc.json');
  expect(release.functions.replace.api.deps).toEqual([`hono@${tested.get('hono')}`]);
});

test('without a folder one of the template’s name is made, and . means this one, with what git keeps in it', async () => {
  const ada = await newcomer();
  expect((await ada.svc('init', 'static')).json).toMatchObject({
    folder: join(ada.checkout, 'static'),
    next_step: 'svc up static',
  });
  const bob = await newcomer();
  await mkdir(join(bob.checkout, '.git'));
  expect((await bob.svc('init', 'static', '.')).json).toMatchObject({ folder: bob.checkout, next_step: 'svc up' });
  expect(await readdir(bob.checkout)).toContain('svc.json');
});

test('the plain site is brought up by one command and served, with its own page for what is not there', async () => {
  const ada = await newcomer(service.url);
  await ada.svc('init');
  await ada.svc('init', 'static', 'journal');
  const { json, error } = await ada.svc('up', 'journal');
  expect(error).toBeUndefined();
  expect(json).toMatchObject({ app: 'journal', status: 'ready', checks: [{ passed: true }, { passed: true }] });
  const ask = asking(service, new URL(json.url).hostname);
  const [home, about, missing] = [await ask('/'), await ask('/about'), await ask('/nothing')];
  expect([home.status, about.status, missing.status]).toEqual([200, 200, 404]);
  expect(home.text).toContain('<strong>journal</strong>');
  expect(missing.text).toContain('There is no such page');
});

test('a folder that is not empty stays as it is, and what is in the way is named', async () => {
  const ada = await newcomer();
  await mkdir(join(ada.checkout, 'mine'));
  await writeFile(join(ada.checkout, 'mine', 'svc.json'), 'mine');
  const { code, stdout, error } = await ada.svc('init', 'hono', 'mine');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(error).toMatchObject({
    code: 'BAD_FILE',
    message: 'mine is not empty: svc.json is there already.',
    details: { path: join(ada.checkout, 'mine', 'svc.json') },
    mutation_state: 'not_started',
  });
  expect(await readdir(join(ada.checkout, 'mine'))).toEqual(['svc.json']);
  expect(await readFile(join(ada.checkout, 'mine', 'svc.json'), 'utf8')).toBe('mine');
});

test('a file in the place of the folder, or on the way to it, is refused', async () => {
  const ada = await newcomer();
  const file = await ada.file('taken', 'mine');
  for (const folder of ['taken', 'taken/below/it']) {
    const { error } = await ada.svc('init', 'static', folder);
    expect(error).toMatchObject({ code: 'BAD_FILE', field: 'folder', message: expect.stringContaining(folder) });
  }
  expect(await readFile(file, 'utf8')).toBe('mine');
});

test('where a file cannot be written, none of those before it is left behind', async () => {
  const ada = await newcomer();
  // Linux takes paths of 4,095 bytes: README.md has one in this folder, and public/404.html would have a longer one.
  const length = 4_095 - '/README.md'.length - ada.checkout.length - 1;
  const folder = `long/${`${'x'.repeat(99)}/`.repeat(40)}`.padEnd(length, 'y');
  const { error } = await ada.svc('init', 'static', folder);
  expect(error).toMatchObject({ code: 'BAD_FILE', message: expect.stringContaining('ENAMETOOLONG') });
  expect(await readdir(ada.checkout)).toEqual([]);
});

test.each([
  ['statik', 'Did you mean svc init static?'],
  ['hona', 'Did you mean svc init hono?'],
  ['x401', 'Did you mean svc init x402?'],
  ['astra', 'Did you mean svc init astro?'],
  ['spreadsheet', 'svc init --help'],
])('svc init %s is refused, and what may be meant is named', async (word, hint) => {
  const ada = await newcomer();
  for (const words of [[word], [word, 'folder']]) {
    const { code, error } = await ada.svc('init', ...words);
    expect(code).toBe(1);
    expect(error).toMatchObject({
      code: 'BAD_USAGE',
      message: `There is no template ${word}. Templates are ${templates.join(', ')}.`,
      hint: expect.stringContaining(hint),
    });
  }
  expect(await readdir(ada.checkout)).toEqual([]);
});

test('a wallet is made as before, also by its rail, and takes no folder', async () => {
  const ada = await newcomer(service.url);
  expect((await ada.svc('init', 'x402')).json).toMatchObject({ rail: 'x402', wallet: { created: true } });
  expect((await ada.svc('init')).json).toMatchObject({ rail: 'x402', wallet: { created: false } });
  expect((await ada.svc('init', 'mpp')).error.code).toBe('RAIL_SWITCH_REQUIRES_CONFIRM');
  expect((await ada.svc('init', 'x402', 'folder')).error.code).toBe('BAD_USAGE');
  expect((await ada.svc('init', 'static', '--voucher', 'x')).error.code).toBe('BAD_USAGE');
});

test('help and completion list every template, and its folder is all there is', async () => {
  const ada = await newcomer();
  const { stdout } = await ada.svc('init', '--help');
  for (const name of templates) expect(stdout).toContain(`svc init ${name}`);
  const completed = (await ada.svc('__complete', 'init', '')).stdout.split('\n').map((line) => line.split('\t')[0]);
  expect(completed).toEqual([...templates, 'x402', 'mpp', '']);
  const { group } = await directory.find(({ name }) => name === 'init')!.load();
  expect(group.commands.map(({ words }) => words)).toEqual(['init', ...templates.map((name) => `init ${name}`)]);
  const folder = fileURLToPath(new URL('../../clients/cli/starters', import.meta.url));
  expect((await readdir(folder)).sort()).toEqual([...templates].sort());
});
