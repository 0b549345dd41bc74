import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import type { Tier } from '../../db/schema/orgs.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { orgId, walletAddress } from '../../kernel/input/fields.ts';
import { ceremonyMinutes } from '../../kernel/limits/limits.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { verifyWalletSignature, type WalletProof } from '../identity/shared/wallet-signature.ts';
import { tellPosture } from '../members/shared/recovery-posture.ts';
import { requireRoomForMember } from '../members/shared/room-for-member.ts';
import { findMembership } from '../orgs/shared/find-member.ts';
import { lockOrg } from '../orgs/shared/lock-org.ts';
import { orgDisplayName } from '../orgs/shared/org-input.ts';
import { tierWire } from '../orgs/shared/wire.ts';
import { inSession } from './session-scope.ts';

interface Challenge {
  readonly id: string;
  readonly nonce: string;
  readonly expiresAt: Date;
}

/** `POST /agent/v1/operator/claim-wallet-org/challenge`: tells nothing of the wallet. Contract 01, section 5.13. */
export const beginClaim = mutation({
  name: 'claim.begin',
  summary: 'Begin to claim what a wallet owns: the answer is what the wallet has to sign.',
  access: inSession('control_plane'),
  input: z.object({ wallet: walletAddress.describe('The wallet.') }),
  async handler(work, { wallet }): Promise<Challenge> {
    const id = randomUUID();
    const nonce = randomBytes(16).toString('hex');
    const values = [id, work.session.sessionId, wallet, nonce, ceremonyMinutes.claim];
    const [row] = await work.rows<{ expiresAt: Date }>(beginStatement, values);
    return { id, nonce, expiresAt: row!.expiresAt };
  },
  audit: () => undefined,
  wire: z.object({
    challenge_id: z.string(),
    nonce: z.string(),
    expires_at: z.iso.datetime(),
    sign_instructions: z.object({ scheme: z.string(), nonce: z.string(), note: z.string() }),
  }),
  toWire: ({ id, nonce, expiresAt }) => ({
    challenge_id: id,
    nonce,
    expires_at: expiresAt.toISOString(),
    sign_instructions: {
      scheme: 'SIGN-IN-WITH-X',
      nonce,
      note: 'Send the claim with the header SIGN-IN-WITH-X, signed by the wallet with this nonce, beside the session.',
    },
  }),
});

interface Claimable {
  readonly orgId: string;
  readonly displayName: string | null;
  readonly tier: Tier;
  /** Whether the person owns it already. */
  readonly owned: boolean;
}

type Claimed =
  | { readonly status: 'claimed'; readonly org: Claimable; readonly wallet: string; readonly changed: boolean }
  | { readonly status: 'select_org'; readonly orgs: readonly Claimable[] };

/**
 * `POST /agent/v1/operator/claim-wallet-org`: the person becomes an owner; the wallet keeps its membership, as a
 * developer. The same proof is good for the second round, which names the organization. Contract 01, section 5.13.
 */
export const claimWalletOrg = mutation({
  name: 'claim.claim',
  summary: 'Become an owner of what a wallet owns, which proves it by signing the nonce of the claim.',
  access: inSession('control_plane'),
  stepUp: 'org.adopt',
  input: z.object({
    org_id: orgId.optional().describe('Which organization, where the wallet owns several.'),
    display_name: orgDisplayName.optional().describe('What it is called from then on.'),
  }),
  async prepare(ctx): Promise<WalletProof> {
    const header = ctx.credentials['sign-in-with-x'];
    if (header === undefined) throw new ServiceError('WALLET_PROOF_INVALID', { details: { reason: 'missing' } });
    return verifyWalletSignature(header, { host: ctx.request.signedHost }, ctx.services.now()).catch(
      (refusal: unknown) => {
        if (!(refusal instanceof ServiceError)) throw refusal;
        throw new ServiceError('WALLET_PROOF_INVALID', { details: refusal.details });
      },
    );
  },
  async handler(work, { org_id, display_name }, proof: WalletProof): Promise<Claimed> {
    const values = [work.session.sessionId, proof.address, proof.nonce];
    const [challenge] = await work.rows<{ id: string }>(lockChallengeStatement, values);
    if (challenge === undefined)
      throw new ServiceError('WALLET_PROOF_INVALID', { details: { reason: 'nonce_unknown' } });
    const person = work.session.principal.id;
    const found = await work.rows<Claimable>(claimableStatement, [proof.address, person]);
    if (found.length === 0) throw new ServiceError('CLAIM_NOTHING_TO_CLAIM');
    const open = found.filter(({ owned }) => !owned);
    const wanted = open.length > 0 ? open : found;
    if (org_id === undefined && wanted.length > 1) return { status: 'select_org', orgs: wanted };
    const org = org_id === undefined ? wanted[0] : found.find(({ orgId: id }) => id === org_id);
    if (org === undefined) throw new ServiceError('CLAIM_CONFLICT');
    await work.rows(useStatement, [challenge.id]);
    if (!org.owned) await adopt(work, org.orgId, person, proof.address);
    if (display_name != null) await work.rows(nameStatement, [org.orgId, display_name]);
    return {
      status: 'claimed',
      org: { ...org, displayName: display_name ?? org.displayName },
      wallet: proof.address,
      changed: !org.owned,
    };
  },
  audit: (claimed) =>
    claimed.status === 'claimed'
      ? {
          action: 'org.claimed',
          object: { kind: 'organization', id: claimed.org.orgId },
          orgId: claimed.org.orgId,
          details: { wallet: claimed.wallet, already_owned: !claimed.changed },
        }
      : undefined,
  wire: z.discriminatedUnion('status', [
    z.object({
      status: z.literal('claimed'),
      org_id: z.uuid(),
      display_name: z.string().nullable(),
      role: z.literal('owner'),
      already_owned: z.boolean(),
    }),
    z.object({
      status: z.literal('select_org'),
      selectable_orgs: z.array(z.object({ org_id: z.uuid(), display_name: z.string().nullable(), tier: tierWire })),
    }),
  ]),
  toWire: (claimed) =>
    claimed.status === 'claimed'
      ? {
          status: 'claimed' as const,
          org_id: claimed.org.orgId,
          display_name: claimed.org.displayName,
          role: 'owner' as const,
          already_owned: !claimed.changed,
        }
      : {
          status: 'select_org' as const,
          selectable_orgs: claimed.orgs.map(({ orgId: id, displayName, tier }) => ({
            org_id: id,
            display_name: displayName,
            tier,
          })),
        },
});

