import { afterAll, expect, test } from 'vitest';
import { claimRoomsOf } from '../claims/claim-room.ts';
import { failure, reporter } from '../errors/reporting.ts';
import { escalationsOf } from '../escalations/own-org.ts';
import { feedsOf } from '../events/feed.ts';
import type { Actor } from '../helpers/actors.ts';
import { asWire, masked } from '../helpers/as-wire.ts';
import { documentedCalls } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { newKey } from '../rooms/invite-key.ts';
import {
  arrivalFields,
  arrivalOf,
  claimFields,
  escalationFields,
  escalationOf,
  eventFields,
  eventOf,
  fingerprintFields,
  fingerprintOf,
  inviteFields,
  inviteOf,
  presenceFields,
} from './same-fields.ts';

// Whatever REST says of an object GraphQL says as well: each is read by both doors, and the answers are compared whole.

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;
const feed = feedsOf(service);
const claimRoom = claimRoomsOf(service);
const escalations = escalationsOf(service);

/** What GraphQL answers to one document, in REST's spelling. */
async function graph(actor: Actor, document: string, variables: object = {}) {
  const { data, errors } = await service.graphql(actor, document, variables);
  expect(errors).toBeUndefined();
  return asWire(data);
}

test('events, their page and the open incidents', async () => {
  const { wallet, projectId, emit, read, notifyProject } = await feed();
  await emit('order_placed', { order: 'ord_1', Total: 3 });
  await notifyProject();
  const facts = { subsystem: 'edge', severity: 'minor', scope: 'global', summary: 'Slow.' };
  const { body: incident } = await call(actors.admin, 'POST', '/admin/v1/incidents', { body: facts });
  const [rest, { project }] = await Promise.all([
    read('?cursor=evc_none'),
    graph(
      wallet,
      `query ($id: ID!) { project(id: $id) { events(after: "evc_none") {
        edges { node { ${eventFields} } } cursor reset earliestCursor platformStatus pageInfo { hasNextPage }
        platformIncidents { incidentId subsystem severity scope status summary startedAt }
      } } }`,
      { id: projectId },
    ),
  ]);
  await call(actors.admin, 'POST', `/admin/v1/incidents/${incident.id}/resolve`);
  const { edges, page_info: page, platform_incidents: incidents, ...shown } = project.events;
  expect(rest.body.events).toHaveLength(2);
  expect({
    ...shown,
    events: edges.map(({ node }: { node: Record<string, unknown> }) => eventOf(node)),
    has_more: page.has_next_page,
    platform_incidents: incidents.map(({ incident_id: id, ...one }: Record<string, unknown>) => ({ id, ...one })),
  }).toEqual(rest.body);
});

test('an event that an application tells of', async () => {
  const { key, projectId, emit } = await feed();
  const once = { idempotency_key: 'k' };
  await emit('order_placed', { order: 1 }, once);
  const rest = await emit('order_placed', { order: 1 }, once);
  const { emit_event: told } = await graph(
    key,
    `mutation ($in: EmitEventInput!) { emitEvent(input: $in) {
      cursor deduplicated nextActions payloadTruncated event { type class source payload occurredAt }
    } }`,
    { in: { project: projectId, eventType: 'order_placed', payload: { order: 1 }, onceKey: 'k' } },
  );
  const { event, payload_truncated: truncated, ...shown } = told;
  const { type: event_type, ...fact } = event;
  expect(truncated).toBe(false);
  expect({ ...shown, event_type, ...fact }).toEqual(rest.body);
});

test('an incident', async () => {
  const facts = { subsystem: 'mail', severity: 'major', scope: 'global', summary: 'Mail is late.' };
  const { body } = await call(actors.admin, 'POST', '/admin/v1/incidents', { body: facts });
  const rest = await call(actors.admin, 'POST', `/admin/v1/incidents/${body.id}/resolve`);
  const { resolve_incident: incident } = await graph(
    actors.admin,
    `mutation ($in: ResolveIncidentInput!) { resolveIncident(input: $in) {
      incidentId subsystem severity scope projectIds status summary startedAt resolvedAt
    } }`,
    { in: { incident: body.id } },
  );
  const { incident_id: id, ...shown } = incident;
  expect({ id, ...shown }).toEqual(rest.body);
});

