import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { deploying, refOf } from '../deploys/deploying.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

const source = `export default async (request) => {
  const said = await request.text();
  console.log('heard ' + said);
  console.error('and complained');
  if (said.includes('order.lost')) return new Response('no such order', { status: 400 });
  if (said === 'break') throw new Error('broken on purpose');
  return Response.json({ said, trial: request.headers.get('x-trial') });
};`;

describe.skipIf(chromiumProgram() === undefined)('functions of a project in the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, wallet, project, projectId, key, post } = world;
  const functions = `/projects/${projectId}/functions`;

  beforeAll(async () => {
    await service.control.sql(`update orgs set tier = 'team' where id = $1`, [world.orgId]);
    const spec = {
      functions: {
        replace: {
          checkout: {
            source: refOf(source),
            config: { timeout_seconds: 7, memory_mb: 128 },
            triggers: [
              {
                id: 'nightly',
                type: 'schedule',
                cron: '30 2 * * *',
                timezone: 'Europe/Zurich',
                run: { event_type: 'order.nightly' },
              },
            ],
          },
        },
      },
      routes: { replace: [{ pattern: '/api/*', methods: ['POST'], target: { type: 'function', name: 'checkout' } }] },
    };
    await deploying(service, wallet, project).deploy(spec, [source]);
  });
  const says = (body: string) =>
    fetch(`${service.url}/functions/v1/checkout`, { method: 'POST', headers: { apikey: project.anonKey }, body });
  const order = (event: string) =>
    post('/functions/v1/checkout/runs', { event_type: event, idempotency_key: event }, key) as Promise<{
      run_id: string;
    }>;

  test('functions are listed with their calls and errors, and one shows what it runs with', async () => {
    expect((await says('hello')).status).toBe(200);
    expect((await says('break')).status).toBe(500);
    const { page, visit, press } = await world.asOwner();
    await visit(functions);
    const row = page.getByRole('group', { name: 'Functions' }).getByRole('row').filter({ hasText: 'checkout' });
    await row.getByText('/api/*').waitFor();
    const cells = await row.getByRole('cell').allTextContents();
    expect(cells.slice(2, 4)).toEqual(['2', '1']);
    await page.getByRole('slider', { name: 'Moment of Calls' }).waitFor();
    await page.getByRole('slider', { name: 'Moment of Errors' }).waitFor();
    await row.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'checkout' }).waitFor();
    await page.getByRole('slider', { name: 'Moment of Latency' }).waitFor();
    const settings = page.getByRole('region', { name: 'Settings' });
    await settings.getByText('7 s').waitFor();
    await settings.getByText('None: anybody may call it').waitFor();
    await press('Change limits');
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox', { name: 'Time limit' }).fill('9');
    await dialog.getByRole('button', { name: 'Change limits' }).click();
    await settings.getByText('9 s').waitFor();
  });

  test('the log shows lines as they are printed, by level and by call', async () => {
    const { page, visit } = await world.asOwner();
    await visit(`${functions}/checkout?tab=logs`);
    const log = page.getByRole('log');
    await log.getByText('heard hello').waitFor();
    const { headers } = await says('while you look');
    await log.getByText('heard while you look').waitFor();
    await visit(`${functions}/checkout?tab=logs&call=${headers.get('x-svc-request-id')}`);
    await log.getByText('heard while you look').waitFor();
    expect(await log.getByText('heard hello').count()).toBe(0);
    await visit(`${functions}/checkout?tab=logs&level=stderr&live=off`);
    await log.getByText('and complained').first().waitFor();
    expect(await log.getByText('heard').count()).toBe(0);
  });

  test('a function is called by hand, and its answer is shown', async () => {
    const { page, visit, press, fill } = await world.asOwner();
    await visit(`${functions}/checkout?tab=call`);
    await fill('Headers', '{"x-trial": "by hand"}');
    await fill('Body', 'from the console');
    await press('Call function');
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText('200').waitFor();
    expect(await answer.getByRole('figure', { name: 'Body of the answer' }).locator('pre').textContent()).toBe(
      '{\n  "said": "from the console",\n  "trial": "by hand"\n}',
    );
    await answer.getByRole('link').click();
    await page.getByRole('log').getByText('heard from the console').waitFor();
  });

  test('runs are found by their state, and one that failed is run again; a schedule runs now', async () => {
    const { run_id } = await order('order.lost');
    const { page, visit, press } = await world.asOwner();
    await visit(`${functions}/checkout?tab=runs&status=FAILED`);
    const row = page.getByRole('group', { name: 'Runs' }).getByRole('row').filter({ hasText: run_id });
    await row.getByText('FUNCTION_RUN_HTTP_400').waitFor();
    await row.getByRole('link').click();
    await page.getByText('no such order').waitFor();
    await page.getByRole('log').getByText('order.lost').first().waitFor();
    await press('Run again');
    await page.getByText('2, with 2 attempts in all').waitFor();
    await page.getByText('Failed', { exact: true }).first().waitFor();
    await visit(`${functions}/checkout?tab=schedules`);
    const schedule = page.getByRole('region', { name: 'nightly' });
    await expect.poll(() => schedule.getByRole('listitem').count()).toBe(5);
    await press('Run now nightly');
    await page.getByText('By hand, nightly').waitFor();
    await page.getByText('Succeeded').first().waitFor();
  });

  test('a run that waits is cancelled', async () => {
    const { run_id } = (await post(
      '/functions/v1/checkout/runs',
      { event_type: 'order.later', idempotency_key: 'later', delay_seconds: 3_600 },
      key,
    )) as { run_id: string };
    const { page, visit, press } = await world.asOwner();
    await visit(`${functions}/checkout/runs/${run_id}`);
    await page.getByText('Scheduled').first().waitFor();
    await press('Cancel run');
    await page.getByText('Cancelled').first().waitFor();
  });

  test('a viewer reads, and is offered no change and no call', async () => {
    const { page, visit } = await world.asOwner({}, 'viewer');
    await visit(`${functions}/checkout`);
    await page.getByText('None: anybody may call it').waitFor();
    expect(await page.getByRole('button', { name: 'Change limits' }).count()).toBe(0);
    expect(await page.getByRole('tab', { name: 'Call' }).count()).toBe(0);
  });

  test.each(looks)(
    'functions can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      const { run_id } = await order('order.lost');
      await expectUsable(world.asOwner, look, [
        { path: functions, sign: 'Live functions' },
        { path: `${functions}/checkout`, sign: 'None: anybody may call it' },
        { path: `${functions}/checkout?dialog=limits`, sign: 'The tier of the organization limits both' },
        { path: `${functions}/checkout?tab=logs`, sign: 'and complained' },
        { path: `${functions}/checkout?tab=runs`, sign: 'FUNCTION_RUN_HTTP_400' },
        { path: `${functions}/checkout?tab=schedules`, sign: 'Europe/Zurich' },
        { path: `${functions}/checkout?tab=call`, sign: 'Body' },
        { path: `${functions}/checkout/runs/${run_id}`, sign: 'no such order' },
      ]);
    },
    240_000,
  );
});
