import type { Actor } from '../helpers/actors.ts';
import { withHeaders } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';
import { stageMembers } from './member-stage.ts';
import { allSurfaces } from './surfaces/index.ts';

/** Callers in the order of the cells. All but `nobody` and `admin` belong to one organization and project. */
export const callers = [
  'nobody',
  'wallet',
  'session',
  'operator',
  'delegate',
  'service_key',
  'anon_key',
  'admin',
] as const;
export type CallerName = (typeof callers)[number];

/** What answers a credential where it may not act, by the letters of the cells. `+`: it may. */
export const codes: Readonly<Record<string, readonly [status: number, code: string | undefined]>> = {
  A: [401, 'AUTH_REQUIRED'],
  F: [403, 'FORBIDDEN'],
  N: [403, 'NOT_AUTHORIZED'],
  P: [403, 'ADMIN_REQUIRED'],
  $: [402, 'PAYMENT_REQUIRED'],
  // A challenge of x402 alone, as what the audit gateway sells is answered with.
  X: [402, undefined],
  // What a wallet has to sign beside is not signed.
  D: [400, 'CI_DELEGATION_INVALID'],
  R: [404, 'RESOURCE_NOT_FOUND'],
  V: [412, 'OPERATOR_EMAIL_NOT_VERIFIED'],
  C: [503, 'CHAT_CHANNEL_NOT_CONFIGURED'],
  M: [503, 'PUBLIC_MINT_NOT_ENABLED'],
  U: [503, 'FAUCET_NOT_CONFIGURED'],
  E: [503, 'CHAIN_NOT_CONFIGURED'],
  I: [503, 'AI_NOT_CONFIGURED'],
  K: [503, 'CARD_CHECKOUT_NOT_CONFIGURED'],
  H: [422, 'CHANNEL_AUTHORITY_PROOF_INVALID'],
  J: [404, 'JOB_ARTIFACT_NOT_FOUND'],
  B: [404, 'ARCHIVE_UPLOAD_NOT_FOUND'],
  Q: [409, 'ARCHIVE_NOT_READY'],
  L: [404, 'LIGHTNING_TOPUP_NOT_FOUND'],
  // The session's approval is of another action.
  W: [403, 'WRITE_AUTH_BINDING_MISMATCH'],
};

/**
 * What the rows of the surfaces are tried on: an organization with a project, and a caller of each kind that belongs to it.
 *
 * @param home @default a new project
 */
export async function stageSurfaces(service: Service, home?: Awaited<ReturnType<Service['project']>>) {
  const params: Record<string, string> = {};
  const { wallet, orgId, projectId, principalId, serviceKey, anonKey } = home ?? (await service.project());
  const { session, delegate, approval, bearer, apikey, admin, nobody } = service.actors;
  const person = await session({ principalId, passkeyAgeSeconds: 1 });
  const approved = await approval(person, 'org.project.create', orgId);
  const actors: Readonly<Record<CallerName, Actor>> = {
    nobody,
    wallet,
    session: withHeaders({ ...(await person.headers('/')), 'x-svc-write-auth': approved }),
    operator: await session({ kind: 'operator', principalId, passkeyAgeSeconds: 1 }),
    delegate: await delegate({ orgId, projectId, capabilities: ['read'] }),
    service_key: bearer(serviceKey),
    anon_key: apikey(anonKey),
    admin,
  };
  const room = `/orgs/v1/${orgId}/rooms/${projectId}`;
  const sent = await service.call<{ message_id: string; sender_presence: { presence_id: string } }>(
    wallet,
    'POST',
    `${room}/messages`,
    { body: { body: 'hello' } },
  );
  // The first slug costs, and so does a paid tier each time that it is set.
  await service.call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: 1_000_000_000 } });
  await service.call(wallet, 'POST', `/orgs/v1/${orgId}/slug`, {
    body: { slug: 'first' },
    headers: { 'idempotency-key': 'first' },
  });
  const members = await stageMembers(service, { orgId, projectId });
  Object.assign(params, {
    org_id: orgId,
    id: projectId,
    project_id: projectId,
    room_key: projectId,
    presence_id: sent.body.sender_presence.presence_id,
    message_id: sent.body.message_id,
    vault_id: members.vaultId,
    tier: 'prototype',
    address: wallet.address,
  });
  const surfaces = allSurfaces({ service, params, members: () => members });
  return {
    params,
    actors,
    surfaces,
    members,
    wallet: { address: wallet.checksumAddress, privateKey: wallet.privateKey },
    serviceKey,
  };
}
