import { afterAll, expect, test } from 'vitest';
import { dropEventPartitions } from '../../db/event-partitions.ts';
import type { Actor } from '../helpers/actors.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { startService } from '../helpers/service.ts';
import { statementNamed } from '../helpers/statement-named.ts';
import { feedsOf } from './feed.ts';

const service = await startService();
afterAll(() => service.stop());
const feed = feedsOf(service);
const { actors, control } = service;

interface Followed {
  readonly events: {
    readonly cursor: string;
    readonly reset: boolean;
    readonly event: { readonly type: string; readonly eventId: string; readonly payload: object };
  };
}

const subscription = `subscription ($org: ID, $project: ID, $source: EventSource, $types: [String!], $after: String) {
  events(org: $org, project: $project, source: $source, types: $types, after: $after) {
    cursor reset event { eventId type payload }
  }
}`;

/** Follows a view as graphql-ws does, and takes one event after the other. */
function following(who: Actor, variables: object) {
  const { client } = openSocket(service.url, who);
  const iterator = client.iterate<Followed, unknown>({ query: subscription, variables: { ...variables } });
  return {
    async next() {
      const { value, done } = await iterator.next();
      if (done === true) throw new Error('It ended.');
      if (value.errors !== undefined) throw new Error(JSON.stringify(value.errors));
      return value.data!.events;
    },
    async types(count: number) {
      const seen: string[] = [];
      while (seen.length < count) seen.push((await this.next()).event.type);
      return seen;
    },
    refused: async () =>
      (await iterator.next()).value?.errors?.[0] as { extensions: Record<string, unknown> } | undefined,
    async end() {
      await iterator.return?.();
      await client.dispose();
    },
  };
}

test('a project is followed from its first event on, and then as things happen', async () => {
  const { emit, read, notifyOrg, wallet, projectId } = await feed();
  await emit('app_1');
  await notifyOrg();
  await emit('app_2');
  const events = following(wallet, { project: projectId });
  expect(await events.types(2)).toEqual(['app_1', 'app_2']);
  await notifyOrg();
  await emit('app_3', { n: 3 });
  const third = await events.next();
  const { body } = await read();
  expect(third).toEqual({
    cursor: body.cursor,
    reset: false,
    event: { eventId: body.events[2].id, type: 'app_3', payload: { n: 3 } },
  });
  await events.end();
});

test('only what is selected is sent, of what was and of what comes', async () => {
  const { emit, notifyOrg, notifyProject, wallet, orgId } = await feed();
  for (const type of ['app_1', 'app_2']) await emit(type);
  await notifyProject();
  const views = [
    following(wallet, { org: orgId, source: 'PLATFORM' }),
    following(wallet, { org: orgId, types: ['app_2', 'app_4', 'deploy_activated'] }),
    following(wallet, { org: orgId, types: ['app_2', 'deploy_activated'], source: 'APP' }),
  ];
  expect(await Promise.all([views[0]!.types(1), views[1]!.types(2), views[2]!.types(1)])).toEqual([
    ['deploy_activated'],
    ['app_2', 'deploy_activated'],
    ['app_2'],
  ]);
  await notifyOrg();
  for (const type of ['app_3', 'app_4', 'app_2']) await emit(type);
  expect(await Promise.all([views[0]!.types(1), views[1]!.types(2), views[2]!.types(1)])).toEqual([
    ['organization_past_due'],
    ['app_4', 'app_2'],
    ['app_2'],
  ]);
  for (const view of views) await view.end();
});

test('a cursor of a page goes on in a subscription, and the other way', async () => {
  const { emit, read, wallet, projectId } = await feed();
  for (let n = 1; n <= 4; n++) await emit(`app_${n}`);
  const { cursor } = (await read('?limit=2')).body;
  const events = following(wallet, { project: projectId, after: cursor });
  const third = await events.next();
  expect([third.event.type, third.reset]).toEqual(['app_3', false]);
  expect((await read(`?cursor=${third.cursor}`)).body).toMatchObject({
    reset: false,
    events: [{ event_type: 'app_4' }],
  });
  await events.end();
});