test('presences, and how a call came by one', async () => {
  const [one, two] = [await claimRoom(), await claimRoom()];
  const join = async (room: typeof one, name: string, session: string) => {
    const { join_room: presence } = await graph(
      room.wallet,
      `mutation ($in: JoinRoomInput!) { joinRoom(input: $in) { ${presenceFields} ${arrivalFields} } }`,
      { in: { org: room.orgId, room: 'standup', requestedName: name, sessionKey: session, task: 'Tests' } },
    );
    return presence;
  };
  // New, resumed, and under a name that is taken.
  for (const [name, session] of [
    ['Ada', 'a'],
    ['Ada', 'a'],
    ['Ada', 'b'],
  ] as const) {
    const body = { requested_name: name, session_key: session, task: 'Tests' };
    const { next_actions: _path, ...rest } = (await one.post('/presences', body)).body;
    expect(masked(arrivalOf(await join(two, name, session)))).toEqual(masked(rest));
  }
  await one.claim('deploy', { session_key: 'a' });
  const { room } = await graph(
    one.wallet,
    `query ($org: ID!) { room(org: $org, room: "standup") {
      presences { edges { node { ${presenceFields} activeClaims } } } } }`,
    { org: one.orgId },
  );
  const { presences } = (await one.get('/presences')).body;
  expect(presences).toHaveLength(2);
  expect(room.presences.edges.map(({ node }: { node: object }) => node)).toEqual(presences);
  const rest = (await one.get(`/presences/${presences[0].presence_id}`)).body;
  const { node } = await graph(
    one.wallet,
    `query ($id: ID!) { node(id: $id) { ... on RoomPresence { ${presenceFields} activeClaims } } }`,
    { id: `RoomPresence_${presences[0].presence_id}` },
  );
  expect(node).toMatchObject(rest);
});

test('claims, what stands against them, and their release', async () => {
  const [one, two] = [await claimRoom(), await claimRoom()];
  for (const { claim } of [one, two]) await claim('repo:src/**', { session_key: 'first', requested_name: 'Ada' });
  const { create_room_claim: made } = await graph(
    two.wallet,
    `mutation ($in: CreateRoomClaimInput!) { createRoomClaim(input: $in) {
      ${claimFields} conflicts { edges { node { ${claimFields} } } } holderPresence { ${presenceFields} ${arrivalFields} }
    } }`,
    {
      in: {
        org: two.orgId,
        room: 'standup',
        resource: 'repo:src/a.ts',
        mode: 'EXCLUSIVE',
        note: 'mine',
        sessionKey: 'second',
        requestedName: 'Ada',
      },
    },
  );
  const rest = await one.claim('repo:src/a.ts', { session_key: 'second', requested_name: 'Ada', note: 'mine' });
  const { conflicts, holder_presence: presence, ...claim } = made;
  expect(rest.body.conflicts).toHaveLength(1);
  const nodes = conflicts.edges.map(({ node }: { node: object }) => node);
  expect(masked({ ...claim, conflicts: nodes, presence: arrivalOf(presence) })).toEqual(masked(rest.body));

  const { room } = await graph(
    one.wallet,
    `query ($org: ID!) { room(org: $org, room: "standup") { claims { edges { node { ${claimFields} releasedAt } } } } }`,
    { org: one.orgId },
  );
  expect(room.claims.edges.map(({ node }: { node: object }) => node)).toEqual(await one.claims());

  await one.remove(`/claims/${rest.body.claim_id}`);
  const again = await one.remove(`/claims/${rest.body.claim_id}`);
  const { release_room_claim: released } = await graph(
    one.wallet,
    `mutation ($in: ReleaseRoomClaimInput!) { releaseRoomClaim(input: $in) { claimId releasedAt alreadyReleased } }`,
    { in: { org: one.orgId, room: 'standup', claim: rest.body.claim_id } },
  );
  expect(released).toEqual(again.body);
});

