import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { failure, failureNumbered, minutesAgo, reporter } from './reporting.ts';

const service = await sharedService();
afterAll(() => service.stop());

const setUp = async () => {
  const project = await service.project();
  return { ...project, ...reporter(service, project) };
};

const ids = (answer: { body: { errors: { fingerprint_id: string }[] } }) =>
  answer.body.errors.map(({ fingerprint_id }) => fingerprint_id);

test('the baseline is what was active before, by activation: after A, B and a rollback to A, it is A for C', async () => {
  const { activate, list } = await setUp();
  for (const release of ['rel_a', 'rel_b', 'rel_a', 'rel_c']) expect((await activate(release)).status).toBe(200);
  const baselineOf = async (release: string) => (await list({ new_in: release })).body.verdict;
  expect(await baselineOf('rel_c')).toMatchObject({ compared_release_id: 'rel_c', baseline_release_id: 'rel_a' });
  expect(await baselineOf('active')).toMatchObject({ compared_release_id: 'rel_c', baseline_release_id: 'rel_a' });
  expect(await baselineOf('rel_a')).toMatchObject({ compared_release_id: 'rel_a', baseline_release_id: 'rel_b' });
  expect(await baselineOf('rel_b')).toMatchObject({ baseline_release_id: 'rel_a' });
});

test('a release that is activated again is not its own baseline, and the first one has none', async () => {
  const { activate, list } = await setUp();
  await activate('rel_a', minutesAgo(30));
  expect((await list({ new_in: 'rel_a' })).body.verdict.baseline_release_id).toBe(null);
  await activate('rel_b', minutesAgo(20));
  await activate('rel_b');
  expect((await list({ new_in: 'active' })).body.verdict).toMatchObject({
    compared_release_id: 'rel_b',
    baseline_release_id: 'rel_a',
  });
});

test('an activation that is reported late takes its place in the history', async () => {
  const { activate, list } = await setUp();
  await activate('rel_c', minutesAgo(10));
  await activate('rel_b', minutesAgo(20));
  await activate('rel_a', minutesAgo(30));
  expect((await list({ new_in: 'active' })).body.verdict).toMatchObject({
    compared_release_id: 'rel_c',
    baseline_release_id: 'rel_b',
  });
});

test('with a release, new is what was first seen under it, and all else in the window recurs', async () => {
  const { activate, report, invoked, list } = await setUp();
  await activate('rel_a', minutesAgo(60));
  await report(
    failureNumbered(1, { release_id: 'rel_a', at: minutesAgo(50) }),
    failureNumbered(2, { release_id: 'rel_a', at: minutesAgo(49) }),
  );
  await activate('rel_b', minutesAgo(30));
  const recorded = await report(
    failureNumbered(1, { release_id: 'rel_b', at: minutesAgo(20) }),
    failureNumbered(3, { release_id: 'rel_b', at: minutesAgo(19) }),
    failureNumbered(4, { release_id: null, at: minutesAgo(18) }),
  );
  await invoked(
    { function: 'checkout', release_id: 'rel_a', count: 70, at: minutesAgo(50) },
    { function: 'checkout', release_id: 'rel_b', count: 30, at: minutesAgo(20) },
    { function: 'cron', release_id: 'rel_b', count: 5, at: minutesAgo(20) },
  );
  const page = await list({ new_in: 'active' });
  expect(page.body.verdict).toMatchObject({
    compared_release_id: 'rel_b',
    baseline_release_id: 'rel_a',
    new_fingerprints: 1,
    recurring_fingerprints: 3,
    invocations_in_window: 35,
  });
  const third = recorded.body.fingerprints.filter((one: { is_new: boolean }) => one.is_new);
  expect(third).toHaveLength(2);
  expect(page.body.errors).toMatchObject([{ first_seen_release_id: 'rel_b', count: 1 }]);
  const all = await list();
  expect(all.body.errors).toHaveLength(4);
  expect(all.body.verdict).toMatchObject({
    new_fingerprints: 4,
    recurring_fingerprints: 0,
    invocations_in_window: 105,
  });
});

