import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { failure } from '../errors/reporting.ts';
import { startConsoleWorld, unreadable, violations } from './console-owner.ts';

describe.skipIf(chromiumProgram() === undefined)('the console in Chromium, for everybody', async () => {
  const world = await startConsoleWorld();
  const { service, orgId, projectId, key, post, run } = world;

  // Something to see on each page.
  beforeAll(async () => {
    await world.tables();
    await run("insert into notes (body) values ('a note')");
    await post(`/orgs/v1/${orgId}/invites`, { email: 'grace@example.com' });
    await post(`/orgs/v1/${orgId}/escalation-contacts`, { email: 'ada@example.com' });
    const event = { event_type: 'order_paid', payload: { number: 1 }, idempotency_key: '1' };
    await post(`/projects/v1/${projectId}/events`, event, key);
  });

  /** Every page, with what says that it has come. */
  const pages = (escalation: string, fingerprint: string) =>
    [
      ['', 'Requests'],
      ['/orgs', 'New organization'],
      [`/orgs/${orgId}`, 'Tier and use'],
      [`/orgs/${orgId}/rooms`, 'All rooms'],
      [`/orgs/${orgId}/rooms/standup`, 'Who is here'],
      [`/orgs/${orgId}/events`, 'Follow: show'],
      [`/orgs/${orgId}/escalations`, 'Escalation contacts'],
      [`/orgs/${orgId}/escalations/${escalation}`, 'Notifications'],
      [`/projects/${projectId}`, 'Get the keys'],
      [`/projects/${projectId}/rows`, 'Statements'],
      [`/projects/${projectId}/errors`, 'Verdict'],
      [`/projects/${projectId}/errors/${fingerprint}`, 'Stable frames'],
      [`/orgs/${crypto.randomUUID()}`, 'NOT_AUTHORIZED'],
      ['/audits', 'Recent audits'],
      ['/outbox', 'Admin key'],
      ['/you', 'At a terminal'],
      ['/no/such/page', 'Go to the overview'],
    ] as const;

  const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

  test.each([
    ['light', 1280],
    ['dark', 360],
    ['light', 390],
    ['dark', 820],
    ['dark', 3840],
  ] as const)(
    'every page can be used by everybody: %s, %i pixels wide',
    async (colorScheme, width) => {
      await post(`/orgs/v1/${orgId}/rooms/standup/messages`, { body: 'A word that is very long: '.padEnd(400, 'x') });
      const raised = await post(`/orgs/v1/${orgId}/escalations`, { reason: `Look at it at ${width} pixels.` });
      const { body: told } = await service.call<{
        readonly fingerprints: readonly { readonly fingerprint_id: string }[];
      }>(key, 'POST', `/projects/v1/${projectId}/errors/occurrences`, { body: { occurrences: [failure()] } });
      const { page, visit } = await world.open({ colorScheme, viewport: { width, height: 900 } });
      await visit('');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      const found = await violations(page);
      const wide = [await overflow(page)];
      const { page: inside, visit: go } = await world.asOwner({ colorScheme, viewport: { width, height: 900 } });
      for (const [path, sign] of pages(raised.escalation_id!, told.fingerprints[0]!.fingerprint_id)) {
        await go(path);
        await inside.getByText(sign).first().waitFor();
        await inside.getByText('Loading…').first().waitFor({ state: 'detached' });
        found.push(...(await violations(inside)), ...(await unreadable(inside)));
        wide.push(await overflow(inside));
      }
      expect(found).toEqual([]);
      expect(wide.filter((by) => by > 0)).toEqual([]);
      // Some fifteen pages, each loaded anew and looked at whole.
    },
    300_000,
  );
});
