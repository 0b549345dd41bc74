import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { escalationsOf } from './own-org.ts';
import { newEscalation, tokenOfPage } from './planted.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { answer, call, contact, get, member, raise, token } = escalationsOf(service);
const { actors, control } = service;
const { nobody } = actors;

const tap = (token: unknown) => call(nobody, 'POST', '/escalations/v1/ack', { body: { token } });
const dueOf = async (id: string) =>
  (await control.sql<{ due_at: Date | null }>('select due_at from escalations where id = $1', [id]))[0]!.due_at;

/** A principal's address, as one that a person signed in with. */
const verify = (principalId: string, email: string) =>
  control.sql(
    `insert into authenticators (id, principal_id, kind, public_subject, verified_at) values ($1, $2, 'email', $3, now())`,
    [randomUUID(), principalId, email],
  );

test('of fifty who acknowledge at once the first is kept, and everybody is told who it was', async () => {
  const { wallet, orgId } = await service.owner();
  await contact(wallet, orgId, { email: 'ada@example.com' });
  const id = (await raise(wallet, orgId)).body.escalation_id;
  const members = await Promise.all(
    Array.from({ length: 25 }, async (_, n) => {
      const one = await member(orgId);
      await verify(one.principalId, `m${n}-${orgId}@example.com`);
      return one.wallet;
    }),
  );
  const ackToken = await token(id, 'ada@example.com');
  const answers = await Promise.all([
    ...members.map((one) => answer(one, orgId, id, 'ack')),
    ...Array.from({ length: 25 }, () => tap(ackToken)),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
  const winners = answers.filter(({ body }) => body.changed);
  expect(winners).toHaveLength(1);
  const { acknowledged } = (await get(wallet, orgId, id)).body;
  expect(acknowledged).toEqual({
    at: moment,
    by_email: expect.stringContaining('@example.com'),
    channel: expect.stringMatching(/^(token|authenticated)$/),
  });
  for (const { body } of answers.slice(0, 25)) expect(body.acknowledged).toEqual(acknowledged);
  for (const { body } of answers.slice(25)) expect(body.acknowledged_at).toBe(acknowledged.at);
  const trail = await control.sql(
    `select 1 from audit_events where object_id = $1 and action = 'escalation.acknowledged'`,
    [id],
  );
  expect(trail).toHaveLength(1);
  expect(await dueOf(id)).toBeNull();
});

test('the acknowledger is named by an address that was verified, and by none without', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  const first = (await raise(wallet, orgId)).body.escalation_id;
  const bare = await answer(wallet, orgId, first, 'ack');
  expect(bare.body).toMatchObject({
    changed: true,
    status: 'acknowledged',
    acknowledged: { by_email: null, channel: 'authenticated' },
  });
  await control.sql(
    `insert into operator_contacts (principal_id, name, email, email_verified_at) values ($1, 'Ada', 'notices@example.com', null)`,
    [principalId],
  );
  const second = (await raise(wallet, orgId)).body.escalation_id;
  expect((await answer(wallet, orgId, second, 'ack')).body.acknowledged.by_email).toBeNull();
  await control.sql('update operator_contacts set email_verified_at = now() where principal_id = $1', [principalId]);
  const third = (await raise(wallet, orgId)).body.escalation_id;
  expect((await answer(wallet, orgId, third, 'ack')).body.acknowledged.by_email).toBe('notices@example.com');
});

test('resolving acknowledges what nobody acknowledged, is kept as it was first, and ends the ladder', async () => {
  const { wallet, orgId } = await service.owner();
  const other = await member(orgId);
  await contact(wallet, orgId, { email: 'ada@example.com' });
  const id = (await raise(wallet, orgId)).body.escalation_id;
  expect(await dueOf(id)).not.toBeNull();
  const resolved = await answer(wallet, orgId, id, 'resolve', { note: 'A cable.' });
  expect(resolved.body).toMatchObject({
    changed: true,
    status: 'resolved',
    resolved: { at: moment, by_email: null, note: 'A cable.' },
    acknowledged: { at: moment, by_email: null, channel: 'authenticated' },
  });
  expect(await dueOf(id)).toBeNull();
  const again = await answer(other.wallet, orgId, id, 'resolve', { note: 'Mine.' });
  expect(again.body).toStrictEqual({ ...resolved.body, changed: false });
  const late = await answer(other.wallet, orgId, id, 'ack');
  expect(late.body).toStrictEqual({ ...resolved.body, changed: false });
  const tapped = await tap(await token(id, 'ada@example.com'));
  expect(tapped.body).toStrictEqual({
    escalation_id: id,
    status: 'resolved',
    acknowledged_at: resolved.body.acknowledged.at,
    changed: false,
    reason: 'look',
  });
});

test('an acknowledgement stays who it was when somebody else resolves', async () => {
  const { wallet, orgId } = await service.owner();
  const { escalationId, token: link, email } = await tokenOfPage(control, orgId);
  expect((await tap(link)).body).toMatchObject({ changed: true, status: 'acknowledged' });
  const { body } = await answer(wallet, orgId, escalationId, 'resolve');
  expect(body.acknowledged).toMatchObject({ by_email: email, channel: 'token' });
  expect(body.resolved).toMatchObject({ by_email: null, note: null });
});

test('delegates and holders of grants answer nothing, whoever raised it', async () => {
  const { orgId, projectId } = await service.project();
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['deploy'] });
  const id = (await raise(delegate, orgId)).body.escalation_id;
  for (const verb of ['ack', 'resolve'] as const) {
    expectRefusal(await answer(delegate, orgId, id, verb), 'NOT_AUTHORIZED');
  }
  expect((await get(delegate, orgId, id)).body.status).toBe('open');
});

