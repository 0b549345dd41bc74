import { afterAll, beforeAll, expect, test } from 'vitest';
import { failure } from '../errors/reporting.ts';
import { startService } from '../helpers/service.ts';
import { faultyRoad } from '../sdk/faulty-road.ts';
import { terminal } from './command.ts';

const service = await startService();
const ada = await terminal(service.url);
const road = await faultyRoad(service.url);
afterAll(async () => {
  road.close();
  await ada.remove();
  await service.stop();
});

let org: string;
beforeAll(async () => {
  await ada.svc('init');
  org = (await ada.svc('org', 'create')).json.org_id;
  await ada.svc('org', 'use', org);
  await ada.svc('projects', 'provision');
});

test('contacts are added, listed and taken off', async () => {
  const added = await ada.svc('contacts', 'add', 'ada@example.com', '--level', '2', '--name', 'Ada');
  expect(added.json).toMatchObject({ email: 'ada@example.com', level: 2 });
  const { contacts } = (await ada.svc('contacts', 'list')).json;
  expect(contacts).toEqual([expect.objectContaining({ kind: 'escalation', id: added.json.contact_id })]);
  expect((await ada.svc('contacts', 'rm', contacts[0].id)).json).toMatchObject({ revoked: true });
  expect((await ada.svc('contacts', 'add', 'a@example.com', '--level', '11')).error.code).toBe('BAD_USAGE');
  expect((await ada.svc('contacts', 'connect')).error.code).toBe('CHAT_CHANNEL_NOT_CONFIGURED');
});

test('an escalation is raised once under one key, looked at, acknowledged and resolved', async () => {
  const key = ['--idempotency-key', 'outage-1'];
  const raised = await ada.svc(
    'escalations',
    'raise',
    'Payments fail',
    '--severity',
    'high',
    ...key,
    '--details',
    '{"since":"10:40"}',
  );
  expect(raised.json).toMatchObject({
    status: 'open',
    severity: 'high',
    deduplicated: false,
    details: { since: '10:40' },
  });
  const { escalation_id: id } = raised.json;
  expect(
    (
      await ada.svc(
        'escalations',
        'raise',
        'Payments fail',
        '--severity',
        'high',
        ...key,
        '--details',
        '{"since":"10:40"}',
      )
    ).json,
  ).toMatchObject({ escalation_id: id, deduplicated: true });
  expect((await ada.svc('escalations', 'list', '--status', 'open')).json.escalations).toHaveLength(1);
  expect((await ada.svc('escalations', 'get', id, '--delivery')).json.delivery_attempts).toEqual([]);
  expect((await ada.svc('escalations', 'ack', id)).json).toMatchObject({ status: 'acknowledged', changed: true });
  expect((await ada.svc('escalations', 'ack', id)).json.changed).toBe(false);
  expect((await ada.svc('escalations', 'resolve', id, '--note', 'rolled back')).json).toMatchObject({
    status: 'resolved',
  });
  expect((await ada.svc('escalations', 'ack-by-token', 'nonsense')).code).toBe(1);
});

test('waiting ends when somebody answers', async () => {
  const waiting = ada.svc('escalations', 'raise', 'May I?', '--wait', '--poll-seconds', '5');
  await expect
    .poll(async () => (await ada.svc('escalations', 'list', '--status', 'open')).json.escalations.length)
    .toBe(1);
  const [{ escalation_id }] = (await ada.svc('escalations', 'list', '--status', 'open')).json.escalations;
  await ada.svc('escalations', 'ack', escalation_id);
  expect(await waiting).toMatchObject({ code: 0, json: { status: 'acknowledged' } });
});

test('waiting outlasts a gateway that is away for a while, and keeps the id of what was raised', async () => {
  const onRoad = ada.streamWith({ SVC_API_BASE: road.url });
  const waiting = onRoad('escalations', 'raise', 'Is it down?', '--org', org, '--wait', '--poll-seconds', '5');
  const stopped = waiting.ended.then(({ code, stderr }) => ({ code, stderr }));
  const reached = (count: number) =>
    Promise.race([
      stopped.then((how) => Promise.reject(new Error(`It stopped waiting: ${JSON.stringify(how)}`))),
      expect.poll(() => road.seen.length, { interval: 100 }).toBeGreaterThanOrEqual(count),
    ]);
  await reached(1);
  const before = road.seen.length;
  // A look is sent three times before it counts as lost, and two looks are.
  road.plan(...Array.from({ length: 6 }, () => 'cut' as const));
  await reached(before + 6);
  const [{ escalation_id }] = (await ada.svc('escalations', 'list', '--status', 'open', '--org', org)).json.escalations;
  await ada.svc('escalations', 'ack', escalation_id, '--org', org);
  expect(await waiting.ended).toMatchObject({ code: 0, json: { escalation_id, status: 'acknowledged' } });
});

test('waiting that nobody ends exits with 2, and the escalation stays open', async () => {
  const waiting = ada.stream('escalations', 'raise', 'Anybody?', '--wait');
  await expect
    .poll(async () => (await ada.svc('escalations', 'list', '--status', 'open')).json.escalations.length)
    .toBe(1);
  // Whoever stops waiting has waited in vain as well.
  const { code, json } = await waiting.stop();
  expect({ code, status: json.status }).toEqual({ code: 2, status: 'open' });
});

