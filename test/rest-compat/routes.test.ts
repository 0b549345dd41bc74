import { expect, test } from 'vitest';
import { routes } from '../../rest-compat/routes.ts';

/** Copied by hand from the contract, for what is built so far: method, path, status of success. */
const documented = [
  // Contract 00, section 0.1.
  'GET /api/audit 200',
  'POST /api/audit 200',
  'POST /api/verify-tx 200',
  'GET /api/stats 200',
  'POST /api/inquiry 200',
  'GET /.well-known/jwks.json 200',
  'GET /api/downloads/:token 200',
  'GET /api/package-manifest 200',
  'GET /api/x402-audit 200',
  'POST /api/x402-audit 200',
  'GET /api/x402-pro 200',
  'POST /api/x402-pro 200',
  'GET /api/x402-pro-pack 200',
  'POST /api/x402-pro-pack 200',
  'GET /api/x402-joint-bundle 200',
  'POST /api/x402-joint-bundle 200',
  'GET /api/x402-buyout 200',
  'POST /api/x402-buyout 200',
  'GET /api/x402-source-bundle 200',
  'POST /api/x402-source-bundle 200',
  // Contract 01, section 5.15.
  'GET /agent/v1/whoami 200',
  // Contract 01, sections 6.2 and 6.4.
  'POST /orgs/v1 201',
  'GET /orgs/v1 200',
  'GET /orgs/v1/:org_id 200',
  'GET /orgs/v1/:org_id/members 200',
  'PATCH /agent/v1/me 200',
  // Contract 01, sections 6.2 and 6.3.
  'PATCH /orgs/v1/:org_id 200',
  'PATCH /orgs/v1/:org_id/payout-wallet 200',
  'GET /orgs/v1/:org_id/audit 200',
  // Contract 01, sections 6.6 and 6.7.
  'POST /projects/v1/:id/grants 201',
  'GET /projects/v1/:id/grants 200',
  'DELETE /projects/v1/:id/grants/:grant_id 200',
  'POST /projects/v1/:id/delegates 201',
  'GET /projects/v1/:id/delegates 200',
  'POST /projects/v1/:id/delegates/:delegate_id/rotate 201',
  'DELETE /projects/v1/:id/delegates/:delegate_id 200',
  // Contract 01, sections 6.4 and 6.5.
  'POST /orgs/v1/:org_id/members 201',
  'PATCH /orgs/v1/:org_id/members/:principal_id 200',
  'DELETE /orgs/v1/:org_id/members/:principal_id 200',
  'DELETE /orgs/v1/:org_id/members/:principal_id/encryption-key 200',
  'GET /orgs/v1/:org_id/invites 200',
  'POST /orgs/v1/:org_id/invites 201',
  'DELETE /orgs/v1/:org_id/invites/:principal_id 200',
  // Contract 01, sections 5.3 to 5.5.
  'POST /projects/v1 201',
  'GET /projects/v1 200',
  'GET /projects/v1/:id 200',
  // Contract 01, sections 5.6 to 5.8, 2.8 and 6.9.
  'PATCH /projects/v1/:id 200',
  'POST /projects/v1/:id/repo-name 200',
  'DELETE /projects/v1/:id 200',
  'GET /projects/v1/admin/:project_id/usage 200',
  'POST /projects/v1/admin/:id/archive 200',
  'POST /projects/v1/admin/:id/reactivate 200',
  // Contract 01, sections 2.6, 2.7 and 2.12.
  'POST /projects/v1/admin/:project_id/sql 200',
  'GET /projects/v1/admin/:project_id/schema 200',
  'POST /projects/v1/admin/:project_id/expose 200',
  'GET /projects/v1/admin/:project_id/expose 200',
  'POST /projects/v1/admin/:project_id/expose/validate 200',
  'POST /projects/v1/expose/validate 200',
  // Contract 01, sections 5.1, 6.2, 6.8 and 6.9; contract 04, section 1.4.
  'GET /tiers/v1 200',
  'POST /projects/v1/quote 200',
  'POST /tiers/v1/:tier 200',
  'GET /tiers/v1/status 200',
  'POST /orgs/v1/:org_id/slug 201',
  'GET /orgs/v1/lookup 200',
  'GET /orgs/v1/:org_id/billing 200',
  'GET /orgs/v1/:org_id/billing/history 200',
  'POST /orgs/v1/admin/:org_id/lease-perpetual 200',
  // Contract 01, sections 2.9, 3.7 and 3.11.
  'POST /projects/v1/admin/:project_id/promote-user 200',
  'POST /projects/v1/admin/:project_id/demote-user 200',
  'POST /auth/v1/admin/users 201',
  'GET /auth/v1/settings 200',
  'PATCH /auth/v1/settings 200',
  // Contract 02, sections 4.2 and 4.3.
  'GET /projects/v1/:project_id/errors 200',
  'GET /projects/v1/:project_id/errors/:fingerprint_id 200',
  // Contract 02, sections 2.1 to 2.6.
  'GET /orgs/v1/:org_id/rooms 200',
  'GET /orgs/v1/:org_id/rooms/:room_key 200',
  'POST /orgs/v1/:org_id/rooms/:room_key/presences 201',
  'GET /orgs/v1/:org_id/rooms/:room_key/presences 200',
  'GET /orgs/v1/:org_id/rooms/:room_key/presences/:presence_id 200',
  'POST /orgs/v1/:org_id/rooms/:room_key/messages 201',
  'GET /orgs/v1/:org_id/rooms/:room_key/messages 200',
  'GET /orgs/v1/:org_id/rooms/:room_key/messages/:message_id 200',
  'DELETE /orgs/v1/:org_id/rooms/:room_key/presences/:presence_id 200',
  // Contract 02, section 2.7.
  'POST /orgs/v1/:org_id/rooms/:room_key/claims 201',
  'GET /orgs/v1/:org_id/rooms/:room_key/claims 200',
  'DELETE /orgs/v1/:org_id/rooms/:room_key/claims/:claim_id 200',
  'POST /orgs/v1/:org_id/rooms/:room_key/messages/:message_id/ack 200',
  'POST /orgs/v1/:org_id/rooms/:room_key/invites 201',
  'GET /orgs/v1/:org_id/rooms/:room_key/invites 200',
  'DELETE /orgs/v1/:org_id/rooms/:room_key/invites/:invite_id 200',
  'POST /rooms/v1/invites/:invite_id/claim 200',
  'POST /rooms/v1/invites/:invite_id/redeem 200',
  // Contract 02, sections 3.2 to 3.6.
  'POST /orgs/v1/:org_id/escalations 201',
  'GET /orgs/v1/:org_id/escalations 200',
  'GET /orgs/v1/:org_id/escalations/:escalation_id 200',
  'POST /orgs/v1/:org_id/escalations/:escalation_id/ack 200',
  'POST /orgs/v1/:org_id/escalations/:escalation_id/resolve 200',
  'POST /escalations/v1/ack 200',
  'GET /orgs/v1/:org_id/escalation-contacts 200',
  'POST /orgs/v1/:org_id/escalation-contacts 201',
  'DELETE /orgs/v1/:org_id/escalation-contacts/:contact_id 200',
  // Contract 02, sections 5.1 and 5.3.
  'POST /agent/v1/contact 200',
  'GET /agent/v1/contact/status 200',
  'POST /agent/v1/contact/verify-email 200',
  'POST /agent/v1/contact/passkey/enroll 200',
  // Contract 01, section 5.13; contract 04, section 3.6.
  'GET /agent/v1/operator/overview 200',
  'GET /agent/v1/operator/projects 200',
  'GET /agent/v1/operator/projects/:id/contents 200',
  'GET /agent/v1/operator/status 200',
  'POST /agent/v1/notifications/channels/chat 201',
  // Contract 02, sections 1.2, 1.6 and 1.8.
  'GET /projects/v1/:project_id/events 200',
  'GET /orgs/v1/:org_id/events 200',
  'POST /projects/v1/:project_id/events 201',
  'POST /admin/v1/incidents 201',
  'POST /admin/v1/incidents/:incident_id/resolve 200',
];

