import { describe, expect, test } from 'vitest';
import { roles } from '../../kernel/access/permissions.ts';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('the home and the settings of a project, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, projectId, key, run, post, asOwner } = world;

  test('the first steps of an empty project go as they are done, wherever that is', async () => {
    const { page, visit } = await asOwner();
    await visit(`/projects/${projectId}`);
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByRole('link', { name: 'Make a table' }).waitFor();
    expect(await steps.getByRole('link').allTextContents()).toEqual(['Make a table', 'Expose it', 'Add a user']);
    await world.tables();
    await page.reload();
    await steps.getByText('Make a table (done)').waitFor();
    expect(await steps.getByRole('link').allTextContents()).toEqual(['Add a user']);
    const user = { email: 'ada@example.com', password: 'correct horse battery 9' };
    expect((await service.call(key, 'POST', '/auth/v1/signup', { body: user })).status).toBeLessThan(300);
    await page.reload();
    await page.getByRole('heading', { name: 'Connect', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Latest requests' }).waitFor();
    await expect.poll(() => steps.count()).toBe(0);
  });

  test('a snippet copies the address and the whole key, which the page shows only on request', async () => {
    const { page, visit, press } = await asOwner({ permissions: ['clipboard-read', 'clipboard-write'] });
    await visit(`/projects/${projectId}`);
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await press('Copy curl snippet');
    await expect.poll(copied).toContain(`${new URL(page.url()).origin}/rest/v1/notes`);
    expect(await page.getByText(/eyJ/).count()).toBe(0);
    await press('Get the keys');
    await page.getByText('Service key', { exact: true }).waitFor();
    const { anonKey, serviceKey } = (
      await service.graphql(world.wallet, 'query ($id: ID!) { project(id: $id) { keys { anonKey serviceKey } } }', {
        id: projectId,
      })
    ).data.project.keys;
    expect(await page.getByText(anonKey).count()).toBe(0);
    await press('Copy curl snippet');
    await expect.poll(copied).toContain(anonKey);
    await page.getByRole('tab', { name: '.env' }).click();
    await press('Copy .env snippet');
    await expect.poll(copied).toContain(`SVC_SERVICE_KEY=${serviceKey}`);
    expect(await page.getByText(serviceKey).count()).toBe(0);
    await press('Show anon key');
    await page.getByText(anonKey, { exact: true }).waitFor();
    // The address holds the tab.
    await page.reload();
    await page.getByRole('tab', { name: '.env', selected: true }).waitFor();
  });

  test('charts show what the gateway kept, in the range of the address, and a refused request among the errors', async () => {
    for (let time = 0; time < 3; time++) await service.call(key, 'GET', `/projects/v1/${projectId}/nothing/here`);
    await service.call(key, 'GET', '/admin/v1/rest/absent');
    const { page, visit } = await asOwner();
    await visit(`/projects/${projectId}?range=hour`);
    const requests = page.getByRole('slider', { name: 'Moment of Requests' });
    await requests.waitFor();
    expect(await requests.getAttribute('aria-valuemax')).toBe('59');
    await page.getByRole('radio', { name: 'Week' }).click();
    await expect.poll(() => requests.getAttribute('aria-valuemax')).toBe('167');
    expect(page.url()).toContain('range=week');
    const errors = page.getByRole('slider', { name: 'Moment of Errors' });
    await expect.poll(() => errors.getAttribute('aria-valuetext')).toMatch(/Refused \(4xx\) [1-9]/);
    const lines = page.getByRole('region', { name: 'Latest requests' }).getByRole('row');
    await lines.filter({ hasText: '/admin/v1/rest/absent' }).first().getByRole('link').click();
    await page.getByRole('dialog', { name: 'Request' }).getByText('PGRST205').waitFor();
  });

  test('a project is renamed, and deleted only with its name typed', async () => {
    const made = await post('/projects/v1', { org_id: world.orgId, name: 'To be deleted' });
    const { page, visit, press, fill } = await asOwner();
    await visit(`/projects/${made.project_id}/settings`);
    await fill('Name', 'مشروع '.repeat(30).trim());
    await press('Rename');
    await expect.poll(() => page.getByRole('button', { name: 'Rename' }).isDisabled()).toBe(true);
    await fill('Name', 'Last words');
    await press('Rename');
    await page.getByRole('navigation', { name: 'Where you are' }).getByText('Last words').waitFor();
    await press('Delete project');
    const dialog = page.getByRole('alertdialog', { name: 'Delete Last words?' });
    await dialog.getByRole('textbox').fill('Last word');
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await dialog.getByText('That is not its name, so nothing was deleted.').waitFor();
    expect((await service.call(world.wallet, 'GET', `/projects/v1/${made.project_id}`)).status).toBe(200);
    await dialog.getByRole('textbox').fill('Last words');
    // Pressed ten times, it is deleted once and complains of nothing.
    await dialog.getByRole('button', { name: 'Delete for good' }).dblclick();
    await page.waitForURL(`**/console/orgs/${world.orgId}`);
    expect((await service.call(world.wallet, 'GET', `/projects/v1/${made.project_id}`)).status).toBe(403);
    // The way back does not lead to a project that is gone.
    await page.goBack();
    await page.waitForURL((url) => !url.pathname.endsWith(`/orgs/${world.orgId}`));
    expect(page.url()).not.toContain(made.project_id);
  });

  test.each(roles)(
    'a member of the role %s is offered what the gateway lets them do, and nothing else',
    async (role) => {
      const { page, visit } = await asOwner({}, role);
      const reaches = (lowest: (typeof roles)[number]) => roles.indexOf(role) <= roles.indexOf(lowest);
      const offers = async (kind: 'button' | 'heading', name: string) =>
        (await page.getByRole(kind, { name, exact: true }).count()) > 0;
      await visit(`/projects/${projectId}`);
      await page.getByRole('heading', { name: 'Use of the tier' }).waitFor();
      expect({ keys: await offers('button', 'Get the keys'), log: await offers('heading', 'Latest requests') }).toEqual(
        {
          keys: reaches('owner'),
          log: reaches('developer'),
        },
      );
      await visit(`/projects/${projectId}/settings`);
      await page.getByRole('heading', { name: 'Details' }).waitFor();
      expect({
        rename: await offers('button', 'Rename'),
        remove: await offers('button', 'Delete project'),
      }).toEqual({ rename: reaches('admin'), remove: reaches('owner') });
      expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    },
  );

  test.each(looks)('the pages can be used by everybody: %s, %i pixels wide', async (...look) => {
    await run('create table if not exists seen (id int)');
    await expectUsable((options) => asOwner(options), look as (typeof looks)[number], [
      { path: `/projects/${projectId}`, sign: 'Use of the tier' },
      { path: `/projects/${projectId}?use=auth&range=hour`, sign: 'Use of the tier' },
      { path: `/projects/${projectId}/settings`, sign: 'Public id' },
      { path: `/projects/${projectId}/settings?dialog=delete`, sign: 'Delete for good' },
    ]);
  });
});