test('invite keys of rooms', async () => {
  const [one, two] = [await claimRoom(), await claimRoom()];
  const key = newKey();
  const minted = await one.post('/invites', { invite_id: key.id, auth_hash: key.authHash, note: 'Come.' });
  const other = newKey();
  const { mint_room_invite: made } = await graph(
    two.wallet,
    `mutation ($in: MintRoomInviteInput!) { mintRoomInvite(input: $in) { ${inviteFields} warnings { code message } } }`,
    { in: { org: two.orgId, room: 'standup', inviteId: other.id, authHash: other.authHash, note: 'Come.' } },
  );
  expect(masked({ ...inviteOf(made), warning: made.warnings[0].message })).toEqual(masked(minted.body));
  const { room_invites: list } = await graph(
    one.wallet,
    `query ($org: ID!) { roomInvites(org: $org, room: "standup") { edges { node { ${inviteFields} } } } }`,
    { org: one.orgId },
  );
  const { invites } = (await one.get('/invites')).body;
  expect(invites).toHaveLength(1);
  expect(list.edges.map(({ node }: { node: Record<string, unknown> }) => inviteOf(node))).toEqual(invites);
});

test('escalations, their attempts and contacts', async () => {
  const { wallet, orgId } = await service.owner();
  for (const level of [1, 2]) {
    const email = `ada${level}.${orgId}@example.com`;
    await escalations.contact(wallet, orgId, { email, display_name: 'Ada', level });
  }
  const raise = { reason: 'look', severity: 'high', details: { Some: 1 }, presence_name: 'Ada', idempotency_key: 'k' };
  const { body: raised } = await escalations.raise(wallet, orgId, raise);
  const replayed = await escalations.raise(wallet, orgId, raise);
  const { raise_escalation: again } = await graph(
    wallet,
    `mutation ($in: RaiseEscalationInput!) { raiseEscalation(input: $in) {
      escalation { ${escalationFields} } deduplicated warnings deliveryStatus willPage { email displayName } nextActions
    } }`,
    {
      in: {
        org: orgId,
        reason: 'look',
        severity: 'HIGH',
        details: { Some: 1 },
        presenceName: 'Ada',
        idempotencyKey: 'k',
      },
    },
  );
  const { escalation, delivery_status: status, will_page, warnings, ...delivered } = again;
  expect(warnings).toEqual([]);
  const { level, deadline_at } = escalation;
  expect({ ...escalationOf(escalation), ...delivered, delivery: { status, will_page, level, deadline_at } }).toEqual(
    replayed.body,
  );

  await escalations.lapse(raised.escalation_id);
  await expect
    .poll(async () => (await escalations.get(wallet, orgId, raised.escalation_id)).body.climbs.length)
    .toBe(1);
  const answered = await escalations.answer(wallet, orgId, raised.escalation_id, 'resolve', { note: 'done' });
  const list = (await escalations.list(wallet, orgId)).body;
  const shown = await graph(
    wallet,
    `query ($org: ID!) { escalations(org: $org) {
      scope pageInfo { hasNextPage } edges { node { ${escalationFields} } } } }`,
    { org: orgId },
  );
  const { edges, scope } = shown.escalations;
  const nodes = edges.map(({ node }: { node: Record<string, unknown> }) => escalationOf(node));
  expect({ escalations: nodes, scope }).toEqual({ escalations: list.escalations, scope: list.scope });
  const { changed, ...resolved } = answered.body;
  expect([changed, nodes]).toEqual([true, [resolved]]);

  await control.sql(
    `insert into escalation_attempts (org_id, escalation_id, mail_id, attempt, email, channel, status, error)
     values ($1, $2, 'ml_x', 1, 'ada@example.com', 'email', 'failed_permanent', 'no such box')`,
    [orgId, raised.escalation_id],
  );
  const rest = await escalations.get(wallet, orgId, raised.escalation_id, '?include=delivery');
  const tried = await graph(
    wallet,
    `query ($org: ID!, $id: ID!) { escalation(org: $org, escalation: $id) {
      deliveryAttempts { edges { node { email channel status error at } } } } }`,
    { org: orgId, id: raised.escalation_id },
  );
  expect(tried.escalation.delivery_attempts.edges.map(({ node }: { node: object }) => node)).toEqual(
    rest.body.delivery_attempts,
  );

  const { body } = await call(wallet, 'GET', `/orgs/v1/${orgId}/escalation-contacts`);
  const { escalation_contacts: contacts } = await graph(
    wallet,
    `query ($org: ID!) { escalationContacts(org: $org) {
      edges { node { contactId email displayName level createdAt warnings } } } }`,
    { org: orgId },
  );
  expect(body.escalation_contacts).toHaveLength(2);
  expect(contacts.edges.map(({ node }: { node: object }) => node)).toEqual(body.escalation_contacts);
});

