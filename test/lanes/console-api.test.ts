import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';

import { startConsoleWorld, violations } from './console-owner.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a program to its end. */
async function ran(program: string, args: readonly string[]): Promise<{ code: number | null; out: string }> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (out += String(part)));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, out };
}

const inShell = (command: string) => ran('sh', ['-c', command.replace(/^curl /, 'curl -sS --fail-with-body ')]);

/** Runs what a page prints for TypeScript, with the packages of this repository. */
async function inNode(code: string): Promise<{ code: number | null; out: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'snippet-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // Its packages are those of this repository.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const sdk = pathToFileURL(join(root, 'clients/sdk/src/index.ts')).href;
  const file = join(folder, 'snippet.mts');
  await writeFile(file, code.replace("'@svc/sdk'", `'${sdk}'`));
  return ran(process.execPath, ['--disable-warning=ExperimentalWarning', file]);
}

describe.skipIf(chromiumProgram() === undefined)('the API page of the console in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, projectId } = world;
  const password = 'a long enough password';
  beforeAll(async () => {
    await world.run(`create type mood as enum ('glad', 'sad');
      create table books (id bigint generated always as identity primary key, title text not null, mood mood not null, price numeric);
      create table diaries (id bigint generated always as identity primary key, owner uuid, page text);
      create table dark_things (id int primary key, name text);
      create function add(a int, b int) returns int language sql immutable as 'select a + b';
      insert into books (title, mood) values ('Emma', 'glad')`);
    await world.post(
      `/projects/v1/admin/${projectId}/expose`,
      {
        version: 1,
        tables: [
          {
            name: 'books',
            expose: true,
            policy: 'public_read_write_UNRESTRICTED',
            i_understand_this_is_unrestricted: true,
            live: true,
          },
          { name: 'diaries', expose: true, policy: 'user_owns_rows', owner_column: 'owner' },
        ],
        rpcs: [{ name: 'add', signature: '(a int, b int)', grant_to: ['anon', 'authenticated'] }],
      },
      world.key,
    );
  });

  async function openApi(search: string) {
    const opened = await world.asOwner({ refusals: true });
    await opened.visit(`/projects/${projectId}/api${search}`);
    await opened.page.getByRole('heading', { level: 1, name: 'API' }).waitFor();
    return opened;
  }

  /** The snippets of the page with their titles, keys included. */
  async function printed(page: Page): Promise<(readonly [title: string, code: string])[]> {
    const blocks = page.locator('figure.code-block');
    await blocks.first().waitFor();
    return Promise.all(
      (await blocks.all()).map(async (block) => {
        const title = (await block.getAttribute('aria-label'))!;
        return [title, (await block.locator('code').textContent())!] as const;
      }),
    );
  }

  const ways = ['curl', 'sdk', 'postgrest', 'graphql'] as const;
  test.each(
    ways.flatMap((way) => [
      ['table books', 'anon', way, 5],
      ['table dark_things', 'service', way, 5],
      ...(way === 'graphql' ? [] : [['function add(a int, b int)', 'anon', way, 1] as const]),
    ]) as readonly (readonly [string, string, (typeof ways)[number], number])[],
  )(
    'what is printed for %s as %s by %s works as it is',
    async (of, as, way, count) => {
      const { page, press } = await openApi(`?of=${encodeURIComponent(of)}&as=${as}&by=${way}`);
      await page.locator('figure.code-block').first().waitFor();
      expect((await printed(page)).some(([, code]) => code.includes('eyJ'))).toBe(false);
      await press('Show keys');
      const snippets = await printed(page);
      expect(snippets).toHaveLength(count);
      for (const [title, code] of snippets) {
        const told = way === 'curl' || way === 'graphql' ? await inShell(code) : await inNode(code);
        expect({ title, ...told }).toMatchObject({ code: 0 });
        if (way === 'graphql') expect(JSON.parse(told.out)).not.toHaveProperty('errors');
      }
      // Each snippet is a program of its own.
    },
    240_000,
  );

  test('what is printed for sign-in works as it is, and then as the user', async () => {
    const { page, press } = await openApi('?part=sign-in&by=curl');
    await page.locator('figure.code-block').first().waitFor();
    await press('Show keys');
    const [signUp, signIn, mail, asUser] = await printed(page);
    expect(await inShell(signUp![1])).toMatchObject({ code: 0 });
    const session = await inShell(signIn![1]);
    const { access_token: token } = JSON.parse(session.out);
    expect(await inShell(mail![1])).toMatchObject({ code: 0 });
    const user = await inShell(asUser![1].replace('ACCESS_TOKEN', token));
    expect(JSON.parse(user.out)).toMatchObject({ email: 'ada@example.com' });
    await page.getByRole('tab', { name: 'SDK' }).click();
    const [, bySdk, mailBySdk, asUserBySdk] = await printed(page);
    expect(await inNode(mailBySdk![1])).toMatchObject({ code: 0 });
    expect(await inNode(bySdk![1])).toMatchObject({ code: 0, out: expect.stringContaining('eyJ') });
    const told = await inNode(asUserBySdk![1].replace('ACCESS_TOKEN', token));
    expect(told).toMatchObject({ code: 0, out: expect.stringContaining('ada@example.com') });
  });

  test('a dark table is said to be dark, with the way to expose it', async () => {
    const { page } = await openApi('?of=table%20dark_things&as=anon');
    await page.getByText('Only the service key reaches it').waitFor();
    const [[, entry]] = (await printed(page)) as [readonly [string, string]];
    expect(JSON.parse(entry)).toMatchObject({ name: 'dark_things', expose: true });
    expect(await page.getByRole('link', { name: 'access page' }).getAttribute('href')).toMatch(/\/access$/);
    expect(await violations(page)).toEqual([]);
  });

  test('a read is tried from the page, as the caller that is chosen', async () => {
    await world.run(`insert into books (title, mood) values ('Persuasion', 'glad')`);
    const { page } = await openApi('?of=table%20books&as=anon');
    await page.getByRole('button', { name: 'Try' }).first().click();
    await page.getByRole('figure', { name: 'Answer' }).getByText('Persuasion').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('a test user signs in on the page alone, and sees rows of their own in GraphQL', async () => {
    const anonKey = (await service.call<{ anon_key: string }>(world.wallet, 'GET', `/projects/v1/${projectId}/keys`))
      .body.anon_key;
    const made = await service.call<{ id: string }>(service.actors.apikey(anonKey), 'POST', '/auth/v1/signup', {
      body: { email: 'grace@example.com', password },
    });
    await world.run(`insert into diaries (owner, page) values ('${made.body.id}', 'Dear diary'), (null, 'of nobody')`);
    const { page, press, fill } = await openApi('?part=graphql&as=user');
    await press('Sign in a test user…');
    await fill('Mail address', 'grace@example.com');
    await fill('Password', 'wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').getByText(/\w/).first().waitFor();
    expect(await page.getByLabel('Mail address').inputValue()).toBe('grace@example.com');
    await fill('Password', password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await press('Sign out grace@example.com');
    await press('Sign in a test user…');
    await fill('Mail address', 'grace@example.com');
    await fill('Password', password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out grace@example.com' }).waitFor();
    expect(page.url()).not.toContain('grace');
    const editor = page.getByRole('textbox', { name: 'Document' });
    await editor.click();
    await page.keyboard.insertText('{ diaries { nodes { page } } }');
    await page.keyboard.press('ControlOrMeta+Enter');
    const answer = page.getByRole('textbox', { name: 'Answer' });
    await expect.poll(() => answer.textContent()).toContain('Dear diary');
    expect(await answer.textContent()).not.toContain('of nobody');
    await page
      .getByRole('region', { name: 'Types' })
      .getByRole('button', { name: /Diaries/ })
      .first()
      .click();
    expect(new URL(page.url()).searchParams.get('type')).toMatch(/Diaries/);
    expect(await violations(page)).toEqual([]);
  });

  test('a live table is followed as it is printed', async () => {
    const { page, press } = await openApi('?part=live&as=anon');
    await page.locator('figure.code-block').first().waitFor();
    await press('Show keys');
    const [[, code]] = (await printed(page)) as [readonly [string, string]];
    const child = spawn('sh', ['-c', `exec ${code}`], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill());
    let heard = '';
    child.stdout.on('data', (part: Buffer) => (heard += String(part)));
    await expect.poll(() => heard).toContain('ready');
    await world.run(`insert into books (title, mood) values ('Persuasion', 'sad')`);
    await expect.poll(() => heard).toContain('"op":"insert"');
  });

  test.each([
    ['dark', 360],
    ['light', 1280],
    ['dark', 1920],
  ] as const)(
    'all parts fit: %s, %i pixels wide',
    async (colorScheme, width) => {
      const { page, visit } = await world.asOwner({ colorScheme, viewport: { width, height: 800 } });
      for (const search of ['', '?as=service&by=sdk', '?part=graphql&as=service', '?part=sign-in', '?part=live']) {
        await visit(`/projects/${projectId}/api${search}`);
        await page.getByRole('tab', { name: 'Tables and functions' }).waitFor();
        expect(await violations(page)).toEqual([]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      }
      // Five parts, each loaded anew and looked at whole.
    },
    240_000,
  );
});