test('an identity that another function had before is no news of a release', async () => {
  const { activate, report, list } = await setUp();
  await activate('rel_a', minutesAgo(60));
  await report(failure({ function: 'cron', release_id: 'rel_a', at: minutesAgo(50) }));
  await activate('rel_b', minutesAgo(30));
  await report(failure({ function: 'checkout', release_id: 'rel_b', at: minutesAgo(20) }));
  expect((await list({ new_in: 'rel_b' })).body).toMatchObject({
    verdict: { new_fingerprints: 0, recurring_fingerprints: 1 },
    errors: [],
  });
  // Narrowed to the function that had it second, it is as old as it was.
  expect((await list({ new_in: 'rel_b', function: 'checkout' })).body).toMatchObject({
    verdict: { new_fingerprints: 0, recurring_fingerprints: 1 },
    errors: [],
  });
});

test('an identity that another function had before a window is no news inside it, for either', async () => {
  const { report, list } = await setUp();
  await report(failure({ function: 'cron', at: minutesAgo(50) }));
  await report(failure({ function: 'checkout', at: minutesAgo(20) }));
  const since = minutesAgo(30);
  for (const filter of [{}, { function: 'checkout' }])
    expect((await list({ since, ...filter })).body).toMatchObject({
      verdict: { new_fingerprints: 0, recurring_fingerprints: 1 },
      errors: [{ function: 'checkout' }],
    });
  expect((await list({ function: 'checkout' })).body.verdict.new_fingerprints).toBe(1);
});

test('a window shows what was seen in it, and what was first seen in it is new', async () => {
  const { report, list } = await setUp();
  await report(
    failureNumbered(1, { at: minutesAgo(300) }),
    failureNumbered(2, { at: minutesAgo(200) }),
    failureNumbered(3, { at: minutesAgo(100) }),
  );
  await report(failureNumbered(1, { at: minutesAgo(90) }));
  const window = { since: minutesAgo(210), until: minutesAgo(95) };
  const page = await list(window);
  expect(page.body.verdict).toMatchObject({ window, new_fingerprints: 2, recurring_fingerprints: 1 });
  expect(page.body.errors).toHaveLength(3);
  expect((await list({ until: minutesAgo(250) })).body.verdict).toMatchObject({ new_fingerprints: 1 });
  expect((await list({ since: minutesAgo(80) })).body).toMatchObject({
    verdict: { new_fingerprints: 0, recurring_fingerprints: 0 },
    errors: [],
  });
});

test('a window may be as long as there are dates', async () => {
  const { report, list } = await setUp();
  await report(failure());
  const ever = { since: '0000-01-01T00:00:00.000Z', until: '9999-12-31T23:59:59.999Z' };
  expect((await list(ever)).body.verdict).toMatchObject({
    window: ever,
    new_fingerprints: 1,
    invocations_in_window: 0,
  });
});

test('the edges of a window belong to it', async () => {
  const { report, list } = await setUp();
  const at = minutesAgo(30);
  await report(failure({ at }));
  expect((await list({ since: at, until: at })).body.verdict.new_fingerprints).toBe(1);
  const before = new Date(Date.parse(at) - 1).toISOString();
  const after = new Date(Date.parse(at) + 1).toISOString();
  expect((await list({ since: before, until: before })).body.errors).toEqual([]);
  expect((await list({ since: after })).body.errors).toEqual([]);
});