const errorDoor = 'until functions and deploys run here, whoever runs them reports what they did';
const vaultDoor = 'the codes of vaults answer from state, which an engine of vaults reports here';

/** Paths that the contract does not have, each with the reason it is here. */
const additions: Record<string, string> = {
  'GET /api/pricing 200': 'whoever is no agent looks at prices, too, before it pays',
  'GET /projects/v1/:id/keys 200': 'keys are derived and never change, so a member who lost them can read them again',
  'GET /orgs/v1/by-slug/:slug 200': 'clients know an organization by its address form, which people read',
  'GET /orgs/v1/:org_id/payout-wallet 200': 'who may name the wallet may see it without changing it',
  'POST /orgs/v1/admin/:org_id/limits 200': 'limits are data, which the platform admin bends for one organization',
  'POST /gitvault/v1/admin/:org_id/members/:principal_id/encryption-key 201': vaultDoor,
  'POST /gitvault/v1/admin/:org_id/members/:principal_id/encryption-key/lost 200': vaultDoor,
  'POST /gitvault/v1/admin/:org_id/vaults 201': vaultDoor,
  'POST /gitvault/v1/admin/:org_id/vaults/:vault_id/writers 201': vaultDoor,
  'POST /gitvault/v1/admin/:org_id/vaults/:vault_id/pushes 200': vaultDoor,
  'POST /gitvault/v1/admin/:org_id/vaults/:vault_id/rotations 200': vaultDoor,
  'POST /projects/v1/:project_id/errors/occurrences 200': errorDoor,
  'POST /projects/v1/:project_id/errors/activations 200': errorDoor,
  'POST /projects/v1/:project_id/errors/invocations 200': errorDoor,
  'POST /projects/v1/:project_id/errors/fidelity 200': errorDoor,
  'POST /orgs/v1/admin/:org_id/credits 201': 'until money can be paid in, the platform admin credits a balance',
  'POST /auth/v1/admin/users/import 200':
    'users of another platform come along with their ids and the hashes of their passwords',
  'DELETE /auth/v1/admin/users/:user_id 200': 'tenant SQL does not reach the users of its project',
  'GET /mail/v1/admin/outbox 200': 'without SMTP the outbox is where mail is read',
  'POST /mail/v1/admin/test 201': 'shows whether the mail settings work',
  'POST /agent/v1/contact/verify-email/confirm 200': 'what the mailed link leads to, until mail can be answered',
};

const served = routes.map(({ method, path, status }) => `${method} ${path} ${status}`);

test('every documented path is served with its method and status', () => {
  expect(documented.filter((one) => !served.includes(one))).toEqual([]);
});

test('every path that is served is documented, or is an addition with a reason', () => {
  expect(served.filter((one) => !documented.includes(one) && !(one in additions))).toEqual([]);
});

test('no addition is listed that is not served, and no path is served twice', () => {
  expect(Object.keys(additions).filter((one) => !served.includes(one))).toEqual([]);
  expect(served).toHaveLength(new Set(served).size);
});