test('the operator contact, before and after its address is verified', async () => {
  const wallet = actors.wallet();
  const email = `operator.${crypto.randomUUID()}@example.com`;
  const body = { name: 'Ada', email, webhook: 'https://example.com/hook' };
  await call(wallet, 'POST', '/agent/v1/contact', { body });
  const both = async () => {
    const { operator_contact: contact } = await graph(
      wallet,
      `{ operatorContact {
        wallet name email webhook emailVerification passkeyBinding assurance emailVerifiedAt emailVerifiedMessageId
        emailChallengeSentAt passkeyBoundAt activeOperatorPasskeyId updatedAt verificationRetryAfterSeconds
      } }`,
    );
    const rest = (await call(wallet, 'GET', '/agent/v1/contact/status')).body;
    const {
      email_verification: email_verification_status,
      passkey_binding: passkey_binding_status,
      assurance: assurance_level,
      verification_retry_after_seconds: wait,
      ...shown
    } = contact;
    const { verification_retry_after_seconds: waited, ...told } = rest;
    expect({ ...shown, email_verification_status, passkey_binding_status, assurance_level }).toEqual(told);
    // A second may have passed between the two.
    expect((wait ?? 0) - (waited ?? 0)).toBeLessThanOrEqual(1);
    return [wait, waited];
  };
  for (const wait of await both()) expect(wait).toBeGreaterThan(0);
  const [mail] = await control.sql<{ body_text: string }>('select body_text from mail_outbox where recipient = $1', [
    email,
  ]);
  const token = /\/confirm\?token=([\w-]{43})\n/.exec(mail!.body_text)![1];
  await call(actors.nobody, 'POST', '/agent/v1/contact/verify-email/confirm', { body: { token } });
  expect(await both()).toEqual([null, undefined]);
});

test('errors and their verdict', async () => {
  const project = await service.project();
  const { key, activate, report, invoked, fidelity, list, detail } = reporter(service, project);
  await activate('rel_1');
  await invoked({ function: 'checkout', count: 5, release_id: 'rel_1' });
  await fidelity({ function: 'checkout', fidelity: 'full' }, { function: 'mail', fidelity: 'coarse' });
  for (let at = 0; at < 12; at++) await report(failure({ release_id: 'rel_1' }));
  await report(failure({ function: 'refund', release_id: 'rel_1' }));
  const until = new Date(Date.now() + 60_000).toISOString();
  const { body } = await list({ until, new_in: 'active' });
  const document = `query ($id: ID!, $until: DateTime!) { project(id: $id) { errors(until: $until, newIn: "active") {
    verdict {
      since until comparedReleaseId baselineReleaseId newFingerprints recurringFingerprints invocationsInWindow
      fullFidelityFunctions coarseFunctions rowCap atCap
    }
    edges { node { ${fingerprintFields} } }
  } } }`;
  const shown = (await graph(project.wallet, document, { id: project.projectId, until })).project.errors;
  const {
    since,
    until: end,
    row_cap: limit,
    at_cap,
    full_fidelity_functions,
    coarse_functions,
    ...counts
  } = shown.verdict;
  expect({
    ...counts,
    window: { since, until: end },
    coverage: { full_fidelity_functions, coarse_functions },
    row_cap: { limit, at_cap },
  }).toEqual(body.verdict);
  const rows = shown.edges.map(({ node }: { node: Record<string, unknown> }) => fingerprintOf(node));
  expect(body.errors).toHaveLength(2);
  for (const [at, { also_seen_in_functions: also, next_actions: actions, ...row }] of rows.entries()) {
    const { next_actions: newest, ...listed } = body.errors[at];
    expect(row).toEqual(listed);
    // A list of REST points at the logs of the newest alone.
    expect(actions.slice(0, 1)).toEqual(newest);
    expect(also).toHaveLength(1);
  }
  const rest = (await detail(body.errors[0].fingerprint_id, key)).body;
  expect(rest.next_actions).toHaveLength(1);
  expect(rows[0]).toEqual(rest);
});
