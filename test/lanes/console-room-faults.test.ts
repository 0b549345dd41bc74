import { describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startBreakableWay } from '../helpers/breakable-way.ts';
import type { ConsolePage } from '../helpers/console-page.ts';
import { startConsoleWorld, unreadable, violations } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

/** Messages of the largest room. */
const count = 100_000;

describe.skipIf(chromiumProgram() === undefined)('faults of a room of the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, orgId, wallet, post, asOwner } = world;

  const sql = <Row>(text: string, values: readonly unknown[]) =>
    service.control.sql(text, [...values]) as unknown as Promise<readonly Row[]>;
  const messagesOf = (room: string) =>
    sql<{ body: string }>('select body from room_messages where org_id = $1 and room_key = $2 order by seq', [
      orgId,
      room,
    ]);

  /** Fills a room with numbered messages, a minute apart. */
  async function largeRoom(room: string) {
    await post(`/orgs/v1/${orgId}/rooms/${room}/messages`, { body: 'number 1' });
    await sql(
      `insert into room_messages select (jsonb_populate_record(m, jsonb_build_object(
         'seq', n, 'id', 'msg_' || lpad(n::text, 26, '0'), 'body', 'number ' || n, 'idempotency_key', null,
         'created_at', now() - ($3 - n) * interval '1 minute'))).*
       from room_messages m, generate_series(2, $3::int) n where m.org_id = $1 and m.room_key = $2`,
      [orgId, room, count],
    );
    await sql(`update feed_heads set position = $3 where org_id = $1 and feed_id = $2 and kind = 'room'`, [
      orgId,
      room,
      count,
    ]);
  }

  /** Numbers of the messages in the page, in their order. */
  const numbers = async ({ page }: ConsolePage) =>
    (await page.getByRole('log').locator('.body').allTextContents()).map((text) => Number(text.replace('number ', '')));
  const inARow = (from: readonly number[]) => from.map((_number, at) => from[0]! + at);

  /**
   * Scrolls back by small steps until the message of a number is in the page, and tells by how many pixels a message in
   * sight moved otherwise than it was scrolled, at most.
   */
  const scrollBackTo = ({ page }: ConsolePage, number: number) =>
    page.evaluate<number>(`(async () => {
      const list = document.querySelector('[role=log]');
      const frames = async (count) => { for (let at = 0; at < count; at += 1) await new Promise(requestAnimationFrame); };
      const first = () => Number(list.querySelector('.body').textContent.replace('number ', ''));
      const messages = () => [...list.querySelectorAll('[data-message]')];
      const topOf = (id) => list.querySelector('[data-message="' + id + '"]').getBoundingClientRect().top;
      let most = 0;
      let owed = 0;
      for (let step = 0; first() > ${number}; step += 1) {
        if (step > 3_000) throw new Error('It ended at ' + first());
        const edge = list.getBoundingClientRect().top;
        const id = messages().find((one) => one.getBoundingClientRect().top >= edge).dataset.message;
        const before = topOf(id);
        const by = Math.min(60, list.scrollTop);
        list.scrollBy({ top: -by });
        await frames(3);
        // A message moves with the scrolling or stays where it is, and never further. What it has not moved yet, it may
        // move with the next step.
        const moved = topOf(id) - before;
        most = Math.max(most, moved - by - owed, -moved);
        owed = Math.max(0, by - moved);
      }
      return most;
    })()`);

  test('a room of 100,000 messages opens at the newest, scrolls back without a jump, and leads to any message', async () => {
    await largeRoom('large');
    const opened = await asOwner();
    const { page, visit, press } = opened;
    const address = `/orgs/${orgId}/rooms/large`;
    await visit(address);
    await page.getByText(`number ${count}`, { exact: true }).waitFor();
    const shown = await numbers(opened);
    expect(shown.length).toBeLessThan(200);
    expect(shown).toEqual(inARow(shown));

    // Earlier pages load above what is in sight.
    expect(await scrollBackTo(opened, count - 170)).toBeLessThan(3);
    const earlier = await numbers(opened);
    expect(earlier).toEqual(inARow(earlier));

    // An address leads to a message in the midst of the room, and both directions go on from there.
    await visit(`${address}?message=msg_${'50000'.padStart(26, '0')}`);
    const target = page.locator('.message.is-target');
    await target.getByText('number 50000', { exact: true }).waitFor();
    const inSight = `(() => {
      const { top, bottom } = document.querySelector('.message.is-target').getBoundingClientRect();
      return top > 0 && bottom < innerHeight;
    })()`;
    await expect.poll(() => page.evaluate<boolean>(inSight)).toBe(true);
    // Read once: pages around it are still loading.
    const around = await numbers(opened);
    expect(around).toEqual(inARow(around));
    expect(await scrollBackTo(opened, 49_880)).toBeLessThan(3);
    for (let pages = 0; pages < 3; pages += 1) {
      await page.evaluate("document.querySelector('[role=log]').scrollTo({ top: 1e9 })");
      await expect.poll(async () => (await numbers(opened)).at(-1)!).toBeGreaterThan(50_040 + 45 * pages);
    }
    const later = await numbers(opened);
    expect(later).toEqual(inARow(later));

    await press('More');
    await page.getByRole('menuitem', { name: 'Go to the first message' }).click();
    await page.getByText('number 1', { exact: true }).waitFor();
    await page.getByText('This is the beginning of the room.').waitFor();
    await press('Newest messages');
    await page.getByText(`number ${count}`, { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await post(`/orgs/v1/${orgId}/rooms/large/messages`, { body: `number ${count + 1}` });
    await page.getByText(`number ${count + 1}`, { exact: true }).waitFor();
  });

  test('a message that is written while the gateway is away for a minute stays, and is sent once', async () => {
    const way = await startBreakableWay(service.url);
    onTestFinished(way.close);
    const { page, visit } = await asOwner({ url: way.url });
    // The code of a page that was never opened cannot come while the gateway is away.
    await visit(`/orgs/${orgId}/rooms`);
    await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor();
    await visit(`/orgs/${orgId}/rooms/away`);
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('Half a ');
    await page.clock.install();
    way.cut();
    await page.getByText('The connection is lost.').waitFor();
    await page.clock.fastForward(60_000);
    await message.press('End');
    await page.keyboard.type('thought');
    expect(await message.inputValue()).toBe('Half a thought');
    await page.keyboard.press('Enter');
    await page.getByText('Sending…').waitFor();
    await message.fill('The next one');
    // The page that is left and found again has both.
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Rooms' }).click();
    await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor();
    await page.goBack();
    await message.waitFor();
    expect(await message.inputValue()).toBe('The next one');
    way.mend();
    // The page may come back by itself meanwhile, and take the button with it.
    const sent = page.locator('[data-message]').getByText('Half a thought');
    await expect
      .poll(async () => {
        await page.evaluate(
          `[...document.querySelectorAll('button')].find((one) => one.textContent === 'Retry')?.click()`,
        );
        return sent.isVisible();
      })
      .toBe(true);
    await page.getByText('Sending…').waitFor({ state: 'detached' });
    expect(await message.inputValue()).toBe('The next one');
    expect(await messagesOf('away')).toEqual([{ body: 'Half a thought' }]);
  });

  test('ten presses on Send are one message', async () => {
    const { page, visit } = await asOwner();
    await visit(`/orgs/${orgId}/rooms/pressed`);
    await page.getByRole('textbox', { name: 'Message' }).fill('Once');
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.evaluate(`(() => {
      const send = document.querySelector('button[aria-label=Send]');
      for (let press = 0; press < 10; press += 1) send.click();
    })()`);
    await page.locator('[data-message]').getByText('Once').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Twice');
    await page.keyboard.press('Enter');
    await page.locator('[data-message]').getByText('Twice').waitFor();
    expect(await messagesOf('pressed')).toEqual([{ body: 'Once' }, { body: 'Twice' }]);
  });

  test('a reader whose right is taken sees the room no more, and keeps the draft for when it is given back', async () => {
    const opened = await asOwner({}, 'developer');
    const { page, visit, press } = opened;
    const address = await opened.address();
    await post(`/orgs/v1/${orgId}/rooms/taken/messages`, { body: 'A secret plan' });
    await visit(`/orgs/${orgId}/rooms/taken`);
    await page.getByText('A secret plan').waitFor();
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('Half a thought');
    const members = await service.call<{ members: { wallet: string | null; principal_id: string }[] }>(
      wallet,
      'GET',
      `/orgs/v1/${orgId}/members`,
    );
    const member = members.body.members.find((one) => one.wallet?.toLowerCase() === address.toLowerCase())!;
    const removed = await service.call(wallet, 'DELETE', `/orgs/v1/${orgId}/members/${member.principal_id}`);
    expect(removed.status).toBeLessThan(300);
    await page.getByText('You may no longer read this room').waitFor();
    expect(await page.getByText('A secret plan').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await post(`/orgs/v1/${orgId}/members`, { wallet: address, role: 'developer' });
    await press('Try again');
    await page.getByText('A secret plan').waitFor();
    expect(await message.inputValue()).toBe('Half a thought');
  });

  test('names of 200 characters and of right-to-left scripts break no room', async () => {
    const room = `/orgs/v1/${orgId}/rooms/names`;
    const long = 'A name of two hundred characters '.repeat(7).slice(0, 200);
    for (const name of ['long', 'שרה כהן', 'محمد'])
      await post(`${room}/messages`, { body: 'בדקתי את זה', requested_name: name, session_key: name });
    for (const table of ['room_messages set sender_name', 'room_presences set name'])
      await sql(
        `update ${table} = $2 where org_id = $1 and room_key = 'names' and ${table.split(' ').at(-1)} = 'long'`,
        [orgId, long],
      );
    const claim = { session_key: 'long', resource: `repo:${'x'.repeat(195)}`, mode: 'exclusive', note: long };
    await post(`${room}/claims`, claim);
    await post(`${room}/claims`, { ...claim, session_key: 'محمد' });
    for (const width of [360, 1280]) {
      const { page, visit } = await asOwner({ viewport: { width, height: 900 } });
      await visit(`/orgs/${orgId}/rooms/names?side=shown`);
      await page.getByText('Conflicts with').first().waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await unreadable(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    }
  });

  test('an answer for a place that its reader has left does not take the messages away', async () => {
    await post(`/orgs/v1/${orgId}/rooms/late/messages`, { body: 'The newest' });
    const { page, visit } = await asOwner();
    const kept: (() => void)[] = [];
    await page.routeWebSocket(/graphql/, (near) => {
      const far = near.connectToServer();
      const held = new Set<unknown>();
      near.onMessage((frame) => {
        const { id, payload } = JSON.parse(String(frame));
        if (payload?.operationName === 'LaterMessages') held.add(id);
        far.send(frame);
      });
      far.onMessage((frame) => {
        const { id } = JSON.parse(String(frame));
        if (held.has(id)) kept.push(() => near.send(frame));
        else near.send(frame);
      });
    });
    await visit(`/orgs/${orgId}/rooms/late`);
    const message = page.getByRole('log').getByText('The newest');
    await message.waitFor();
    await page.evaluate(`history.pushState(null, '', '?message=first'); dispatchEvent(new PopStateEvent('popstate'))`);
    await expect.poll(() => kept.length).toBe(2);
    await page.goBack();
    await message.waitFor();
    for (const send of kept) send();
    await page.waitForTimeout(300);
    expect(await message.count()).toBe(1);
  });

  test.each(looks)(
    'a room can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      const room = `/orgs/v1/${orgId}/rooms/usable`;
      const sent = await post(`${room}/messages`, { body: 'A word that is very long: '.padEnd(400, 'x') });
      await post(`${room}/messages`, { body: 'Look', importance: 'high' });
      const thread = sent.message_id!;
      await expectUsable(asOwner, look, [
        { path: `/orgs/${orgId}/rooms/usable`, sign: 'High priority' },
        { path: `/orgs/${orgId}/rooms/usable?side=shown`, sign: 'Who is here' },
        { path: `/orgs/${orgId}/rooms/usable?thread=${thread}`, sign: 'No replies yet' },
        { path: `/orgs/${orgId}/rooms/usable?side=shown&dialog=claim`, sign: 'For files a pattern' },
      ]);
    },
    120_000,
  );
});
