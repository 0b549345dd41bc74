import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { feedsOf, typesOf } from './feed.ts';

const service = await startService();
afterAll(() => service.stop());
const feed = feedsOf(service);
const { actors } = service;

test('both lanes are merged in the order in which things became known', async () => {
  const { emit, read, notifyProject, projectId } = await feed();
  await emit('order_paid', { order: 7 });
  await notifyProject();
  await emit('order_sent', { order: 7 });
  const { body } = await read();
  expect(body).toEqual({
    events: [
      {
        id: expect.stringMatching(/^evc_/),
        project_id: projectId,
        event_type: 'order_paid',
        class: 'app',
        source: 'app',
        occurred_at: moment,
        payload: { order: 7 },
        next_actions: [{ type: 'poll', method: 'GET', path: `/projects/v1/${projectId}/events` }],
      },
      {
        id: expect.stringMatching(/^evc_/),
        project_id: projectId,
        event_type: 'deploy_activated',
        class: 'lifecycle',
        source: 'platform',
        occurred_at: moment,
        payload: { release_id: 'rel_1', operation_id: 'op_1' },
        next_actions: [{ type: 'check_release', method: 'GET', path: '/apply/v1/operations/op_1' }],
      },
      expect.objectContaining({ event_type: 'order_sent' }),
    ],
    cursor: expect.stringMatching(/^evc_/),
    has_more: false,
    reset: false,
  });
});

