import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startBreakableWay } from '../helpers/breakable-way.ts';
import { closePages, sharedChromium } from '../helpers/chromium.ts';
import { openConsole } from '../helpers/console-page.ts';
import { pressTenTimes } from './console-choose.ts';
import { startConsoleWorld } from './console-owner.ts';

/** As the console keeps them: `rowsKept` of clients/console/src/graph/use-tail.ts. */
const rowsKept = 200;
/** As a room keeps them: `windowSize` of clients/console/src/pages/room/message-window.ts. */
const windowSize = 1_000;

describe.skipIf(chromiumProgram() === undefined)('a console that stays open for long, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, orgId, projectId, key, post, asOwner } = world;

  /** What subscriptions are told from now on, by the names of their fields. */
  function toldOf(page: Page): string[] {
    const told: string[] = [];
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        const { type, payload: answer } = JSON.parse(String(payload));
        for (const [field, event] of Object.entries(answer?.data ?? {}))
          if (type === 'next' && event !== null && Object.hasOwn(event as object, 'reset')) told.push(field);
      }),
    );
    return told;
  }

  /** Keeps back pages of lists, as a slow network does. @returns begins, and lets them go */
  async function slowLists(page: Page) {
    const held: (() => void)[] = [];
    const ids = new Set<unknown>();
    let holds = false;
    await page.routeWebSocket(/graphql/, (near) => {
      const far = near.connectToServer();
      far.onMessage((frame) => {
        const { id } = JSON.parse(String(frame));
        if (holds && String(frame).includes('"pageInfo"')) ids.add(id);
        if (id !== undefined && ids.has(id)) held.push(() => near.send(frame));
        else near.send(frame);
      });
    });
    return {
      hold: () => {
        holds = true;
      },
      held: () => held.length,
      letGo: () => {
        holds = false;
        ids.clear();
        for (const send of held.splice(0)) send();
      },
    };
  }

  const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at);

  test('a room keeps its newest messages, and reads the others again without a gap or a repeat', async () => {
    const { page, visit } = await asOwner();
    const room = `/orgs/v1/${orgId}/rooms/long/messages`;
    const insert = (from: number, to: number) =>
      service.control.sql(
        `insert into room_messages select (jsonb_populate_record(m, jsonb_build_object(
           'seq', n + 1, 'id', 'msg_' || lpad(n::text, 26, '0'), 'body', 'number ' || n, 'idempotency_key', null))).*
         from room_messages m, generate_series($2::int, $3::int) n where m.org_id = $1 and m.room_key = 'long' and m.seq = 1`,
        [orgId, from, to],
      );
    const say = (number: number) => post(room, { body: `number ${number}` });
    await say(0);
    await visit(`/orgs/${orgId}/rooms/long`);
    const bodies = () => page.getByRole('log').locator('.body').allTextContents();
    await expect.poll(bodies).toEqual(['number 0']);
    // More than the page keeps come while it is open.
    const count = windowSize + 60;
    await insert(1, count - 1);
    await service.control.sql(
      `update feed_heads set position = $2 where org_id = $1 and kind = 'room' and feed_id = 'long'`,
      [orgId, count],
    );
    await say(count);
    await page.getByText(`number ${count}`, { exact: true }).waitFor({ timeout: 30_000 });
    // All the way back, each message is there once.
    const seen: number[] = [];
    const look = async () => {
      const numbers = (await bodies()).map((text) => Number(text.replace('number ', '')));
      expect(numbers).toEqual(numbers.map((_number, at) => numbers[0]! + at));
      seen.push(...numbers);
      return numbers[0]!;
    };
    for (let first = await look(); first > 0; first = await look())
      await page.evaluate(
        `new Promise((resolve) => {
          const list = document.querySelector('[role=log]');
          list.scrollBy({ top: -list.clientHeight });
          // The list draws what has come into sight.
          requestAnimationFrame(() => requestAnimationFrame(resolve));
        })`,
      );
    expect([...new Set(seen)].toSorted((one, other) => one - other)).toEqual(numbered(count + 1));
    await page.getByText('This is the beginning of the room.').waitFor();
  });

  test('events keep their newest, too, and read the others again, whatever comes meanwhile', async () => {
    const { page, visit } = await asOwner();
    const lists = await slowLists(page);
    const tell = (number: number) => {
      const body = { event_type: `happened_${number}`, payload: {}, idempotency_key: `long ${number}` };
      return post(`/projects/v1/${projectId}/events`, body, key);
    };
    await visit(`/orgs/${orgId}/events?source=APP`);
    await page.getByText('Nothing happened yet').waitFor();
    const count = rowsKept + 10;
    for (const number of numbered(count)) await tell(number);
    const types = () => page.getByRole('log').locator('strong').allTextContents();
    const named = (numbers: readonly number[]) => numbers.map((number) => `happened_${number}`).reverse();
    await expect.poll(types).toEqual(named(numbered(rowsKept, count - rowsKept)));
    lists.hold();
    await page.getByRole('button', { name: 'Earlier events' }).click();
    await expect.poll(lists.held).toBeGreaterThan(0);
    await tell(count);
    await page.getByText(`happened_${count}`, { exact: true }).waitFor();
    lists.letGo();
    await expect.poll(types).toEqual(named(numbered(count + 1)));
  });

  test('what an opened page shows already is not told to it again, and what comes then is', async () => {
    for (const reason of ['one', 'two', 'three']) await post(`/orgs/v1/${orgId}/escalations`, { reason });
    const room = `/orgs/v1/${orgId}/rooms/quiet`;
    for (const name of ['ada', 'bob']) {
      await post(`${room}/presences`, { requested_name: name, session_key: name });
      await post(`${room}/claims`, { session_key: name, resource: name, mode: 'shared' });
    }
    const { page, visit } = await asOwner();
    const told = toldOf(page);
    await visit(`/orgs/${orgId}/escalations`);
    await page.getByRole('link', { name: 'three' }).waitFor();
    await post(`/orgs/v1/${orgId}/escalations`, { reason: 'four' });
    await page.getByRole('link', { name: 'four' }).waitFor();
    expect(told).toEqual(['escalations']);
    told.length = 0;
    await visit(`/orgs/${orgId}/rooms/quiet`);
    const here = page.getByRole('list', { name: 'Who is here' }).getByRole('listitem');
    await expect.poll(() => here.count()).toBe(2);
    await page.getByRole('list', { name: 'Claims' }).getByText('bob').first().waitFor();
    await post(`${room}/presences`, { requested_name: 'eve', session_key: 'eve' });
    await expect.poll(() => here.count()).toBe(3);
    await post(`${room}/claims`, { session_key: 'eve', resource: 'anything', mode: 'shared' });
    await page.getByRole('list', { name: 'Claims' }).getByText('anything').waitFor();
    expect(told).toEqual(['roomPresences', 'roomClaims']);
  });

  test('who is here and what is claimed goes on on a further page, also when the row before it has gone', async () => {
    const room = `/orgs/v1/${orgId}/rooms/crowded`;
    for (const number of numbered(51)) {
      const session = { requested_name: `p${number}`, session_key: `p${number}` };
      await post(`${room}/presences`, session);
      await post(`${room}/claims`, { ...session, resource: `thing ${number}`, mode: 'shared' });
    }
    const { page, visit } = await asOwner();
    await visit(`/orgs/${orgId}/rooms/crowded`);
    for (const [list, pages] of [
      ['Who is here', 'Pages of who is here'],
      ['Claims', 'Pages of claims'],
    ] as const) {
      const rows = page.getByRole('list', { name: list }).getByRole('listitem');
      const turn = page.getByRole('navigation', { name: pages });
      await expect.poll(() => rows.count()).toBe(50);
      const first = await rows.allTextContents();
      await turn.getByRole('button', { name: 'Next' }).click();
      await expect.poll(() => rows.count()).toBe(1);
      expect(first).not.toContain((await rows.allTextContents())[0]);
    }
    // All but one leave: the row after which the page begins is none any more.
    await service.control.sql(
      `update room_presences set left_at = now(), session_key = null where org_id = $1 and room_key = 'crowded' and name <> 'p7'`,
      [orgId],
    );
    await post(`${room}/presences`, { requested_name: 'late', session_key: 'late' });
    const here = page.getByRole('list', { name: 'Who is here' }).getByRole('listitem');
    await expect.poll(() => here.count()).toBe(2);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('contacts and notifications go on on a further page', async () => {
    const { orgId: org, wallet: owner } = await service.owner();
    const { page, visit, address } = await asOwner();
    await post(`/orgs/v1/${org}/members`, { wallet: await address(), role: 'owner' }, owner);
    const { escalation_id: id } = await post(`/orgs/v1/${org}/escalations`, { reason: 'look' }, owner);
    await service.control.sql(
      `insert into escalation_contacts (org_id, id, email, level)
       select $1, gen_random_uuid(), 'c' || n || '@example.com', 1 from generate_series(1, 51) n`,
      [org],
    );
    await service.control.sql(
      `insert into escalation_attempts (org_id, escalation_id, mail_id, attempt, email, channel, status, at)
       select $1, $2, 'mail_' || n, 1, 'c' || n || '@example.com', 'email', 'delivered', now() from generate_series(1, 201) n`,
      [org, id],
    );
    for (const [path, rows, pages, most] of [
      [
        `/orgs/${org}/escalations?tab=contacts`,
        page.getByRole('group', { name: 'Escalation contacts' }).locator('tbody tr'),
        'contacts',
        50,
      ],
      [
        `/orgs/${org}/escalations/${id}`,
        page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').filter({ hasText: '@example.com' }),
        'notifications',
        200,
      ],
    ] as const) {
      await visit(path);
      await expect.poll(() => rows.count()).toBe(most);
      await page
        .getByRole('navigation', { name: `Pages of ${pages}` })
        .getByRole('button', { name: 'Next' })
        .click();
      await expect.poll(() => rows.count()).toBe(1);
    }
  });

  test('two quick presses of Next go on by one page', async () => {
    const { orgId: org, wallet: owner } = await service.owner();
    const { page, visit, address } = await asOwner();
    await post(`/orgs/v1/${org}/members`, { wallet: await address(), role: 'owner' }, owner);
    await service.control.sql(
      `insert into escalation_contacts (org_id, id, email, level)
       select $1, gen_random_uuid(), 'c' || n || '@example.com', 1 from generate_series(1, 51) n`,
      [org],
    );
    await visit(`/orgs/${org}/escalations?tab=contacts`);
    const rows = page.getByRole('group', { name: 'Escalation contacts' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(50);
    const turn = page.getByRole('navigation', { name: 'Pages of contacts' });
    await pressTenTimes(turn.getByRole('button', { name: 'Next' }));
    await expect.poll(() => rows.count()).toBe(1);
    await turn.getByRole('button', { name: 'Previous' }).click();
    await expect.poll(() => rows.count()).toBe(50);
  });

  test('a page that is gone to while the gateway is away comes when it is back', async () => {
    const way = await startBreakableWay(service.url);
    onTestFinished(way.close);
    const browser = await sharedChromium();
    onTestFinished(() => closePages(browser));
    const { page, visit, enter } = await openConsole(browser, { url: way.url });
    await visit('');
    await enter();
    await page.getByText('Create your first organization').waitFor();
    way.cut();
    await page.getByText('The connection is lost.').waitFor();
    await page.getByRole('link', { name: 'Audits' }).click();
    await page.getByText('Loading…').waitFor();
    way.mend();
    await page.getByRole('heading', { level: 1, name: 'Audits' }).waitFor();
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });
});
