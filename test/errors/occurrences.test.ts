import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { failure, failureNumbered, minutesAgo, reporter } from './reporting.ts';

const service = await sharedService();
afterAll(() => service.stop());

test('a failure is shown as it was reported, with what it has in common with its like', async () => {
  const project = await service.project();
  const errors = reporter(service, project);
  const told = failure({ sample_id: 'req_1', release_id: 'rel_a' });
  const recorded = await errors.report(told);
  expect(recorded.status).toBe(200);
  const [{ fingerprint_id: id }] = recorded.body.fingerprints;
  expect(recorded.body).toEqual({
    recorded: 1,
    fingerprints: [{ fingerprint_id: expect.stringMatching(/^fp_[0-9a-f]{16}$/), function: 'checkout', is_new: true }],
  });
  const sample = { id: 'req_1', at: moment, release_id: 'rel_a' };
  const { body } = await errors.list();
  expect(body).toEqual({
    verdict: {
      window: { since: moment, until: moment },
      compared_release_id: null,
      baseline_release_id: null,
      new_fingerprints: 1,
      recurring_fingerprints: 0,
      invocations_in_window: 0,
      coverage: { full_fidelity_functions: 0, coarse_functions: 0 },
      row_cap: { limit: 5_000, at_cap: false },
    },
    errors: [
      {
        fingerprint_id: id,
        function: 'checkout',
        kind: 'uncaught',
        fingerprint_quality: 'frame_names',
        error_name: 'TypeError',
        message_template: `Cannot read properties of undefined (reading 'id')`,
        stable_frames: ['chargeCard', 'handler'],
        count: 1,
        first_seen: moment,
        last_seen: moment,
        first_seen_release_id: 'rel_a',
        last_seen_release_id: 'rel_a',
        samples: { first: sample, recent: [sample] },
        next_actions: [
          { type: 'fetch_logs', command: 'svc logs checkout --request-id req_1', why: expect.any(String) },
        ],
      },
    ],
    has_more: false,
  });
  const { window } = body.verdict;
  expect(Date.parse(window.until) - Date.parse(window.since)).toBe(24 * 3_600_000);
});

test('twenty callers with fifty failures each are counted exactly', async () => {
  const project = await service.project();
  const errors = reporter(service, project);
  await service.control.sql(`update orgs set tier = 'team' where id = $1`, [project.orgId]);
  const batch = () => Array.from({ length: 50 }, (_, at) => failureNumbered(at % 5));
  const answers = await Promise.all(Array.from({ length: 20 }, () => errors.report(...batch())));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  const { body } = await errors.list();
  expect(body.errors.map(({ count }: { count: number }) => count)).toEqual([200, 200, 200, 200, 200]);
  expect(answers.flatMap((one) => one.body.fingerprints).filter((one) => one.is_new)).toHaveLength(5);
  expect(body.verdict).toMatchObject({ new_fingerprints: 5, recurring_fingerprints: 0 });
  const [kept] = await service.control.sql('select fingerprints from error_projects where project_id = $1', [
    project.projectId,
  ]);
  expect(kept).toEqual({ fingerprints: 5 });
});

test('the first sample stays, and the ten newest stand newest first, in whichever order they came', async () => {
  const errors = reporter(service, await service.project());
  await errors.report(failure({ sample_id: 'req_first', at: minutesAgo(100) }));
  const later = Array.from({ length: 14 }, (_, at) => failure({ sample_id: `fnrun_${at}`, at: minutesAgo(50 - at) }));
  const recorded = await errors.report(...later.slice(7));
  await errors.report(...later.slice(0, 7));
  const { body } = await errors.detail(recorded.body.fingerprints[0].fingerprint_id);
  expect(body.count).toBe(15);
  expect(body.samples.first.id).toBe('req_first');
  const ids = body.samples.recent.map(({ id }: { id: string }) => id);
  expect(ids).toEqual(Array.from({ length: 10 }, (_, at) => `fnrun_${13 - at}`));
  const commands = body.next_actions.map(({ command }: { command: string }) => command);
  expect(commands).toEqual([...ids, 'req_first'].map((id) => `svc logs checkout --request-id ${id}`));
});