test('a cursor of another view begins anew, and the first event says so', async () => {
  const { emit, read, wallet, projectId } = await feed();
  for (let n = 1; n <= 3; n++) await emit(`app_${n}`);
  const { cursor } = (await read('?limit=2&source=app')).body;
  const events = following(wallet, { project: projectId, after: cursor });
  const seen = [await events.next(), await events.next()];
  expect(seen.map(({ event, reset }) => [event.type, reset])).toEqual([
    ['app_1', true],
    ['app_2', false],
  ]);
  await events.end();
});

test('what is left where the log was thinned out is sent, too, and its cursors can be resumed from', async () => {
  const { emit, notifyOrg, wallet, orgId } = await feed();
  for (let n = 1; n <= 9; n++) await (n % 3 === 0 ? notifyOrg() : emit(`app_${n}`));
  await control.sql(
    `do $$ declare m timestamp := date_trunc('month', now() at time zone 'UTC' - interval '130 days'); begin
      execute format('create table events_90_%s partition of events_90 for values from (%L) to (%L)',
        to_char(m, 'YYYYMM'), m::text || '+00', (m + interval '1 month')::text || '+00');
      execute format('create table events_365_%s partition of events_365 for values from (%L) to (%L)',
        to_char(m, 'YYYYMM'), m::text || '+00', (m + interval '1 month')::text || '+00');
    end $$`,
  );
  await control.sql(`update events set occurred_at = now() - interval '130 days' where org_id = $1 and position < 9`, [
    orgId,
  ]);
  expect(await dropEventPartitions(service.app.services.db.pool)).toHaveLength(1);
  const whole = following(wallet, { org: orgId });
  const [first, second, third] = [await whole.next(), await whole.next(), await whole.next()];
  for (const { event } of [first, second, third]) expect(event.type).toBe('organization_past_due');
  const resumed = following(wallet, { org: orgId, after: first.cursor });
  expect([await resumed.next(), await resumed.next()]).toEqual([second, third]);
  await emit('app_new');
  for (const one of [whole, resumed]) {
    expect(await one.types(1)).toEqual(['app_new']);
    await one.end();
  }
});

test('hundreds of events that came before are sent once and in order, whoever writes meanwhile', async () => {
  const { emit, wallet, orgId, projectId } = await feed();
  for (let block = 0; block < 6; block++)
    await Promise.all(Array.from({ length: 20 }, (_, n) => emit(`app_${20 * block + n}`)));
  const views = [following(wallet, { org: orgId }), following(wallet, { project: projectId, source: 'APP' })];
  const later = Promise.all(Array.from({ length: 40 }, (_, n) => emit(`app_${120 + n}`)));
  const [all, own] = await Promise.all(views.map((view) => view.types(160)));
  await later;
  expect(all).toEqual(own);
  expect(new Set(all).size).toBe(160);
  for (const view of views) await view.end();
});

test('who comes from far behind does not have all that others did looked through', async () => {
  const { emit, wallet, orgId, projectId } = await feed();
  await emit('app_1');
  await control.sql(
    `with head as (update feed_heads set position = position + 20000 where org_id = $1 and kind = 'events' returning position)
     insert into events (org_id, position, project_id, type, class, source, payload, kept_days)
     select $1, p, 'prj_other', 'noise', 'app', 'app', '{}', 90 from head, generate_series(2, position) p`,
    [orgId],
  );
  await emit('app_2');
  const events = following(wallet, { project: projectId });
  const sent = await service.statements(async () => expect(await events.types(2)).toEqual(['app_1', 'app_2']));
  const reads = sent.filter(statementNamed('events.slice')).length;
  expect(reads).toBeGreaterThan(0);
  expect(reads).toBeLessThan(10);
  await events.end();
});

