import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { failure } from '../errors/reporting.ts';
import { startConsoleWorld, violations } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('events of the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { orgId, projectId, key, post, asOwner } = world;

  const tell = (name: string, number: number) => {
    const body = { event_type: name, payload: { number }, idempotency_key: `${name} ${number}` };
    return post(`/projects/v1/${projectId}/events`, body, key);
  };

  test('events show up as they happen, and filters apply at once and stay in the address', async () => {
    const { page, visit } = await asOwner();
    await visit(`/orgs/${orgId}/events?source=APP`);
    const log = page.getByRole('log');
    await page.getByText('Nothing happened yet').waitFor();
    await tell('order_paid', 1);
    await tell('order_sent', 2);
    await log.getByText('order_sent', { exact: true }).waitFor();
    const types = () => log.locator('strong').allTextContents();
    expect(await types()).toEqual(['order_sent', 'order_paid']);
    await page.getByRole('button', { name: /Project$/ }).click();
    await page.getByRole('option').last().click();
    await page.getByRole('combobox', { name: 'Types' }).fill('order_paid');
    await log.getByText('order_sent', { exact: true }).waitFor({ state: 'detached' });
    await tell('order_sent', 3);
    await tell('order_paid', 4);
    await expect.poll(types).toEqual(['order_paid', 'order_paid']);
    await page.reload();
    await expect.poll(types).toEqual(['order_paid', 'order_paid']);
    // A list that is not live shows what happened until it was opened.
    await page.getByText('Live', { exact: true }).click();
    await tell('order_paid', 5);
    await page.getByText('Live', { exact: true }).click();
    await expect.poll(types).toEqual(['order_paid', 'order_paid', 'order_paid']);
  });

  test('a line says what happened, with the text of a message and a link to it', async () => {
    const { page, visit } = await asOwner();
    const room = `/orgs/v1/${orgId}/rooms/standup`;
    const say = (body: string) =>
      post(`${room}/messages`, { body, importance: 'high', requested_name: 'ada', session_key: 'ada' });
    await say('Good morning');
    await say('Shall we release?');
    await post(`${room}/archive`, {});
    await post(
      `/projects/v1/${projectId}/errors/occurrences`,
      { occurrences: [failure({ release_id: 'rel_a' })] },
      key,
    );
    await visit(`/orgs/${orgId}/events`);
    const log = page.getByRole('log');
    await log.getByText('ada wrote in standup: Good morning').waitFor();
    await log.getByText('The room standup was archived.').waitFor();
    await log.getByText('Release rel_a has 1 new error: TypeError:').waitFor();
    await log.getByText('Today', { exact: true }).waitFor();
    await log.getByRole('listitem').filter({ hasText: 'Good morning' }).getByRole('link', { name: 'standup' }).click();
    const target = page.locator('.message.is-target');
    await target.getByText('Good morning').waitFor();
  });

  test('the payload of an event opens beside the list by key, and Escape closes it', async () => {
    const { page, visit } = await asOwner();
    await tell('order_refunded', 7);
    await visit(`/orgs/${orgId}/events?types=order_refunded`);
    const details = page.getByRole('complementary', { name: 'Details of the event' });
    await page.getByRole('button', { name: /^Details of order_refunded/ }).press('Enter');
    await details.getByText('"number": 7').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await details.getByText('"number": 7').waitFor();
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
  });

  test.each(looks)(
    'events can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      await tell(`looked_at_${look[1]}`, 1);
      await expectUsable(asOwner, look, [
        { path: `/orgs/${orgId}/events`, sign: `looked_at_${look[1]}` },
        { path: `/orgs/${orgId}/events?types=nothing_of_it`, sign: 'Nothing happened yet' },
      ]);
    },
    120_000,
  );
});
