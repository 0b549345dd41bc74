import { afterAll, expect, test } from 'vitest';
import { type Actor, type SessionActor, withHeaders } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());

const { actors, control } = service;

interface Refused {
  readonly code: string;
  readonly details: Record<string, unknown>;
  readonly next_actions: readonly unknown[];
}

const orgsOf = (principalId: string) => control.sql('select 1 from memberships where principal_id = $1', [principalId]);

test.each([
  ['without a passkey', undefined, 'missing'],
  ['with a passkey proven 301 seconds ago', 301, 'stale'],
])('a session %s is asked for one before it creates an organization', async (_case, passkeyAgeSeconds, reason) => {
  const session = await actors.session(passkeyAgeSeconds === undefined ? {} : { passkeyAgeSeconds });
  const expected = {
    code: 'STEP_UP_REQUIRED',
    details: {
      op_class: 'org.create',
      required_amr: ['passkey'],
      max_age_seconds: 300,
      challenge_url: `${service.url}/agent/v1/control-plane/step-up/options`,
      reason,
    },
    next_actions: [
      {
        type: 'authenticate',
        method: 'POST',
        path: '/agent/v1/control-plane/step-up/options',
        why: 'Confirm with a passkey, then send the request again.',
      },
    ],
  };
  const { status, body } = await service.call<Refused>(session, 'POST', '/orgs/v1', { body: {} });
  expect(status).toBe(403);
  expect(body).toMatchObject(expected);
  const { errors } = await service.graphql(session, 'mutation { createOrganization(input: {}) { id } }');
  expect(errors?.[0]?.extensions).toMatchObject(expected);
  expect(await orgsOf(session.principalId)).toEqual([]);
});

test('a session with a passkey proven within five minutes creates an organization', async () => {
  for (const passkeyAgeSeconds of [0, 290]) {
    const session = await actors.session({ passkeyAgeSeconds });
    const { status } = await service.call(session, 'POST', '/orgs/v1', { body: {} });
    expect(status).toBe(201);
    expect(await orgsOf(session.principalId)).toHaveLength(1);
  }
});

test('a passkey proven in the session counts, whatever the token said when it was signed', async () => {
  const session = await actors.session();
  const proven = JSON.stringify({ passkey: Math.floor(Date.now() / 1000) });
  await control.sql('update sessions set amr_times = amr_times || $2 where id = $1', [session.sessionId, proven]);
  expect((await service.call(session, 'POST', '/orgs/v1', { body: {} })).status).toBe(201);
});

test('fresh proof by mail, OAuth or recovery code is no passkey', async () => {
  const session = await actors.session();
  const at = Math.floor(Date.now() / 1000);
  const proven = JSON.stringify({ email: at, oauth_google: at, oauth_github: at, recovery_code: at });
  await control.sql('update sessions set amr_times = $2 where id = $1', [session.sessionId, proven]);
  const { body } = await service.call<Refused>(session, 'POST', '/orgs/v1', { body: {} });
  expect(body).toMatchObject({ code: 'STEP_UP_REQUIRED', details: { reason: 'missing' } });
});

test('where the server is known under another address, that is where the passkey is proven', async () => {
  const public_ = await startService({ env: { PUBLIC_BASE_URL: 'https://api.example.com' } });
  try {
    const session = await public_.actors.session();
    const { body } = await public_.call<Refused>(session, 'POST', '/orgs/v1', { body: {} });
    expect(body.details.challenge_url).toBe('https://api.example.com/agent/v1/control-plane/step-up/options');
  } finally {
    await public_.stop();
  }
});

/** A person who belongs to a fresh organization. */
async function memberSession(role = 'owner') {
  const { orgId } = await service.owner();
  const session = await actors.session({ passkeyAgeSeconds: 1 });
  await actors.member(orgId, session.principalId, role);
  return { orgId, session };
}

async function approved(session: SessionActor, approval: string): Promise<Actor> {
  return withHeaders({ ...(await session.headers('/')), 'x-svc-write-auth': approval });
}

const create = (actor: Actor, orgId: string) =>
  service.call<Refused>(actor, 'POST', '/projects/v1', { body: { org_id: orgId } });

const projectsOf = (orgId: string) => control.sql('select 1 from projects where org_id = $1', [orgId]);

const approveAction = (orgId: string) => ({
  type: 'operator_approve',
  command: `svc operator approve --action org.project.create --org ${orgId}`,
  why: 'Approve this one action with a passkey, then send the request again with X-Svc-Write-Auth.',
});

test('a session without an approval is told the command that makes one', async () => {
  const { orgId, session } = await memberSession();
  const { status, body } = await create(session, orgId);
  expect(status).toBe(403);
  expect(body).toMatchObject({
    code: 'WRITE_AUTH_REQUIRED',
    details: { action: 'org.project.create', org_id: orgId },
    next_actions: [approveAction(orgId)],
  });
  const { errors } = await service.graphql(
    session,
    'mutation ($org: ID!) { createProject(input: { org: $org }) { id } }',
    { org: orgId },
  );
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'WRITE_AUTH_REQUIRED', next_actions: [approveAction(orgId)] });
  expect(await projectsOf(orgId)).toEqual([]);
});