test('filters narrow the verdict as they narrow the list', async () => {
  const { report, invoked, fidelity, list } = await setUp();
  const recorded = await report(
    failureNumbered(1),
    failureNumbered(2, { function: 'cron' }),
    failureNumbered(3, { function: 'cron', kind: 'boot_crash' }),
  );
  await invoked({ function: 'cron', count: 3 }, { function: 'checkout', count: 4 });
  await fidelity({ function: 'cron', fidelity: 'full' }, { function: 'checkout', fidelity: 'coarse' });
  const verdict = async (query: Record<string, string>) => (await list(query)).body.verdict;
  expect(await verdict({})).toMatchObject({
    new_fingerprints: 3,
    invocations_in_window: 7,
    coverage: { full_fidelity_functions: 1, coarse_functions: 1 },
  });
  expect(await verdict({ function: 'cron' })).toMatchObject({
    new_fingerprints: 2,
    invocations_in_window: 3,
    coverage: { full_fidelity_functions: 1, coarse_functions: 0 },
  });
  expect(await verdict({ kind: 'boot_crash' })).toMatchObject({ new_fingerprints: 1 });
  const { fingerprint_id: id } = recorded.body.fingerprints[0];
  expect(await verdict({ fingerprint: id })).toMatchObject({ new_fingerprints: 1 });
  expect(ids(await list({ fingerprint: id }))).toEqual([id]);
  expect(await verdict({ fingerprint: 'fp_none' })).toMatchObject({ new_fingerprints: 0 });
});

