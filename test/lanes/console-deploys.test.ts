import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { deploying, siteOf } from '../deploys/deploying.ts';
import { choose } from './console-choose.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('deployments in the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, projectId, project, asOwner } = world;
  const mine = deploying(service, world.wallet, project);
  const deploys = `/projects/${projectId}/deploys`;
  const liveId = async () => (await mine.read('/apply/v1/releases/active')).body.release_id;
  const migration = (id: string, sql: string) => ({ database: { migrations: [{ id, sql }] } });

  test('a deploy shows in the list as it goes live, and its page follows it to the end', async () => {
    const { page, visit } = await asOwner();
    await visit(deploys);
    await page.getByText('Nothing deployed yet').waitFor();
    const slow = { ...migration('001_notes', 'create table n (id int); select pg_sleep(3)') };
    await mine.upload('one');
    const planned = await mine.plan({ ...slow, ...siteOf({ 'index.html': 'one' }) });
    await mine.commit(planned.body.plan_id);
    const row = page.getByRole('group', { name: 'Deployments' }).locator('tbody tr').first();
    await row.waitFor();
    await visit(`${deploys}/${planned.body.operation_id}`);
    const phases = page.getByRole('list', { name: 'Phases' });
    await phases.getByRole('listitem').filter({ hasText: 'Ready' }).getByText('done').waitFor();
    const log = page.getByRole('log', { name: 'Log' });
    await log.getByText('001_notes').waitFor();
    await log.getByText('the release is served').waitFor();
    await page.getByRole('main').getByText('Live', { exact: true }).waitFor();
    // What it changed is told against an empty project, as it was the first.
    const changes = page.getByRole('group', { name: 'Changes' });
    await changes.getByRole('row').filter({ hasText: 'index.html' }).getByText('added').waitFor();
    await changes.getByRole('row').filter({ hasText: '001_notes' }).getByText('Migration').waitFor();
  });

  test('going back shows what stays, asks for agreement by name, and makes the release live', async () => {
    const first = await liveId();
    await mine.deploySite({ 'index.html': 'two', 'new.html': 'new' });
    const last = await mine.deploy(migration('002_more', 'create table m (id int)'));
    const { page, visit, press } = await asOwner();
    await visit(deploys);
    const row = page.getByRole('row').filter({ hasText: first });
    await row.getByRole('button', { name: `Make live ${first}` }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Make this release live?' });
    await dialog.getByRole('button', { name: 'Make it live' }).click();
    await dialog.getByText('MIGRATIONS_NOT_REVERSIBLE').waitFor();
    await dialog.getByText('002_more').waitFor();
    expect(await liveId()).toBe(last.release_id);
    const anyway = dialog.getByRole('button', { name: 'Make it live all the same' });
    expect(await anyway.isDisabled()).toBe(true);
    await dialog.getByText('I know what that means for the app').click();
    await anyway.click();
    await page.getByRole('heading', { level: 1, name: 'Promotion' }).waitFor();
    expect(await liveId()).toBe(first);
    await page.getByRole('group', { name: 'Changes' }).getByRole('row').filter({ hasText: 'new.html' }).waitFor();
    await choose(page, 'Compared with', 'The release that is live');
    await page.getByText('No difference').waitFor();
    expect(new URL(page.url()).searchParams.get('against')).toBe('active');
    // The page of the later one offers the way forward; nothing needs agreement there.
    await visit(`${deploys}/${last.operation_id}`);
    await press('Make it live');
    await dialog.getByRole('button', { name: 'Make it live' }).click();
    await page.getByRole('heading', { level: 1, name: 'Promotion' }).waitFor();
    expect(await liveId()).toBe(last.release_id);
  });

  test('a failed migration is told with the words of the database, and filters find it', async () => {
    const failed = await mine.deploy(migration('003_wrong', 'select * from nowhere'));
    const { page, visit } = await asOwner();
    await visit(deploys);
    await choose(page, 'Status', 'Rolled back');
    const rows = page.getByRole('group', { name: 'Deployments' }).locator('tbody tr');
    await rows.getByText('Ready', { exact: true }).first().waitFor({ state: 'detached' });
    // The list may not have been there yet.
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByRole('link').click();
    await page.getByText('all of its transaction was taken back').waitFor();
    await page
      .getByText(/relation "nowhere" does not exist/)
      .first()
      .waitFor();
    expect(page.url()).toContain(failed.operation_id);
    // What it would have changed.
    await page
      .getByRole('group', { name: 'Changes' })
      .getByRole('row')
      .filter({ hasText: '003_wrong' })
      .getByText('Migration')
      .waitFor();
    await visit(`${deploys}?status=failed`);
    await page.getByText('No deployment fits').waitFor();
    await visit(`${deploys}?kind=promote`);
    await page.getByText('Promotion', { exact: true }).first().waitFor();
    expect(await rows.filter({ hasText: 'Deploy' }).count()).toBe(0);
  });

  test('a deploy that waits after its migrations goes on when it is told to', async () => {
    await service.control.sql(`create function refuse_flip() returns trigger language plpgsql as
      $$ begin if new.project_id = '${projectId}' and new.release_id is distinct from old.release_id then raise exception 'no'; end if; return new; end $$`);
    await service.control.sql(
      'create trigger refuse_flip before update on live_releases for each row execute function refuse_flip()',
    );
    const waiting = await mine.deploy(migration('004_last', 'create table l (id int)'));
    const { page, visit, press } = await asOwner();
    await visit(`${deploys}/${waiting.operation_id}`);
    await page.getByText('Migrations were run, and the release is not live yet').waitFor();
    await service.control.sql('drop trigger refuse_flip on live_releases');
    await press('Try again now');
    await page.getByText('Migrations were run, and the release is not live yet').waitFor({ state: 'detached' });
    await page.getByRole('main').getByText('Live', { exact: true }).waitFor();
    expect((await mine.read(`/apply/v1/operations/${waiting.operation_id}`)).body.status).toBe('ready');
  });

  test('a viewer reads all of it and changes nothing; another project’s deploy is not found', async () => {
    const other = await service.project();
    const theirs = await deploying(service, other.wallet, other).deploySite({ 'index.html': 'theirs' });
    const { page, visit } = await asOwner({}, 'viewer');
    await visit(deploys);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Make live/ }).count()).toBe(0);
    await visit(`${deploys}/${theirs.operation_id}`);
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByText(theirs.release_id).count()).toBe(0);
  });

  test('a guest with a grant to read sees the deployments and the site, and changes nothing', async () => {
    const { page, visit, enter, address } = await world.open();
    await visit('');
    await enter();
    await world.post(`/projects/v1/${projectId}/grants`, { wallet: await address(), capability: 'read' });
    await visit(deploys);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Make live/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Site', exact: true }).click();
    await page.getByRole('group', { name: 'Public paths' }).getByText('index.html').first().waitFor();
    await page.getByRole('tab', { name: 'Subdomains' }).click();
    await page.getByText('No subdomain yet').waitFor();
    expect(await page.getByRole('button', { name: 'Claim subdomain' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Secrets' }).count()).toBe(0);
  });

  test.each(looks)(
    'deployments can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      const { body } = await mine.read('/apply/v1/operations?status=rolled_back');
      const active = await liveId();
      const { body: all } = await mine.read('/apply/v1/operations?kind=deploy&status=ready');
      await expectUsable(asOwner, look, [
        { path: deploys, sign: active },
        { path: `${deploys}?dialog=how`, sign: 'The files of a folder' },
        { path: `${deploys}/${body.operations[0].operation_id}`, sign: 'all of its transaction was taken back' },
        { path: `${deploys}/${all.operations.at(-1).operation_id}`, sign: 'the release is served' },
      ]);
    },
    120_000,
  );
});