test('the verdict on a release is the exit code', async () => {
  expect((await ada.svc('errors')).json).toMatchObject({ verdict: { new_fingerprints: 0 }, errors: [] });
  expect((await ada.svc('errors', 'report-activation', '--release-id', 'rel_1')).code).toBe(0);
  const gate = ['errors', '--new-in', 'active', '--fail-on-new'];
  expect(await ada.svc(...gate)).toMatchObject({ code: 0, json: { verdict: { new_fingerprints: 0 } } });
  const failed = failure({ sample_id: 'req_0123456789', release_id: 'rel_1' });
  await ada.file('failures.json', [failed]);
  // Of a watch that is stopped nobody knows what it would have found.
  const { project_id: SVC_PROJECT_ID } = (await ada.svc('projects', 'current')).json;
  const watching = ada.streamWith({ SVC_API_BASE: road.url, SVC_PROJECT_ID })(...gate, '--watch', '1h');
  const looks = () => road.seen.filter(({ url }) => url.includes('/errors?')).length;
  await expect.poll(looks).toBe(1);
  expect(await watching.stop()).toMatchObject({ code: 2, error: { code: 'VERDICT_UNAVAILABLE' } });
  const reported = await ada.svc('errors', 'report', '--occurrences', '@failures.json');
  expect(reported).toMatchObject({ code: 0, stderr: '' });
  const found = await ada.svc(...gate, '--watch', '1h', '--interval', '5s');
  expect(found).toMatchObject({ code: 1, json: { verdict: { new_fingerprints: 1 } } });
  const id = found.json.errors[0].fingerprint_id;
  const counted = (await ada.svc('errors', '--counts', 'day')).json;
  expect(counted.errors[0].counts).toEqual(counted.counts);
  expect(counted.counts.values).toContain(1);
  const people = (await ada.svc('errors', '--counts', 'day', '--human')).stdout;
  expect(people).toMatch(/^By the day: [▁█]{2,3}$/m);
  expect(people).toMatch(/^1 +[▁█]{2,3} +TypeError: .*checkout/m);
  expect((await ada.svc('errors', id, '--human')).stdout).toMatch(/^message template +\S/m);
  expect((await ada.svc('errors', id)).json.samples.first.id).toBe('req_0123456789');
  expect((await ada.svc('errors', id, '--kind', 'uncaught')).error).toMatchObject({ code: 'BAD_USAGE', field: 'kind' });
  expect((await ada.svc('logs', '--request-id', 'req_0123456789')).json.entries).toEqual([
    expect.objectContaining({ source: 'errors', origin: 'app' }),
  ]);
});

test('a gate that cannot judge, or is asked wrongly, exits with 2', async () => {
  const alone = ada.with({ SVC_API_BASE: 'http://127.0.0.1:9', SVC_PROJECT_ID: 'prj_1' });
  const unknown = await alone('errors', '--new-in', 'active', '--fail-on-new');
  expect(unknown).toMatchObject({ code: 2, error: { code: 'VERDICT_UNAVAILABLE', cause_code: 'NETWORK_ERROR' } });
  expect(await ada.svc('errors', '--fail-on-new')).toMatchObject({ code: 2, error: { code: 'BAD_USAGE' } });
  expect(await ada.svc('errors', '--watch', '10m')).toMatchObject({ code: 1, error: { code: 'BAD_USAGE' } });
  expect(await ada.svc('errors', '--new-in', 'x', '--watch', 'soon')).toMatchObject({
    code: 1,
    error: { field: 'watch' },
  });
});

test('doctor finds everything in order, and says what could be better', async () => {
  const { code, json } = await ada.svc('doctor');
  const found = Object.fromEntries(json.checks.map((one: { name: string; status: string }) => [one.name, one.status]));
  expect(found).toMatchObject({
    api_reachable: 'ok',
    tier: 'ok',
    allowance: 'ok',
    operator_health: 'warning',
    projects: 'ok',
  });
  expect(code).toBe(0);
});

test('doctor names a gap once, however many organizations have it', async () => {
  const bob = await terminal(service.url);
  await bob.svc('init');
  for (const name of ['One', 'Two']) await bob.svc('org', 'create', '--name', name);
  const { value } = (await bob.svc('doctor', '--only', 'operator_health')).json.checks[0];
  expect(value.gaps).toEqual([...new Set(value.gaps)]);
  expect(value.gaps).toContain('operator_unreachable');
});

test('an escalation goes to the organization of the project in use, where nothing else names one', async () => {
  const bob = await terminal(service.url);
  await bob.svc('init');
  const homeless = (await bob.svc('escalations', 'raise', 'Hello')).error;
  expect(homeless).toMatchObject({ code: 'ORG_REQUIRED', message: 'You belong to no organization yet.' });
  expect(homeless.next_actions[0].command).toMatch(/^svc org create/);
  const theirs = (await bob.svc('org', 'create')).json.org_id;
  const { project_id } = (await bob.svc('projects', 'provision')).json;
  const raised = await bob.svc('escalations', 'raise', 'Hello');
  expect(raised.json).toMatchObject({ org_id: theirs, status: 'open' });
  const named = bob.with({ SVC_ORG: org });
  expect((await named('escalations', 'list')).error.http).toBe(403);
  expect((await named('escalations', 'list', '--project', project_id)).json.escalations).toHaveLength(1);
  const { escalation_id } = raised.json;
  expect((await bob.svc('escalations', 'ack', escalation_id)).json.status).toBe('acknowledged');
  await bob.remove();
});
