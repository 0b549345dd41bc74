import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { failure, failureNumbered, minutesAgo, reporter } from '../errors/reporting.ts';
import { startConsoleWorld, violations } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('errors of the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, post, open } = world;

  /** An owner of a project of their own, and how its functions report. */
  async function inProject() {
    const project = await service.project();
    const opened = await open();
    await opened.visit('');
    await opened.enter();
    await post(`/orgs/v1/${project.orgId}/members`, { wallet: await opened.address(), role: 'owner' }, project.wallet);
    return { ...project, ...opened, ...reporter(service, project) };
  }

  /** The chart as screen readers and keys read it: how many bars, the sum of all, and of the last two. */
  async function counted(page: Page, title: string) {
    const chart = page.getByRole('slider', { name: `Moment of ${title}` });
    await chart.waitFor();
    await chart.focus();
    const bars = Number(await chart.getAttribute('aria-valuemax')) + 1;
    // An earlier look may have left it at another moment than the last.
    for (let bar = 1; bar < bars; bar += 1) await page.keyboard.press('ArrowRight');
    const values: number[] = [];
    for (let bar = 0; bar < bars; bar += 1) {
      const text = (await chart.getAttribute('aria-valuetext'))!;
      values.unshift(Number(/Errors (\d+)$/.exec(text)![1]));
      await page.keyboard.press('ArrowLeft');
    }
    const sum = (some: readonly number[]) => some.reduce((so, one) => so + one, 0);
    return { bars, all: sum(values), lately: sum(values.slice(-2)) };
  }
  const choose = async (page: Page, name: string) => {
    await page.getByRole('button', { name: /Time$/ }).click();
    await page.getByRole('option', { name }).click();
  };

  test('failures show up as they become known, with the verdict first, and are drawn over time', async () => {
    const { page, visit, projectId, report, invoked } = await inProject();
    await visit(`/projects/${projectId}/errors`);
    await page.getByText('No traffic yet').waitFor();
    await invoked({ function: 'checkout', count: 40 });
    await report(failure({ sample_id: 'req_1', release_id: 'rel_a' }));
    // It is new in a release, so word of it comes by itself, and sooner than anything is asked for anyway.
    await page.getByText('1 error is new.').waitFor();
    const verdict = page.getByRole('region', { name: 'Verdict' });
    const list = page.getByRole('region', { name: 'Errors', exact: true }).last();
    await list.getByText(/^TypeError: /).waitFor();
    expect(
      await page.evaluate<number>(`(() => {
      const [verdict, table] = ['[aria-label=Verdict]', '.table'].map((one) => document.querySelector(one));
      return verdict.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING;
    })()`),
    ).toBeGreaterThan(0);
    expect(await counted(page, 'Errors by the hour')).toEqual({ bars: 25, all: 1, lately: 1 });
    await choose(page, 'Last 30 days');
    expect(await counted(page, 'Errors by the day, in UTC')).toEqual({ bars: 31, all: 1, lately: 1 });
    await page.getByRole('list', { name: 'Releases' }).getByText('rel_a').waitFor();
    // The address holds the filter.
    await page.reload();
    await page.getByRole('slider', { name: 'Moment of Errors by the day, in UTC' }).waitFor();
    await verdict.getByText('1 error is new.').waitFor();

    await report(failure({ sample_id: 'req_2', release_id: 'rel_b' }));
    await page.getByRole('link', { name: /^TypeError: / }).click();
    await page.getByRole('heading', { level: 1, name: 'TypeError' }).waitFor();
    await expect.poll(async () => (await counted(page, 'Errors by the hour')).lately).toBe(2);
    await choose(page, 'Last 7 days');
    await expect.poll(async () => (await counted(page, 'Errors by the day, in UTC')).lately).toBe(2);
    const code = (name: string) => page.getByRole('figure', { name }).locator('pre').textContent();
    expect(await code('Stable frames, innermost first')).toBe('chargeCard\nhandler');
    const samples = page.getByRole('group', { name: 'Samples, newest first' });
    expect(await samples.getByRole('row').locator('td:first-child').allTextContents()).toEqual([
      'req_2 ',
      'req_1 First',
    ]);
    const facts = page.getByRole('complementary', { name: 'Details' });
    expect(await facts.getByRole('definition').first().textContent()).toBe('2');
    await facts.getByText('under rel_b').waitFor();
    const steps = page.getByRole('list', { name: 'Next steps' });
    expect(await steps.locator('pre').allTextContents()).toEqual([
      'svc logs checkout --request-id req_2',
      'svc logs checkout --request-id req_1',
    ]);
    await visit(`/projects/${projectId}/errors/fp_of_nothing`);
    await page.getByRole('alert').getByText('RESOURCE_NOT_FOUND').waitFor();
  });

  test('a release with a new failure is to be reverted, one without to be promoted', async () => {
    const { page, visit, projectId, report, activate, invoked, fill } = await inProject();
    await activate('rel_a', minutesAgo(4));
    await report(failure({ release_id: 'rel_a', at: minutesAgo(3) }));
    await activate('rel_b', minutesAgo(2));
    await invoked({ function: 'checkout', release_id: 'rel_b', count: 12 });
    await visit(`/projects/${projectId}/errors?newIn=rel_a`);
    await page.getByText('Revert release rel_a: 1 error is new.').waitFor();
    await fill('New in release', 'rel_b');
    await page.getByText('Promote release rel_b: no new errors.').waitFor();
    await page.getByText('It was compared with release rel_a.').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('a list that is filtered otherwise begins at its first page', async () => {
    const { page, visit, press, fill, projectId, report } = await inProject();
    await report(...Array.from({ length: 26 }, (_, index) => failureNumbered(index)));
    await visit(`/projects/${projectId}/errors`);
    const rows = page.locator('.table tbody tr');
    await expect.poll(() => rows.count()).toBe(25);
    await press('Next');
    await expect.poll(() => rows.count()).toBe(1);
    await fill('Function', 'checkout');
    await expect.poll(() => rows.count()).toBe(25);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test.each(looks)(
    'errors can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      const { projectId, key } = world;
      const { body: told } = await service.call<{
        readonly fingerprints: readonly { readonly fingerprint_id: string }[];
      }>(key, 'POST', `/projects/v1/${projectId}/errors/occurrences`, { body: { occurrences: [failure()] } });
      const fingerprint = told.fingerprints[0]!.fingerprint_id;
      await expectUsable(world.asOwner, look, [
        { path: `/projects/${projectId}/errors`, sign: 'TypeError' },
        { path: `/projects/${projectId}/errors?function=nothing`, sign: 'No errors in this time' },
        { path: `/projects/${projectId}/errors/${fingerprint}`, sign: 'Next steps' },
      ]);
    },
    120_000,
  );
});