test('pages are walked without a gap or a repeat, and an empty one echoes the cursor byte for byte', async () => {
  const { emit, read } = await feed();
  for (let n = 0; n < 5; n++) await emit(`step_${n}`);
  const seen: string[] = [];
  let cursor = '';
  for (let page = 0; page < 3; page++) {
    const answer = await read(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    expect(answer.body).toMatchObject({ has_more: page < 2, reset: false });
    seen.push(...typesOf(answer));
    cursor = answer.body.cursor;
  }
  expect(seen).toEqual(['step_0', 'step_1', 'step_2', 'step_3', 'step_4']);
  const { body } = await read(`?limit=2&cursor=${cursor}`);
  expect(body).toEqual({ events: [], cursor, has_more: false, reset: false });
  await emit('step_5');
  expect(typesOf(await read(`?cursor=${cursor}`))).toEqual(['step_5']);
});

test('a view of several types is in the order in which things became known, on every page', async () => {
  const { emit, read } = await feed();
  const told = ['zeta', 'alpha', 'mid', 'zeta', 'alpha', 'zeta', 'alpha', 'alpha', 'zeta'];
  for (const [n, type] of told.entries()) await emit(`step_${type}`, { n });
  const seen: number[] = [];
  let cursor = '';
  do {
    const { body } = await read(`?event_type=step_zeta,step_alpha&limit=3${cursor && `&cursor=${cursor}`}`);
    seen.push(...body.events.map(({ payload }: { payload: { n: number } }) => payload.n));
    cursor = body.cursor;
    if (!body.has_more) break;
  } while (seen.length < 20);
  expect(seen).toEqual([0, 1, 3, 4, 5, 6, 7, 8]);
});

test('an empty feed gives a cursor to begin with, which shows all that comes', async () => {
  const { emit, read, notifyOrg } = await feed();
  const first = await read();
  expect(first.body).toEqual({ events: [], cursor: expect.stringMatching(/^evc_/), has_more: false, reset: false });
  await notifyOrg();
  expect((await read(`?cursor=${first.body.cursor}`)).body).toEqual(first.body);
  await emit('first_one');
  const next = await read(`?cursor=${first.body.cursor}`);
  expect([typesOf(next), next.body.reset]).toEqual([['first_one'], false]);
});

test('the organization sees all its projects and its own facts, under the same ids', async () => {
  const { emit, read, readOrg, notifyOrg, wallet, orgId } = await feed();
  const other = await service.call<{ project_id: string; service_key: string }>(wallet, 'POST', '/projects/v1', {
    body: { org_id: orgId },
  });
  await emit('here');
  await notifyOrg();
  await service.call(actors.bearer(other.body.service_key), 'POST', `/projects/v1/${other.body.project_id}/events`, {
    body: { event_type: 'there' },
  });
  const org = await readOrg();
  expect(org.body.events.map((one: Record<string, unknown>) => [one.event_type, one.project_id !== null])).toEqual([
    ['here', true],
    ['organization_past_due', false],
    ['there', true],
  ]);
  const project = await read();
  expect(project.body.events).toEqual([org.body.events[0]]);
});

test.each<[string, string[]]>([
  ['?source=app', ['order_paid', 'order_sent']],
  ['?source=platform', ['deploy_activated']],
  ['?event_type=order_paid', ['order_paid']],
  ['?event_type=order_sent,deploy_activated', ['deploy_activated', 'order_sent']],
  ['?event_type=order_sent,deploy_activated&source=platform', ['deploy_activated']],
  ['?event_type=nothing_like_it', []],
  ['?event_type=', ['order_paid', 'deploy_activated', 'order_sent']],
  ['?unknown=1', ['order_paid', 'deploy_activated', 'order_sent']],
])('%s shows %j', async (query, expected) => {
  const { emit, read, readOrg, notifyProject } = await feed();
  await emit('order_paid');
  await notifyProject();
  await emit('order_sent');
  expect(typesOf(await read(query))).toEqual(expected);
  expect(typesOf(await readOrg(query))).toEqual(expected);
});

test('a cursor is good for its view alone: another one starts over, and says so', async () => {
  const { emit, read, readOrg, notifyOrg } = await feed();
  for (const type of ['one', 'two', 'three']) await emit(`part_${type}`);
  await notifyOrg();
  const { cursor } = (await read('?limit=2')).body;
  for (const query of ['source=app', 'event_type=part_one', 'source=platform']) {
    const again = await read(`?${query}&cursor=${cursor}`);
    expect([again.status, again.body.reset]).toEqual([200, true]);
    expect(again.body.earliest_cursor).toMatch(/^evc_/);
    expect(again.body.events).toEqual((await read(`?${query}`)).body.events);
  }
  const org = await readOrg(`?cursor=${cursor}`);
  expect([org.body.reset, org.body.events.length]).toEqual([true, 4]);
  // Whoever begins at the earliest cursor reads what the page with `reset` showed, and is not told so again.
  const begun = await readOrg(`?cursor=${org.body.earliest_cursor}`);
  expect([begun.body.reset, begun.body.events]).toEqual([false, org.body.events]);
});

test('the order and the repetition of types make no other view, and neither does the limit', async () => {
  const { emit, read } = await feed();
  for (const type of ['one', 'two', 'three']) await emit(`part_${type}`);
  const { cursor } = (await read('?event_type=part_two,part_one,part_two&limit=1')).body;
  const next = await read(`?event_type=part_one,part_two&limit=7&cursor=${cursor}`);
  expect([next.body.reset, typesOf(next)]).toEqual([false, ['part_two']]);
});

test.each(['evc_', 'evc_AAAA', 'nonsense', 'mcr_AQ', `evc_${'A'.repeat(600)}`, '%F0%9F%92%A5', '%00'])(
  'a cursor that is none, %j, starts over',
  async (cursor) => {
    const { emit, read } = await feed();
    await emit('only_one');
    const answer = await read(`?cursor=${cursor}`);
    expect([answer.status, answer.body.reset, typesOf(answer)]).toEqual([200, true, ['only_one']]);
  },
);

test('an event’s id is no cursor', async () => {
  const { emit, read } = await feed();
  await emit('only_one');
  const { id } = (await read()).body.events[0];
  expect((await read(`?cursor=${id}`)).body).toMatchObject({ reset: true, events: [{ id }] });
});

test('a cursor of another organization starts over, and leaks nothing', async () => {
  const [mine, theirs] = [await feed(), await feed()];
  for (let n = 0; n < 3; n++) await theirs.emit(`secret_${n}`);
  await mine.emit('mine_alone');
  const stolen = (await theirs.read('?limit=1')).body.cursor;
  for (const answer of [await mine.read(`?cursor=${stolen}`), await mine.readOrg(`?cursor=${stolen}`)]) {
    expect([answer.body.reset, typesOf(answer)]).toEqual([true, ['mine_alone']]);
  }
});

test('a cursor that is ahead of the log, as after a restore, starts over', async () => {
  const { emit, read, orgId } = await feed();
  await emit('step_one');
  await emit('step_two');
  const { cursor } = (await read()).body;
  await service.control.sql(`update feed_heads set position = 1 where org_id = $1 and kind = 'events'`, [orgId]);
  await service.control.sql('delete from events where org_id = $1 and position = 2', [orgId]);
  expect((await read(`?cursor=${cursor}`)).body).toMatchObject({ reset: true, events: [{ event_type: 'step_one' }] });
});

test.each<[string, string, string]>([
  ['source=gateway', 'INVALID_QUERY_PARAM', 'source'],
  ['source=', 'INVALID_QUERY_PARAM', 'source'],
  ['source=App', 'INVALID_QUERY_PARAM', 'source'],
  ['source=ａpp', 'INVALID_QUERY_PARAM', 'source'],
  ['limit=0', 'VALIDATION_FAILED', 'limit'],
  ['limit=-1', 'VALIDATION_FAILED', 'limit'],
  ['limit=1.5', 'VALIDATION_FAILED', 'limit'],
  ['limit=all', 'VALIDATION_FAILED', 'limit'],
  [`event_type=${'a'.repeat(65)}`, 'VALIDATION_FAILED', 'event_type.0'],
])('?%s is refused with %s', async (query, code, field) => {
  const { read } = await feed();
  expectRefusal(await read(`?${query}`), code as 'VALIDATION_FAILED', { field });
});

test('more than a hundred types are refused', async () => {
  const { read } = await feed();
  const types = Array.from({ length: 101 }, (_, n) => `type_${n}`);
  expectRefusal(await read(`?event_type=${types}`), 'VALIDATION_FAILED', { field: 'event_type' });
});

test('a limit above 200 is clamped', async () => {
  const { emit, read } = await feed();
  await emit('only_one');
  expect((await read('?limit=100000')).body.events).toHaveLength(1);
});

test('who may read a project’s feed, and who its organization’s', async () => {
  const { read, readOrg, key, orgId, projectId, serviceKey } = await feed();
  const other = await feed();
  const viewer = await actors.session();
  await actors.member(orgId, viewer.principalId, 'viewer');
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['read'] });
  const writer = await actors.delegate({ orgId, projectId, capabilities: ['deploy'] });
  for (const actor of [viewer, delegate, key, actors.apikey(serviceKey), actors.admin])
    expect((await read('', actor)).status).toBe(200);
  for (const actor of [viewer, actors.admin]) expect((await readOrg('', actor)).status).toBe(200);
  expectRefusal(await read('', actors.nobody), 'AUTH_REQUIRED');
  expectRefusal(await readOrg('', actors.nobody), 'AUTH_REQUIRED');
  expectRefusal(await read('', writer), 'NOT_AUTHORIZED', { reason: 'grant' });
  expectRefusal(await readOrg('', key), 'FORBIDDEN');
  expectRefusal(await readOrg('', delegate), 'NOT_AUTHORIZED');
  expectRefusal(await read('', other.key), 'FORBIDDEN');
  const stranger = await read('', other.wallet);
  expectRefusal(stranger, 'NOT_AUTHORIZED', { reason: 'project_not_found' });
  const absent = await service.call<Record<string, unknown>>(other.wallet, 'GET', '/projects/v1/prj_00000/events');
  expect({ ...absent.body, trace_id: '' }).toEqual({ ...stranger.body, trace_id: '' });
  expectRefusal(await readOrg('', other.wallet), 'NOT_AUTHORIZED', { reason: 'member' });
});

test('deleting a project keeps its events in the feed of the organization', async () => {
  const { emit, read, readOrg, wallet, projectId } = await feed();
  await emit('was_here');
  expect((await service.call(wallet, 'DELETE', `/projects/v1/${projectId}`)).status).toBe(200);
  expectRefusal(await read(), 'NOT_AUTHORIZED');
  expect((await readOrg()).body.events).toMatchObject([{ event_type: 'was_here', project_id: projectId }]);
});

test.each(['past_due', 'frozen', 'dormant'])('the feeds are read while the organization is %s', async (state) => {
  const { emit, read, readOrg, orgId } = await feed();
  await emit('was_here');
  await service.control.sql('update orgs set lifecycle_state = $2 where id = $1', [orgId, state]);
  for (const answer of [await read(), await readOrg()]) expect(typesOf(answer)).toEqual(['was_here']);
});

test('a page is one statement after the one that admits its reader', async () => {
  const { emit, read } = await feed();
  await emit('only_one');
  const sent = await service.statements(() => read('?source=app&event_type=only_one'));
  expect(sent.filter((text) => /from "events"/.test(text))).toHaveLength(1);
  expect(sent.filter((text) => /feed_heads/.test(text))).toHaveLength(1);
});
