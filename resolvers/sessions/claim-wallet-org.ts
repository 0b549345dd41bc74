import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { alias, type SQL, sql } from '../../db/drizzle.ts';
import { authenticators, principals } from '../../db/schema/identity.ts';
import { memberships, orgs, type Tier } from '../../db/schema/orgs.ts';
import { walletClaims } from '../../db/schema/sign-in-flows.ts';
import { computed, from, insertInto, namesOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { orgId, walletAddress } from '../../kernel/input/fields.ts';
import { signInMinutes } from '../../kernel/limits/limits.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { verifyWalletSignature, type WalletProof } from '../identity/shared/wallet-signature.ts';
import { notifyPosture } from '../members/shared/recovery-posture.ts';
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
    const begun = { id, sessionId: work.session.sessionId, wallet, nonce, minutes: signInMinutes.claim };
    const [row] = await work.rows(beginStatement.with(begun));
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
    const proven = { sessionId: work.session.sessionId, wallet: proof.address, nonce: proof.nonce };
    const [challenge] = await work.rows(lockChallengeStatement.with(proven));
    if (challenge === undefined)
      throw new ServiceError('WALLET_PROOF_INVALID', { details: { reason: 'nonce_unknown' } });
    const person = work.session.principal.id;
    const found = await work.rows(claimableStatement.with({ wallet: proof.address, person }));
    if (found.length === 0) throw new ServiceError('CLAIM_NOTHING_TO_CLAIM');
    const open = found.filter(({ owned }) => !owned);
    const wanted = open.length > 0 ? open : found;
    if (org_id === undefined && wanted.length > 1) return { status: 'select_org', orgs: wanted };
    const org = org_id === undefined ? wanted[0] : found.find(({ orgId: id }) => id === org_id);
    if (org === undefined) throw new ServiceError('CLAIM_CONFLICT');
    await work.rows(useStatement.with({ id: challenge.id }));
    if (!org.owned) await adopt(work, org.orgId, person, proof.address);
    if (display_name != null) await work.rows(nameStatement.with({ id: org.orgId, displayName: display_name }));
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
  const [lowered] = await work.rows(lowerStatement.with({ orgId, wallet }));
  // Another owner may have taken the role from it meanwhile.
  if (org === undefined || lowered === undefined) throw new ServiceError('CLAIM_CONFLICT');
  await requireRoomForMember(work, org, await findMembership(work, orgId, person));
  await work.rows(ownStatement.with({ orgId, principalId: person, id: randomUUID() }));
  work.authorityChanged(orgId);
  await notifyPosture(work, orgId);
}

const beginStatement = statement(
  'claim.begin',
  {
    params: { ...pick(walletClaims, 'id', 'sessionId', 'wallet', 'nonce'), minutes: typed<number>('integer') },
    row: pick(walletClaims, 'expiresAt'),
  },
  ({ minutes, ...given }, row) =>
    sql`${insertInto(walletClaims, {
      ...given,
      createdAt: sql`clock_timestamp()`,
      expiresAt: sql`clock_timestamp() + make_interval(mins => ${minutes})`,
    })} returning ${row}`,
);

const lockChallengeStatement = statement(
  'claim.challenge',
  { params: pick(walletClaims, 'sessionId', 'wallet', 'nonce'), row: pick(walletClaims, 'id') },
  ({ sessionId, wallet, nonce }, row) => sql`select ${row} from ${walletClaims}
    where ${walletClaims.sessionId} = ${sessionId} and ${walletClaims.wallet} = ${wallet}
      and ${walletClaims.nonce} = ${nonce} and ${walletClaims.usedAt} is null
      and ${walletClaims.expiresAt} > clock_timestamp() for update`,
);

const useStatement = statement(
  'claim.use',
  { params: pick(walletClaims, 'id') },
  ({ id }) => sql`update ${walletClaims} ${setOf(walletClaims, { usedAt: sql`clock_timestamp()` })}
    where ${walletClaims.id} = ${id}`,
);

/** The principal of a wallet, unless it was disabled or is a person of its own. */
const agentOf = (wallet: SQL): SQL =>
  sql`(select ${authenticators.principalId} from ${authenticators}
    join ${principals} on ${principals.id} = ${authenticators.principalId} and ${principals.disabledAt} is null
    where ${authenticators.kind} = 'wallet' and ${authenticators.publicSubject} = ${wallet}
      and ${authenticators.revokedAt} is null)`;

const own = alias(memberships, 'own');
const claimableStatement = statement(
  'claim.claimable',
  {
    params: { wallet: authenticators.publicSubject, person: memberships.principalId },
    row: {
      orgId: orgs.id,
      ...pick(orgs, 'displayName', 'tier'),
      owned: computed<boolean>('boolean', sql`coalesce(${own.role} = 'owner', false)`),
    },
  },
  ({ wallet, person }, row) => sql`select ${row} from ${memberships}
    join ${orgs} on ${orgs.id} = ${memberships.orgId} and ${orgs.lifecycleState} <> 'purged'
    left join ${from(own)} on ${own.orgId} = ${orgs.id} and ${own.principalId} = ${person} and ${own.status} = 'active'
    where ${memberships.principalId} = ${agentOf(wallet)} and ${memberships.status} = 'active'
      and (${memberships.role} = 'owner' or ${own.role} = 'owner')
    order by ${orgs.createdAt}, ${orgs.id}`,
);

const lowerStatement = statement(
  'claim.lower-wallet',
  { params: { orgId: memberships.orgId, wallet: authenticators.publicSubject }, row: pick(memberships, 'id') },
  (given, row) => sql`update ${memberships} ${setOf(memberships, { role: sql`'developer'` })}
    where ${memberships.orgId} = ${given.orgId} and ${memberships.principalId} = ${agentOf(given.wallet)}
      and ${memberships.role} = 'owner' and ${memberships.status} = 'active' returning ${row}`,
);

const ownStatement = statement(
  'claim.own',
  { params: pick(memberships, 'orgId', 'principalId', 'id') },
  (given) => sql`${insertInto(memberships, { ...given, role: sql`'owner'`, status: sql`'active'` })}
    on conflict (${namesOf(memberships.orgId, memberships.principalId)}) do update ${setOf(memberships, {
      role: sql`'owner'`,
      status: sql`'active'`,
      inviteExpiresAt: sql`null`,
    })}`,
);

const nameStatement = statement(
  'claim.name',
  { params: pick(orgs, 'id', 'displayName') },
  ({ id, displayName }) => sql`update ${orgs} ${setOf(orgs, { displayName })} where ${orgs.id} = ${id}`,
);