test('a session with the right approval creates a project, and another one', async () => {
  const { orgId, session } = await memberSession('developer');
  const actor = await approved(session, await actors.approval(session, 'org.project.create', orgId));
  expect((await create(actor, orgId)).status).toBe(201);
  const { data } = await service.graphql(
    actor,
    'mutation ($org: ID!) { createProject(input: { org: $org }) { organization { id } } }',
    { org: orgId },
  );
  expect(data).toEqual({ createProject: { organization: { id: `Organization_${orgId}` } } });
});

test('an approval of another action, target or session is the wrong one', async () => {
  const { orgId, session } = await memberSession();
  const elsewhere = await service.owner();
  const sameperson = await actors.session({ principalId: session.principalId });
  for (const wrong of [
    await actors.approval(session, 'project.deploy', orgId),
    await actors.approval(session, 'org.project.create', elsewhere.orgId),
    await actors.approval(sameperson, 'org.project.create', orgId),
    await actors.approval(await actors.session(), 'org.project.create', orgId),
  ]) {
    const { status, body } = await create(await approved(session, wrong), orgId);
    expect(status).toBe(403);
    expect(body).toMatchObject({ code: 'WRITE_AUTH_BINDING_MISMATCH', next_actions: [approveAction(orgId)] });
  }
  expect(await projectsOf(orgId)).toEqual([]);
});

test('an approval that is unknown, revoked, idle for 30 minutes or four hours old is none', async () => {
  const { orgId, session } = await memberSession();
  const ended = async (end: string) => {
    const approval = await actors.approval(session, 'org.project.create', orgId);
    await control.sql(`update write_approvals set ${end} where session_id = $1`, [session.sessionId]);
    return approval;
  };
  for (const wrong of [
    'Bearer sesame',
    'Bearer',
    '',
    'sesame',
    `Bearer ${'x'.repeat(10_240)}`,
    await ended('revoked_at = now()'),
    await ended('absolute_expires_at = now()'),
    await ended(`last_used_at = now() - interval '30 minutes'`),
  ]) {
    const { status, body } = await create(await approved(session, wrong), orgId);
    expect(status).toBe(403);
    expect(body, wrong.slice(0, 40)).toMatchObject({
      code: 'WRITE_AUTH_SESSION_INVALID',
      next_actions: [approveAction(orgId)],
    });
  }
  expect(await projectsOf(orgId)).toEqual([]);
});

test('using an approval keeps it from idling out; trying it on something else does not', async () => {
  const { orgId, session } = await memberSession();
  const approval = await actors.approval(session, 'org.project.create', orgId);
  const idle = () =>
    control.sql(`update write_approvals set last_used_at = now() - interval '20 minutes' where session_id = $1`, [
      session.sessionId,
    ]);
  const idleMinutes = async () => {
    const [row] = await control.sql<{ minutes: number }>(
      `select extract(epoch from now() - last_used_at)::float8 / 60 as minutes from write_approvals where session_id = $1`,
      [session.sessionId],
    );
    return row!.minutes;
  };
  await idle();
  const elsewhere = await service.owner();
  await actors.member(elsewhere.orgId, session.principalId, 'owner');
  const actor = await approved(session, approval);
  expect((await create(actor, elsewhere.orgId)).body.code).toBe('WRITE_AUTH_BINDING_MISMATCH');
  expect(await idleMinutes()).toBeGreaterThan(19);
  expect((await create(actor, orgId)).status).toBe(201);
  expect(await idleMinutes()).toBeLessThan(10);
});

test('a member whose role is too low is told that an approval would not help, once it has one', async () => {
  const { orgId, session } = await memberSession('billing');
  expect((await create(session, orgId)).body).toMatchObject({
    code: 'NOT_AUTHORIZED',
    details: { reason: 'forbidden', required_role: 'developer' },
  });
  const good = await approved(session, await actors.approval(session, 'org.project.create', orgId));
  const { status, body } = await create(good, orgId);
  expect(status).toBe(403);
  expect(body).toMatchObject({
    code: 'ABOVE_WRITE_AUTH_CEILING',
    details: { action: 'project:create', required_role: 'developer' },
  });
  const other = await approved(session, await actors.approval(session, 'project.deploy', orgId));
  expect((await create(other, orgId)).body.code).toBe('NOT_AUTHORIZED');
  expect(await projectsOf(orgId)).toEqual([]);
});

test('a session has to name the organization that its approval is for', async () => {
  const { session } = await memberSession();
  const { status, body } = await service.call<Refused>(session, 'POST', '/projects/v1', { body: {} });
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'VALIDATION_FAILED', details: { field: 'org_id' } });
});

test('a wallet needs neither an approval nor a passkey, and a wrong approval does not hinder it', async () => {
  const { wallet, orgId } = await service.owner();
  expect((await create(wallet, orgId)).status).toBe(201);
  const answer = await service.call(wallet, 'POST', '/projects/v1', {
    body: { org_id: orgId },
    headers: { 'x-svc-write-auth': 'Bearer sesame' },
  });
  expect(answer.status).toBe(201);
});

test('rooms ask a session for neither', async () => {
  const { orgId, session } = await memberSession('viewer');
  const path = `/orgs/v1/${orgId}/rooms/standup/messages`;
  expect((await service.call(session, 'POST', path, { body: { body: 'hello' } })).status).toBe(201);
});