test('invocations are added up exactly by twenty callers, and replaced fidelity is the last one', async () => {
  const { invoked, fidelity, list, orgId } = await setUp();
  await service.control.sql(`update orgs set tier = 'team' where id = $1`, [orgId]);
  const counts = Array.from({ length: 50 }, (_, at) => ({ function: `f${at % 3}`, release_id: 'rel_a', count: 2 }));
  const answers = await Promise.all(Array.from({ length: 20 }, () => invoked(...counts)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  await fidelity({ function: 'f0', fidelity: 'full' }, { function: 'f1', fidelity: 'full' });
  await fidelity({ function: 'f2', fidelity: 'coarse' });
  expect((await list({ new_in: 'rel_a' })).body.verdict).toMatchObject({
    invocations_in_window: 2_000,
    coverage: { full_fidelity_functions: 0, coarse_functions: 1 },
  });
});

test('an unknown release is 404, and the active one 409 while there is none', async () => {
  const { activate, report, list } = await setUp();
  expectRefusal(await list({ new_in: 'active' }), 'NO_ACTIVE_RELEASE');
  expectRefusal(await list({ new_in: 'rel_none' }), 'RESOURCE_NOT_FOUND', { release_id: 'rel_none' });
  await report(failure({ release_id: 'rel_candidate' }));
  expect((await list({ new_in: 'rel_candidate' })).body.verdict).toMatchObject({
    new_fingerprints: 1,
    baseline_release_id: null,
  });
  expectRefusal(await list({ new_in: 'active' }), 'NO_ACTIVE_RELEASE');
  await activate('rel_a');
  expect((await list({ new_in: 'active' })).body.verdict.compared_release_id).toBe('rel_a');
});

test('pages follow each other without gap or repeat, each with the same verdict', async () => {
  const { report, list } = await setUp();
  // Several in one millisecond, and of one identity.
  const at = minutesAgo(10);
  await report(...Array.from({ length: 7 }, (_, index) => failureNumbered(index, { at })));
  await report(failureNumbered(1, { at, function: 'a|b' }), failureNumbered(1, { at, function: 'é%7C' }));
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await list({ limit: '2', ...(cursor && { cursor }) });
    expect(body.verdict.new_fingerprints).toBe(7);
    expect('next_cursor' in body).toBe(body.has_more);
    for (const row of body.errors) seen.push(`${row.fingerprint_id} ${row.function}`);
    cursor = body.next_cursor;
  } while (cursor !== undefined);
  expect(seen).toHaveLength(9);
  expect(new Set(seen).size).toBe(9);
});

test.each([
  [{ since: 'yesterday' }, 'since'],
  [{ until: '2026-01-01' }, 'until'],
  [{ since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, 'since'],
  [{ since: '2999-01-01T00:00:00Z' }, 'since'],
  [{ kind: 'caught' }, 'kind'],
  [{ function: '' }, 'function'],
  [{ fingerprint: 'x'.repeat(65) }, 'fingerprint'],
  [{ new_in: '' }, 'new_in'],
  [{ limit: '0' }, 'limit'],
  [{ limit: '1.5' }, 'limit'],
])('%o is refused by name', async (query, field) => {
  const { list } = await setUp();
  expectRefusal(await list(query as Record<string, string>), 'VALIDATION_FAILED', { field });
});

test('a cursor of another project is none', async () => {
  const [one, other] = [await setUp(), await setUp()];
  await one.report(failureNumbered(1), failureNumbered(2));
  const { body } = await one.list({ limit: '1' });
  expectRefusal(await other.list({ cursor: body.next_cursor }), 'INVALID_CURSOR', { field: 'cursor' });
});

test('a cursor of other filters is none, and one of a window that has moved on is', async () => {
  const project = await setUp();
  await project.activate('rel_a', minutesAgo(60));
  const rows = [1, 2, 3].map((index) => failureNumbered(index, { release_id: 'rel_a', at: minutesAgo(10) }));
  await project.report(...rows);
  const filters = [
    {},
    { function: 'checkout' },
    { kind: 'uncaught' },
    { fingerprint: 'fp_0000000000000000' },
    { new_in: 'rel_a' },
    { new_in: 'active' },
    { function: 'rel_a' },
  ];
  const { body } = await project.list({ limit: '1', function: 'checkout' });
  const cursor = body.next_cursor;
  for (const filter of filters.filter(({ function: name }) => name !== 'checkout'))
    expectRefusal(await project.list({ ...filter, cursor }), 'INVALID_CURSOR', { field: 'cursor' });
  const { since, until } = body.verdict.window;
  for (const window of [{}, { since, until }, { since: minutesAgo(120) }]) {
    const page = await project.list({ function: 'checkout', cursor, ...window });
    expect(ids(page)).toHaveLength(2);
    expect(ids(page)).not.toContain(ids({ body })[0]);
  }
  const document = `query ($id: ID!, $after: String, $function: String) {
    project(id: $id) { errors(after: $after, function: $function) { edges { node { fingerprintId } } } }
  }`;
  const ask = (name: string | null) =>
    service.graphql(project.wallet, document, { id: project.projectId, after: cursor, function: name });
  expect((await ask('checkout')).data.project.errors.edges).toHaveLength(2);
  expect((await ask(null)).errors![0]!.extensions.code).toBe('INVALID_CURSOR');
});

test('the verdict and its list over GraphQL are those over REST, and pages run both ways', async () => {
  const { wallet, projectId, report, activate, invoked, list } = await setUp();
  await activate('rel_a');
  await report(...[1, 2, 3].map((index) => failureNumbered(index, { release_id: 'rel_a', at: minutesAgo(index) })));
  await invoked({ function: 'checkout', release_id: 'rel_a', count: 9 });
  const query = `query ($id: ID!, $first: Int, $last: Int, $before: String) { project(id: $id) {
    errors(newIn: "active", kind: UNCAUGHT, first: $first, last: $last, before: $before) {
      edges { cursor node { fingerprintId kind quality errorName messageTemplate stableFrames count firstSample { sampleId releaseId } recentSamples { sampleId } alsoSeenInFunctions } }
      pageInfo { hasNextPage hasPreviousPage }
      verdict { comparedReleaseId baselineReleaseId newFingerprints recurringFingerprints invocationsInWindow fullFidelityFunctions coarseFunctions rowCap atCap }
    } } }`;
  const rest = await list({ new_in: 'active' });
  const { data } = await service.graphql(wallet, query, { id: projectId, first: 2 });
  const { edges, pageInfo, verdict } = data.project.errors;
  expect(edges.map((edge: { node: { fingerprintId: string } }) => edge.node.fingerprintId)).toEqual(
    ids(rest).slice(0, 2),
  );
  expect(edges[0].node).toMatchObject({
    kind: 'UNCAUGHT',
    quality: 'FRAME_NAMES',
    errorName: 'TypeError',
    messageTemplate: 'it broke',
    stableFrames: rest.body.errors[0].stable_frames,
    count: 1,
    firstSample: { sampleId: rest.body.errors[0].samples.first.id, releaseId: 'rel_a' },
    alsoSeenInFunctions: [],
  });
  expect(pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false });
  expect(verdict).toEqual({
    comparedReleaseId: 'rel_a',
    baselineReleaseId: null,
    newFingerprints: 3,
    recurringFingerprints: 0,
    invocationsInWindow: 9,
    fullFidelityFunctions: 0,
    coarseFunctions: 0,
    rowCap: 5000,
    atCap: false,
  });
  const back = await service.graphql(wallet, query, { id: projectId, last: 2, before: edges[1].cursor });
  expect(back.data.project.errors.edges).toHaveLength(1);
  const end = await service.graphql(wallet, query, { id: projectId, last: 1 });
  expect(end.data.project.errors.edges[0].node.fingerprintId).toBe(ids(rest)[2]);
  const missing = await service.graphql(wallet, query.replace('"active"', '"rel_none"'), { id: projectId });
  expect(missing.errors![0]!.extensions).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
});

test('activations, invocations and fidelity over GraphQL are read over REST', async () => {
  const { wallet, projectId: project, list } = await setUp();
  const { data, errors } = await service.graphql(
    wallet,
    `mutation ($project: ID!) {
      reportReleaseActivation(input: { project: $project, releaseId: "rel_a" }) { releaseId activatedAt project { projectId } }
      reportInvocations(input: { project: $project, invocations: [{ function: "cron", releaseId: "rel_a", count: 2 }] }) { recorded }
      reportFunctionFidelity(input: { project: $project, functions: [{ function: "cron", fidelity: COARSE }] }) { fullFidelityFunctions coarseFunctions }
    }`,
    { project },
  );
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({
    reportReleaseActivation: { releaseId: 'rel_a', project: { projectId: project } },
    reportInvocations: { recorded: 2 },
    reportFunctionFidelity: { fullFidelityFunctions: 0, coarseFunctions: 1 },
  });
  expect((await list({ new_in: 'active' })).body.verdict).toMatchObject({
    compared_release_id: 'rel_a',
    invocations_in_window: 2,
    coverage: { full_fidelity_functions: 0, coarse_functions: 1 },
  });
});

test.each([
  ['within one hour', '10:05', '10:40', 36],
  ['over the end of an hour', '10:50', '11:10', 21],
  ['of whole hours', '09:00', '11:59', 180],
  ['of hours and what is around them', '08:30', '12:15', 226],
  ['that ends where an hour begins', '10:30', '12:00', 91],
  ['of one minute', '10:00', '10:00', 1],
])('each minute that a window %s touches counts once', async (_case, since, until, minutes) => {
  const { list, orgId, projectId } = await setUp();
  const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  // One in each minute of seven hours, as reports add them up.
  await service.control.sql(
    `insert into function_invocations (org_id, project_id, span, starts_at, function, release_id, count)
     select $1, $2, s.span, date_trunc(s.span, $3::timestamptz + m * interval '1 minute', 'UTC'), 'f', '', count(*)
     from generate_series(0, 419) m, (values ('minute'), ('hour')) s(span) group by 3, 4`,
    [orgId, projectId, `${day}T07:00:00Z`],
  );
  const window = { since: `${day}T${since}:30.000Z`, until: `${day}T${until}:45.000Z` };
  expect((await list(window)).body.verdict.invocations_in_window).toBe(minutes);
  expect((await list({ ...window, function: 'g' })).body.verdict.invocations_in_window).toBe(0);
});
