import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { choose } from './console-choose.ts';
import { startConsoleWorld, violations } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('the log of a project, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, projectId, key, asOwner } = world;
  const path = `/projects/${projectId}/logs`;

  test('requests show up by themselves, newest first, and the address holds the filters', async () => {
    const { page, visit } = await asOwner();
    await visit(path);
    await page.getByText('No requests yet').waitFor();
    await service.call(key, 'GET', '/admin/v1/rest/first');
    const rows = page.getByRole('group', { name: 'Requests' }).getByRole('row');
    await rows.getByText('/admin/v1/rest/first').waitFor();
    await service.call(key, 'POST', '/admin/v1/rest/second', { body: {} });
    await rows.getByText('/admin/v1/rest/second').waitFor();
    const paths = async () => (await rows.allTextContents()).slice(1).map((text) => /rest\/(\w+)/.exec(text)?.[1]);
    expect(await paths()).toEqual(['second404', 'first404'].map((name) => expect.stringContaining(name.slice(0, 5))));
    await choose(page, 'Method', 'GET');
    await expect.poll(() => rows.count()).toBe(2);
    await choose(page, 'Status', '5xx failed');
    await page.getByText('No request fits').waitFor();
    expect(page.url()).toContain('method=GET');
    expect(page.url()).toContain('status=5xx');
    // A reload keeps them, and the way back takes them away one by one.
    await page.reload();
    await page.getByText('No request fits').waitFor();
    await page.goBack();
    await rows.getByText('/admin/v1/rest/first').waitFor();
    await page.getByRole('searchbox', { name: 'Path or request id' }).fill('/admin/v1/rest/sec');
    await page.getByText('No request fits').waitFor();
    await choose(page, 'Method', 'Any method');
    await rows.getByText('/admin/v1/rest/second').waitFor();
    expect(await rows.count()).toBe(2);
  });

  test('a path that is typed with pauses is one step back', async () => {
    const { page, visit } = await asOwner();
    await visit(`${path}?live=off`);
    const field = page.getByRole('searchbox', { name: 'Path or request id' });
    const asked = () => new URL(page.url()).searchParams.get('path');
    for (const text of ['/admin', '/admin/v1', '/admin/v1/rest']) {
      await field.fill(text);
      await expect.poll(asked).toBe(text);
    }
    await page.goBack();
    await page.waitForURL((url) => !url.pathname.endsWith('/logs'));
  });

  test('without Live nothing is asked until the page is loaded again', async () => {
    const { page, visit } = await asOwner();
    await visit(`${path}?live=off`);
    const table = page.getByRole('group', { name: 'Requests' });
    await page.getByText('Updates are off').waitFor();
    await service.call(key, 'GET', '/admin/v1/rest/unseen');
    await service.app.services.traffic.flush();
    expect(await table.getByText('/admin/v1/rest/unseen').count()).toBe(0);
    await page.getByRole('switch', { name: 'Live' }).press(' ');
    await page.getByText('Updates every 3 seconds').waitFor();
    await table.getByText('/admin/v1/rest/unseen').waitFor();
  });

  test('a refusal is opened by the id that it carries, and its command holds no secret', async () => {
    const refused = await service.call(key, 'GET', '/admin/v1/rest/refused?token=secret');
    const id = refused.headers.get('x-svc-trace-id')!;
    const { page, visit } = await asOwner();
    await visit(path);
    await page.getByRole('searchbox', { name: 'Path or request id' }).fill(id);
    const dialog = page.getByRole('dialog', { name: 'Request' });
    await dialog.getByText(id).waitFor();
    await dialog.getByText('PGRST100').waitFor();
    expect(page.url()).toContain(`request=${id}`);
    const command = await dialog.getByRole('figure', { name: 'Send it again' }).getByRole('code').textContent();
    expect(command).toContain('/admin/v1/rest/refused');
    expect(command).toContain('$SVC_SERVICE_KEY');
    expect(command).not.toContain('secret');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('request=');
    // A link leads to it; an id of another project is like one that is not there.
    await visit(`${path}?request=trc_${'0'.repeat(32)}`);
    await dialog.getByText('Not in the log').waitFor();
  });

  test('older pages are reached and left again, and Live stays on the newest', async () => {
    for (let batch = 0; batch < 4; batch++) {
      await Promise.all(
        Array.from({ length: 15 }, (_, at) => service.call(key, 'GET', `/admin/v1/rest/old_${batch}_${at}`)),
      );
      // The log takes some lines of each second, and these are to be in it.
      await setTimeout(1_000);
    }
    await service.app.services.traffic.flush();
    const { page, visit, press } = await asOwner();
    await visit(`${path}?path=/admin/v1/rest/old`);
    const rows = page.getByRole('group', { name: 'Requests' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(51);
    await press('Older');
    await expect.poll(() => rows.count()).toBe(11);
    await page.getByText('Only the newest page updates').waitFor();
    expect(page.url()).toContain('after=');
    await press('Newest');
    await expect.poll(() => rows.count()).toBe(51);
  });

  test('a member without the right to the log is told so, and reads nothing of it', async () => {
    const { page, visit } = await asOwner({}, 'viewer');
    await visit(path);
    await page.getByRole('alert').getByText('NOT_AUTHORIZED').waitFor();
    expect(await page.getByRole('group', { name: 'Requests' }).count()).toBe(0);
  });

  test.each(looks)('the log can be used by everybody: %s, %i pixels wide', async (...look) => {
    const { headers } = await service.call(key, 'GET', '/admin/v1/rest/looked_at');
    await expectUsable((options) => asOwner(options), look as (typeof looks)[number], [
      { path, sign: '/admin/v1/rest/looked_at' },
      { path: `${path}?status=5xx`, sign: 'No request fits' },
      { path: `${path}?request=${headers.get('x-svc-trace-id')}`, sign: 'Send it again' },
    ]);
  });
});
