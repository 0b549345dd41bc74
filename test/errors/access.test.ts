import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { failure, reporter } from './reporting.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors } = service;

test('a service key is taken as a bearer and as an apikey, and members and delegates that may read see the same', async () => {
  const project = await service.project();
  const { orgId, projectId, principalId, serviceKey, wallet } = project;
  const { report, list, detail } = reporter(service, project);
  const { fingerprint_id: id } = (await report(failure())).body.fingerprints[0];
  const stranger = actors.wallet();
  const me = await service.call<{ principal: { id: string } }>(stranger, 'GET', '/agent/v1/whoami');
  await actors.member(orgId, me.body.principal.id, 'viewer');
  const callers = [
    actors.apikey(serviceKey),
    actors.bearer(serviceKey),
    wallet,
    stranger,
    await actors.session({ principalId }),
    await actors.session({ kind: 'operator', principalId }),
    await actors.delegate({ orgId, projectId, capabilities: ['project.read'] }),
    actors.admin,
  ];
  for (const caller of callers) {
    expect((await list({}, caller)).body.errors).toMatchObject([{ fingerprint_id: id }]);
    expect((await detail(id, caller)).body).toMatchObject({ fingerprint_id: id });
  }
});

test('another project’s key is 403, also for what there is not, and the anon key is 401 at every door', async () => {
  const project = await service.project();
  const { path, report, list, detail } = reporter(service, project);
  const { fingerprint_id: id } = (await report(failure())).body.fingerprints[0];
  const foreign = actors.apikey((await service.project()).serviceKey);
  const anon = actors.apikey(project.anonKey);
  for (const asked of [list({}, foreign), detail(id, foreign), detail('fp_0000000000000000', foreign)])
    expectRefusal(await asked, 'FORBIDDEN');
  for (const asked of [list({}, anon), detail(id, anon)]) expectRefusal(await asked, 'AUTH_REQUIRED');
  const doors = {
    occurrences: { occurrences: [failure()] },
    activations: { release_id: 'rel_a' },
    invocations: { invocations: [{ function: 'checkout', count: 1 }] },
    fidelity: { functions: [] },
  };
  for (const [door, body] of Object.entries(doors)) {
    expectRefusal(await call(anon, 'POST', `${path}/${door}`, { body }), 'AUTH_REQUIRED');
    expectRefusal(await call(foreign, 'POST', `${path}/${door}`, { body }), 'FORBIDDEN');
  }
  expect((await list()).body.errors).toMatchObject([{ count: 1 }]);
});

test('an identity that nobody has is 404 where the project may be read', async () => {
  const project = await service.project();
  const { detail, projectId } = { ...reporter(service, project), ...project };
  for (const id of ['fp_0123456789abcdef', 'fp_', 'nope', 'FP_0123456789ABCDEF'])
    expectRefusal(await detail(id), 'RESOURCE_NOT_FOUND', { fingerprint_id: id });
  expectRefusal(await detail('x'.repeat(65)), 'VALIDATION_FAILED', { field: 'fingerprint_id' });
  const { data, errors } = await service.graphql(
    project.wallet,
    `{ errorFingerprint(project: "${projectId}", fingerprintId: "fp_0123456789abcdef") { count } }`,
  );
  expect(data).toEqual({ errorFingerprint: null });
  expect(errors![0]!.extensions).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
});

test('the detail over GraphQL is that over REST', async () => {
  const project = await service.project();
  const { report, detail } = reporter(service, project);
  const { body } = await report(failure(), failure({ function: 'cron' }));
  const { fingerprint_id: id } = body.fingerprints[0];
  const rest = (await detail(id)).body;
  const { data } = await service.graphql(
    project.wallet,
    `{ errorFingerprint(project: "Project_${project.projectId}", fingerprintId: "${id}") {
      fingerprintId function alsoSeenInFunctions firstSeen lastSeen firstSeenReleaseId lastSeenReleaseId
    } }`,
  );
  expect(data.errorFingerprint).toEqual({
    fingerprintId: id,
    function: rest.function,
    alsoSeenInFunctions: rest.also_seen_in_functions,
    firstSeen: rest.first_seen,
    lastSeen: rest.last_seen,
    firstSeenReleaseId: null,
    lastSeenReleaseId: null,
  });
});

test.each([
  ['past_due', undefined],
  ['frozen', 'PROJECT_FROZEN'],
  ['dormant', 'PROJECT_DORMANT'],
] as const)('failures of an organization that is %s are read', async (state, refusal) => {
  const project = await service.project();
  const { report, list, detail } = reporter(service, project);
  const { fingerprint_id: id } = (await report(failure())).body.fingerprints[0];
  await service.control.sql('update orgs set lifecycle_state = $2 where id = $1', [project.orgId, state]);
  expect((await list()).body.verdict.new_fingerprints).toBe(1);
  expect((await detail(id)).status).toBe(200);
  const again = await report(failure());
  if (refusal === undefined) expect(again.status).toBe(200);
  else expectRefusal(again, refusal);
});