/** Makes the person an owner in place of the wallet, under the organization's lock. @throws CLAIM_CONFLICT */
async function adopt(work: Work, orgId: string, person: string, wallet: string): Promise<void> {
  const org = await lockOrg(work, orgId);
  const [lowered] = await work.rows(lowerStatement, [orgId, wallet]);
  // Another owner may have taken the role from it meanwhile.
  if (org === undefined || lowered === undefined) throw new ServiceError('CLAIM_CONFLICT');
  await requireRoomForMember(work, org, await findMembership(work, orgId, person));
  await work.rows(ownStatement, [orgId, person, randomUUID()]);
  work.authorityChanged(orgId);
  await tellPosture(work, orgId);
}

const beginStatement: Statement = {
  name: 'claim.begin',
  text: `insert into wallet_claims (id, session_id, wallet, nonce, created_at, expires_at)
    values ($1, $2, $3, $4, clock_timestamp(), clock_timestamp() + make_interval(mins => $5))
    returning expires_at as "expiresAt"`,
};

const lockChallengeStatement: Statement = {
  name: 'claim.challenge',
  text: `select id from wallet_claims where session_id = $1 and wallet = $2 and nonce = $3
      and used_at is null and expires_at > clock_timestamp() for update`,
};

const useStatement: Statement = {
  name: 'claim.use',
  text: 'update wallet_claims set used_at = clock_timestamp() where id = $1::uuid',
};

/** The principal of wallet `$n`, unless it was disabled or is a person of its own. */
const agentOf = (wallet: string) => `(select a.principal_id from authenticators a
      join principals p on p.id = a.principal_id and p.disabled_at is null
      where a.kind = 'wallet' and a.public_subject = ${wallet} and a.revoked_at is null)`;

const claimableStatement: Statement = {
  name: 'claim.claimable',
  text: `select o.id as "orgId", o.display_name as "displayName", o.tier, coalesce(own.role = 'owner', false) as owned
    from memberships m join orgs o on o.id = m.org_id and o.lifecycle_state <> 'purged'
    left join memberships own on own.org_id = o.id and own.principal_id = $2 and own.status = 'active'
    where m.principal_id = ${agentOf('$1')} and m.status = 'active' and (m.role = 'owner' or own.role = 'owner')
    order by o.created_at, o.id`,
};

const lowerStatement: Statement = {
  name: 'claim.lower-wallet',
  text: `update memberships set role = 'developer'
    where org_id = $1 and principal_id = ${agentOf('$2')} and role = 'owner' and status = 'active' returning 1 as lowered`,
};

const ownStatement: Statement = {
  name: 'claim.own',
  text: `insert into memberships as m (org_id, principal_id, id, role, status) values ($1, $2, $3, 'owner', 'active')
    on conflict (org_id, principal_id) do update set role = 'owner', status = 'active', invite_expires_at = null`,
};

const nameStatement: Statement = {
  name: 'claim.name',
  text: 'update orgs set display_name = $2 where id = $1::uuid',
};