test('who is admitted follows, and nobody else', async () => {
  const { emit, orgId, projectId, key, wallet } = await feed();
  await emit('app_1');
  const stranger = actors.wallet();
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['read'] });
  for (const actor of [key, delegate, wallet]) {
    const events = following(actor, { project: projectId });
    expect(await events.types(1)).toEqual(['app_1']);
    await events.end();
  }
  const refusals: [Actor, object, string][] = [
    [stranger, { project: projectId }, 'NOT_AUTHORIZED'],
    [stranger, { org: orgId }, 'NOT_AUTHORIZED'],
    [delegate, { org: orgId }, 'NOT_AUTHORIZED'],
    [key, { org: orgId }, 'FORBIDDEN'],
    [wallet, {}, 'VALIDATION_FAILED'],
    [wallet, { org: (await feed()).orgId, project: projectId }, 'NOT_AUTHORIZED'],
    [wallet, { project: projectId, types: [''] }, 'VALIDATION_FAILED'],
  ];
  for (const [actor, variables, code] of refusals) {
    const events = following(actor, variables);
    expect((await events.refused())?.extensions).toMatchObject({ code });
    await events.end();
  }
});

test('who loses the right is sent nothing more: a member, and the holder of a grant', async () => {
  const { emit, orgId, projectId, wallet } = await feed();
  await emit('app_1');
  const member = await actors.session();
  await actors.member(orgId, member.principalId, 'viewer');
  const holder = actors.wallet();
  const granted = await service.call<{ grant_id: string }>(wallet, 'POST', `/projects/v1/${projectId}/grants`, {
    body: { wallet: holder.address, capability: 'read' },
  });
  await service.call(wallet, 'POST', `/projects/v1/${projectId}/grants`, {
    body: { wallet: holder.address, capability: 'deploy' },
  });
  const ofMember = following(member, { org: orgId });
  const ofHolder = following(holder, { project: projectId });
  for (const events of [ofMember, ofHolder]) expect(await events.types(1)).toEqual(['app_1']);
  await emit('app_2');
  for (const events of [ofMember, ofHolder]) expect(await events.types(1)).toEqual(['app_2']);
  await service.call(wallet, 'DELETE', `/orgs/v1/${orgId}/members/${member.principalId}`);
  await service.call(wallet, 'DELETE', `/projects/v1/${projectId}/grants/${granted.body.grant_id}`);
  for (const events of [ofMember, ofHolder]) {
    expect((await events.refused())?.extensions).toMatchObject({ code: 'NOT_AUTHORIZED' });
    await events.end();
  }
});

test('all who follow one view alike share what is read and what is sent', async () => {
  const { emit, wallet, projectId } = await feed();
  const many = Array.from({ length: 10 }, () => following(wallet, { project: projectId }));
  await emit('app_1');
  for (const one of many) expect(await one.types(1)).toEqual(['app_1']);
  const sent = await service.statements(async () => {
    await emit('app_2');
    for (const one of many) expect(await one.types(1)).toEqual(['app_2']);
  });
  const reads = sent.filter(statementNamed('events.slice')).length;
  expect(reads).toBeGreaterThan(0);
  expect(reads).toBeLessThan(5);
  for (const one of many) await one.end();
});

test('over SSE it ends after as many events as were asked for', async () => {
  const { emit, wallet, projectId } = await feed();
  for (let n = 1; n <= 3; n++) await emit(`app_${n}`);
  const answer = await service.call(wallet, 'POST', '/graphql', {
    body: {
      query: 'subscription ($p: ID!) { events(project: $p, first: 2) { event { type } } }',
      variables: { p: `Project_${projectId}` },
    },
    headers: { accept: 'text/event-stream' },
  });
  const sent = [...answer.text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!));
  expect(sent).toEqual([
    { data: { events: { event: { type: 'app_1' } } } },
    { data: { events: { event: { type: 'app_2' } } } },
  ]);
});