test('a link that is unknown, old, or a removed contact’s is one and the same refusal', async () => {
  const { orgId } = await service.owner();
  const [old, removed] = [await tokenOfPage(control, orgId), await tokenOfPage(control, orgId)];
  await control.sql(`update escalation_pages set token_expires_at = now() where escalation_id = $1`, [
    old.escalationId,
  ]);
  await control.sql('delete from escalation_contacts where id = $1', [removed.contactId]);
  const told = await Promise.all(['x', 'é', '0'.repeat(256), old.token, removed.token, `${old.token}=`].map(tap));
  for (const one of told) {
    expectRefusal(one, 'RESOURCE_NOT_FOUND');
    expect({ ...(one.body as object), trace_id: '' }).toEqual({ ...(told[0]!.body as object), trace_id: '' });
  }
  for (const bad of [undefined, null, '', 7, 'x'.repeat(257), 'a\0']) {
    expectRefusal(await tap(bad), 'VALIDATION_FAILED', { field: 'token' });
  }
});

test.each<[string, unknown]>([
  ['4097 bytes', 'x'.repeat(4097)],
  ['1366 characters and 4098 bytes', '€'.repeat(1366)],
  ['a number', 7],
])('a note of %s is refused, and nothing is resolved', async (_case, note) => {
  const { wallet, orgId } = await service.owner();
  const id = await newEscalation(control, orgId);
  expectRefusal(await answer(wallet, orgId, id, 'resolve', { note }), 'VALIDATION_FAILED', { field: 'note' });
  expect((await get(wallet, orgId, id)).body.status).toBe('open');
});

test('a note of exactly 4 KiB in characters of three bytes is kept whole', async () => {
  const { wallet, orgId } = await service.owner();
  const note = `${'€'.repeat(1365)}x`;
  const { body } = await answer(wallet, orgId, await newEscalation(control, orgId), 'resolve', { note });
  expect(body.resolved.note).toBe(note);
});

test.each(['nope', randomUUID(), 'x'.repeat(64)])(
  'the id %s is answered like that of another organization’s',
  async (id) => {
    const { wallet, orgId } = await service.owner();
    const foreign = await newEscalation(control, (await service.owner()).orgId);
    for (const asked of [id, foreign]) {
      const details = { escalation_id: asked };
      expectRefusal(await get(wallet, orgId, asked), 'RESOURCE_NOT_FOUND', details);
      expectRefusal(await answer(wallet, orgId, asked, 'ack'), 'RESOURCE_NOT_FOUND', details);
      expectRefusal(await answer(wallet, orgId, asked, 'resolve'), 'RESOURCE_NOT_FOUND', details);
    }
  },
);

test('answers are given over GraphQL as over REST', async () => {
  const { wallet, orgId } = await service.owner();
  const planted = await tokenOfPage(control, orgId);
  const id = planted.escalationId;
  const shown = 'changed escalation { escalationId status acknowledgedVia resolvedNote resolvedAt }';
  const ack = `mutation ($in: AcknowledgeEscalationInput!) { acknowledgeEscalation(input: $in) { ${shown} } }`;
  const address = { org: orgId, escalation: id };
  const acked = await service.graphql(wallet, ack, { in: address });
  const escalation = {
    escalationId: id,
    status: 'ACKNOWLEDGED',
    acknowledgedVia: 'AUTHENTICATED',
    resolvedNote: null,
    resolvedAt: null,
  };
  expect(acked.data.acknowledgeEscalation).toEqual({ changed: true, escalation });
  expect((await service.graphql(wallet, ack, { in: address })).data.acknowledgeEscalation.changed).toBe(false);
  const byToken =
    'mutation ($in: AcknowledgeByTokenInput!) { acknowledgeByToken(input: $in) { escalationId status changed reason } }';
  const tapped = await service.graphql(nobody, byToken, { in: { token: planted.token } });
  expect(tapped.data.acknowledgeByToken).toEqual({
    escalationId: id,
    status: 'ACKNOWLEDGED',
    changed: false,
    reason: 'look',
  });
  const resolve = `mutation ($in: ResolveEscalationInput!) { resolveEscalation(input: $in) { ${shown} } }`;
  const resolved = await service.graphql(wallet, resolve, { in: { ...address, note: 'done' } });
  expect(resolved.data.resolveEscalation).toMatchObject({
    changed: true,
    escalation: { status: 'RESOLVED', resolvedNote: 'done', resolvedAt: moment },
  });
  const gone = await service.graphql(nobody, byToken, { in: { token: 'x' } });
  expect(gone.errors![0]!.extensions.code).toBe('RESOURCE_NOT_FOUND');
  const stranger = await service.graphql((await service.owner()).wallet, ack, { in: address });
  expect(stranger.errors![0]!.extensions.code).toBe('NOT_AUTHORIZED');
});

test('an acknowledgement sent again under its key is given again, and one by a link, too', async () => {
  const { wallet, orgId } = await service.owner();
  const id = await newEscalation(control, orgId);
  const headers = { 'idempotency-key': randomUUID() };
  const send = () => call(wallet, 'POST', `/orgs/v1/${orgId}/escalations/${id}/ack`, { headers });
  const [first, second] = [await send(), await send()];
  expect([first.body.changed, second.body]).toEqual([true, first.body]);
});
