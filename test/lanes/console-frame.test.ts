import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startBreakableWay } from '../helpers/breakable-way.ts';
import { startUpgradedConsole } from '../helpers/upgraded-console.ts';
import { pressIfThere } from './console-choose.ts';
import { startConsoleWorld, violations } from './console-owner.ts';

describe.skipIf(chromiumProgram() === undefined)('the frame of the console in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, wallet, orgId, projectId, post } = world;

  async function atProject(more: Parameters<typeof world.asOwner>[0] = {}, role?: string) {
    const opened = await world.asOwner(more, role);
    await opened.visit(`/projects/${projectId}`);
    // Its pages are listed once the rights are known.
    await opened.page.locator('nav a[href$="/errors"]').waitFor({ state: 'attached' });
    return opened;
  }

  test('the switchers say where the page is, and lead to any other organization and project', async () => {
    const { page } = await atProject();
    await post(`/orgs/v1/${orgId}`, { display_name: 'Ministry of Works' }, wallet).catch(() => undefined);
    const { project_id: other } = await post('/projects/v1', { org_id: orgId, name: 'Telegraph' });
    await page.getByRole('button', { name: /^Project: / }).click();
    const choices = page.getByRole('dialog', { name: /^Project: / });
    await choices.getByRole('menuitemradio', { name: 'Telegraph' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type('telegr');
    await expect.poll(() => choices.getByRole('menuitemradio').allTextContents()).toEqual(['Telegraph']);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Project: Telegraph' }).waitFor();
    expect(page.url()).toMatch(`/console/projects/${other}`);
    await page.goBack();
    await expect.poll(() => page.url()).toMatch(`/console/projects/${projectId}`);

    await page.getByRole('button', { name: /^Organization: / }).click();
    await page.getByRole('menuitem', { name: 'All organizations' }).click();
    await page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor();
  });

  test('a member is led to the pages that the role allows, and to no other', async () => {
    const names = async (role: string) => {
      const { page } = await atProject({}, role);
      const nav = page.getByRole('navigation', { name: 'Console' });
      return nav.getByRole('region', { name: 'Project' }).getByRole('link').allTextContents();
    };
    const [owner, developer, viewer] = [await names('owner'), await names('developer'), await names('viewer')];
    expect(owner).toEqual(
      expect.arrayContaining(['Home', 'Tables', 'SQL', 'Users', 'Access', 'Secrets', 'Errors', 'Sharing']),
    );
    expect(developer).toContain('SQL');
    expect(developer).not.toContain('Sharing');
    expect(viewer).toEqual(['Home', 'Deployments', 'Site', 'Domains', 'Errors', 'Room']);
  });

  test('the palette finds pages, tables, projects and commands by name, and ids that were copied', async () => {
    await world.tables();
    const { page } = await atProject();
    const palette = page.getByRole('dialog', { name: 'Search or run a command' });
    const found = () => palette.getByRole('menuitem').locator('[slot=label]').allTextContents();
    const look = async (text: string) => {
      await page.keyboard.press('Control+k');
      await palette.waitFor();
      await page.keyboard.type(text);
    };
    await look('task');
    await expect.poll(found).toEqual(['tasks']);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain(`/projects/${projectId}/tables?table=tasks`);

    await look('dark');
    await expect.poll(found).toEqual(['Dark colours']);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');

    await look(orgId);
    await expect.poll(async () => (await found())[0]).toBe(orgId);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toMatch(new RegExp(`/orgs/${orgId}$`));

    await look('invite');
    await page.getByRole('menuitem', { name: /^Invite a member/ }).click();
    await page.getByRole('alertdialog', { name: 'Add a member' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.goto(`${service.url}/console/projects/${projectId}`);
    await page.getByRole('button', { name: /^Project: / }).waitFor();
    await look('new table');
    await palette.getByRole('menuitem', { name: /^New table/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog', { name: 'New table' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });

    await look('nothing of this name');
    await palette.getByText('Nothing is called so.').waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
  });

  test('keys lead to pages, not while something is typed, and not for those who turned them off', async () => {
    const { page } = await atProject();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByText('Escalations').waitFor();
    expect(await violations(page)).toEqual([]);
    await list.getByRole('switch').press('Space');
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    expect(await list.count()).toBe(0);
    expect(page.url()).toMatch(/\/errors$/);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();
    await page.keyboard.press('?');
    expect(await list.count()).toBe(0);
  });

  test('what is typed in an editor is text, not keys of the page, and its completions never cover a question', async () => {
    const { page, visit } = await world.asOwner();
    await visit(`/projects/${world.projectId}/sql`);
    const editor = page.getByRole('textbox', { name: 'SQL' });
    await editor.click();
    await page.keyboard.type("select 'g r g t g s ?' as big, count(*) from pg_class group by 1 ");
    await expect.poll(() => editor.textContent()).toContain('group by 1');
    expect(new URL(page.url()).pathname).toBe(`/console/projects/${world.projectId}/sql`);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('drop table nothing_here');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Run it' }).waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Run it' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    expect(await page.getByRole('listbox').count()).toBe(0);
  });

  test('on a narrow screen a button opens the sections, and going somewhere closes them', async () => {
    const { page } = await atProject({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    const nav = page.getByRole('navigation', { name: 'Console' });
    const menu = page.getByRole('button', { name: 'Menu', exact: true });
    expect(await nav.isVisible()).toBe(false);
    // A page that is still arriving may be drawn anew under the key.
    await expect
      .poll(async () => {
        if ((await menu.getAttribute('aria-expanded')) !== 'true') await menu.press('Enter');
        return nav.getByRole('link', { name: 'Errors' }).isVisible();
      })
      .toBe(true);
    expect(await menu.getAttribute('aria-expanded')).toBe('true');
    expect(await violations(page)).toEqual([]);
    await nav.getByRole('link', { name: 'Errors' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();
    expect(await nav.isVisible()).toBe(false);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });

  test('names of 200 characters and names from right to left leave the frame in order', async () => {
    const { page } = await atProject();
    for (const name of ['ا'.repeat(200), 'w'.repeat(200)]) {
      await service.call(wallet, 'PATCH', `/projects/v1/${projectId}`, { body: { name } });
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await page.reload();
        await page.getByRole('button', { name: `Project: ${name}` }).waitFor();
        expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      }
    }
  });

  test('an old address leads to the page that took its place', async () => {
    const { page, visit } = await atProject();
    await visit(`/projects/${projectId}/rows?table=notes`);
    await expect.poll(() => page.url()).toMatch(new RegExp(`/projects/${projectId}/tables\\?table=notes$`));
    await visit('/outbox');
    await expect.poll(() => page.url()).toMatch(/\/installation\/outbox$/);
  });

  test('without the gateway the console opens, says so, and goes on as soon as the gateway answers', async () => {
    const way = await startBreakableWay(service.url);
    onTestFinished(way.close);
    const { page } = await atProject({ url: way.url });
    // The second load is served by the service worker, which keeps the files of the first.
    await page.evaluate('navigator.serviceWorker.ready');
    await page.reload();
    await page.getByRole('button', { name: /^Project: / }).waitFor();
    way.cut();
    await page.reload();
    await page.getByText('The gateway does not answer').waitFor();
    expect(await violations(page)).toEqual([]);
    way.mend();
    // It tries by itself as well.
    await pressIfThere(page, 'Try now');
    await page.getByRole('button', { name: /^Project: / }).waitFor();
  });

  test('neither another file of the console nor the page of a proxy takes the place of the kept document', async () => {
    const { port, hostname } = new URL(service.url);
    let isAway = false;
    const proxy = createServer((asked, answer) => {
      if (isAway) return void answer.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
      const { url: path, method, headers } = asked;
      request({ host: hostname, port, path, method, headers }, (found) => {
        answer.writeHead(found.statusCode!, found.headers);
        found.pipe(answer);
      }).end();
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close());
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { page, visit } = await world.open({ url, refusals: true });
    await visit('');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.evaluate('navigator.serviceWorker.ready');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await visit('/session.json');
    await visit('/favicon.svg');
    isAway = true;
    await visit('/orgs');
    await page.getByText('The gateway does not answer').waitFor();
    isAway = false;
    await pressIfThere(page, 'Try now');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });

  test('after an upgrade a page that is open goes on, and nothing of the earlier build is kept', async () => {
    const upgraded = await startUpgradedConsole(service.url);
    onTestFinished(upgraded.close);
    const { page, visit } = await atProject({ url: upgraded.url, refusals: true });
    const kept = () =>
      page.evaluate<string[]>(
        `caches.open('console').then((cache) => cache.keys()).then((all) => all.map(({ url }) => new URL(url).pathname))`,
      );
    const isEarlier = (path: string) => path.includes('/earlier-');
    await page.evaluate('navigator.serviceWorker.ready');
    await page.reload();
    await page.getByRole('button', { name: /^Project: / }).waitFor();
    await expect.poll(async () => (await kept()).some(isEarlier)).toBe(true);
    upgraded.upgrade();
    // A page whose code is not loaded yet, from a tab that has the earlier build.
    await page.getByRole('link', { name: 'Errors', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();
    await visit(`/projects/${projectId}`);
    await page.getByRole('button', { name: /^Project: / }).waitFor();
    await expect.poll(async () => (await kept()).filter(isEarlier)).toEqual([]);
    await expect.poll(kept).toContain('/console');
  });
});