test('an occurrence that is reported late moves back when it was first seen, and under which release', async () => {
  const errors = reporter(service, await service.project());
  await errors.report(failure({ sample_id: 'req_new', at: minutesAgo(5), release_id: 'rel_b' }));
  await errors.report(failure({ sample_id: 'req_old', at: minutesAgo(60), release_id: 'rel_a' }));
  const { body } = await errors.list();
  expect(body.errors[0]).toMatchObject({
    count: 2,
    first_seen_release_id: 'rel_a',
    last_seen_release_id: 'rel_b',
    samples: { first: { id: 'req_new' }, recent: [{ id: 'req_new' }, { id: 'req_old' }] },
  });
  expect(Date.parse(body.errors[0].last_seen) - Date.parse(body.errors[0].first_seen)).toBeGreaterThan(54 * 60_000);
});

test('what is said to happen later than now happens now', async () => {
  const errors = reporter(service, await service.project());
  await errors.report(failure({ at: minutesAgo(-10_000) }));
  const { body } = await errors.list();
  expect(Date.parse(body.errors[0].last_seen)).toBeLessThanOrEqual(Date.parse(body.verdict.window.until));
});

test('one identity in two functions is two rows, and the detail is of the one that was seen last', async () => {
  const errors = reporter(service, await service.project());
  const { body } = await errors.report(
    failure({ function: 'cron', at: minutesAgo(9) }),
    failure({ function: `o'clock; rm`, at: minutesAgo(3) }),
  );
  const ids = new Set(body.fingerprints.map((one: { fingerprint_id: string }) => one.fingerprint_id));
  expect(ids.size).toBe(1);
  const page = await errors.list();
  expect(page.body.errors.map((one: { function: string }) => one.function)).toEqual([`o'clock; rm`, 'cron']);
  expect(page.body.verdict.new_fingerprints).toBe(1);
  const detail = await errors.detail([...ids][0] as string);
  expect(detail.body).toMatchObject({ function: `o'clock; rm`, also_seen_in_functions: ['cron'], count: 1 });
  expect(detail.body.next_actions[0].command).toMatch(/^svc logs 'o'\\''clock; rm' --request-id req_/);
});

test.each([
  ['boot_crash', {}, 'frame_names', 'TypeError'],
  [
    'invoke_failed',
    { name: 'FunctionTimeout', message: 'timed out after 30000 ms', stack: undefined },
    'message_only',
    'FunctionTimeout',
  ],
  [
    'handled_5xx',
    { name: undefined, message: undefined, stack: undefined, status: 503, body: '{"code":"NO_STOCK","id":7}' },
    'message_only',
    'CustomError',
  ],
  ['handled_5xx', { name: undefined, message: undefined, stack: undefined, status: 503 }, 'coarse', 'CustomError'],
  ['uncaught', { name: 'Pt', message: undefined, stack: 'at a (x.js:1:1)' }, 'coarse', 'CustomError'],
])('a failure of kind %s with %o is known by %s as %s', async (kind, over, quality, name) => {
  const errors = reporter(service, await service.project());
  await errors.report(failure({ kind, ...over }));
  const [row] = (await errors.list()).body.errors;
  expect(row).toMatchObject({ kind, fingerprint_quality: quality, error_name: name });
});

test.each<[string, Record<string, unknown>, string]>([
  ['an unknown kind', { kind: 'caught' }, 'occurrences.1.kind'],
  ['no function', { function: '' }, 'occurrences.1.function'],
  ['a function of two lines', { function: 'a\nb' }, 'occurrences.1.function'],
  ['a function name that is too long', { function: 'x'.repeat(129) }, 'occurrences.1.function'],
  ['a sample of no known kind', { sample_id: 'trc_1' }, 'occurrences.1.sample_id'],
  ['a release with a blank', { release_id: 'rel a' }, 'occurrences.1.release_id'],
  ['a release in letters that look like others', { release_id: 'rеl_a' }, 'occurrences.1.release_id'],
  ['a date without a zone', { at: '2026-01-01T00:00:00' }, 'occurrences.1.at'],
  ['a date before there were such functions', { at: '0000-01-01T00:00:00Z' }, 'occurrences.1.at'],
  ['a status below 500', { status: 499 }, 'occurrences.1.status'],
  ['a member nobody knows', { frames: [] }, 'occurrences.1.frames'],
])('%s is refused, and nothing of the batch is counted', async (_case, over, field) => {
  const errors = reporter(service, await service.project());
  const answer = await errors.report(failure(), failure(over)).then((one) => one);
  expectRefusal(answer, 'VALIDATION_FAILED', { field: field });
  expect((await errors.list()).body.errors).toEqual([]);
});

test('a hundred failures are taken at once, and one more is not', async () => {
  const errors = reporter(service, await service.project());
  const many = Array.from({ length: 101 }, () => failure());
  expectRefusal(await errors.report(...many), 'VALIDATION_FAILED', { field: 'occurrences' });
  expect((await errors.report(...many.slice(1))).body.recorded).toBe(100);
  expect((await errors.report()).body).toEqual({ recorded: 0, fingerprints: [] });
});

test('function names in one normal form are one function, whichever way they were written', async () => {
  const errors = reporter(service, await service.project());
  await errors.report(failure({ function: 'caf\u00e9' }), failure({ function: 'cafe\u0301' }));
  expect((await errors.list({ function: 'cafe\u0301' })).body.errors).toMatchObject([{ count: 2 }]);
});

test('a report that is sent again under its key counts once', async () => {
  const errors = reporter(service, await service.project());
  const body = { occurrences: [failure()] };
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const send = () => service.call(errors.key, 'POST', `${errors.path}/occurrences`, { body, headers });
  const answers = [await send(), await send()];
  expect(answers[1]!.body).toEqual(answers[0]!.body);
  expect((await errors.list()).body.errors).toMatchObject([{ count: 1 }]);
});

test('a megabyte of stack and message is looked at from its beginning', async () => {
  const errors = reporter(service, await service.project());
  const big = 'at x (y:1:1)\n'.repeat(30_000);
  expect(
    (await errors.report(failure({ stack: `${failure().stack}\n${big}`, message: `it broke ${'x'.repeat(400_000)}` })))
      .status,
  ).toBe(200);
  expect((await errors.list()).body.errors).toMatchObject([
    { message_template: 'it broke <str>', stable_frames: ['chargeCard', 'handler'] },
  ]);
});

test('failures over GraphQL are the failures over REST', async () => {
  const { wallet, ...project } = await service.project();
  const errors = reporter(service, project);
  const report = `mutation ($input: ReportErrorOccurrencesInput!) {
    reportErrorOccurrences(input: $input) { recorded fingerprints { fingerprintId function count } }
  }`;
  const occurrence = {
    function: 'checkout',
    kind: 'UNCAUGHT',
    sampleId: 'req_1',
    releaseId: 'rel_a',
    name: 'TypeError',
    message: 'x 1',
  };
  const input = {
    project: project.projectId,
    occurrences: [occurrence, { ...occurrence, sampleId: 'req_2', message: 'x 2' }],
  };
  const { data } = await service.graphql(wallet, report, { input });
  const [{ fingerprint_id: id }] = (await errors.list()).body.errors;
  expect(data.reportErrorOccurrences).toEqual({
    recorded: 2,
    fingerprints: [{ fingerprintId: id, function: 'checkout', count: 2 }],
  });
});
