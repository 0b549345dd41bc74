import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { authenticators } from '../../../db/schema/identity.ts';
import { memberships, type Org, orgSlugs, orgs } from '../../../db/schema/orgs.ts';
import { allOf, computed, excluded, insertInto, nameOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import { onOrg } from '../../../kernel/access/access.ts';
import { refuseWhileClosed } from '../../../kernel/access/lifecycle.ts';
import { rolesFrom } from '../../../kernel/access/permissions.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { addressForm, orgId } from '../../../kernel/input/fields.ts';
import { restingSlugs } from '../../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../../kernel/limits/quota.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { post } from '../../ledger/shared/ledger.ts';
import { slugFault } from '../slug-words.ts';
import { orgActions } from './actions.ts';
import { lockOrgFor } from './lock-org.ts';

/** What an organization's first slug costs, once and for all, in micro-dollars. Contract 01, section 6.2. */
export const slugFee = 1_000_000n;

/** How long a slug that was given up is kept for its last holder, in days. */
export const slugRestDays = 90;

export interface ClaimedSlug {
  readonly org: Org;
  readonly slug: string;
  readonly previousSlug: string | null;
  /** Whether it is the organization's first. */
  readonly created: boolean;
  readonly changed: boolean;
  /** Debited now. */
  readonly fee: bigint;
}

/** A slug as it is written: lower case, no hyphen at an end nor two together. Nothing is folded. */
export const slugForm = addressForm(39);

/** `POST /orgs/v1/:org_id/slug`. Contract 01, section 6.2. */
export const claimSlug = mutation({
  name: 'orgs.claimSlug',
  tool: 'claim_org_slug',
  command: 'org slug',
  effects: ['destructive', 'idempotent'],
  summary:
    'Give an organization its address form; the first costs a fee, another one is free and lets the old one rest.',
  access: onOrg(orgActions['org:slug:claim'], ({ org }: { org: string }) => org),
  stepUp: 'org.rename',
  lifecycle: 'gated',
  idempotency: 'required',
  input: z.object({
    org: orgId,
    slug: slugForm.describe('1 to 39 lower-case letters, digits and hyphens.'),
  }),
  async handler(work, { slug }): Promise<ClaimedSlug> {
    const org = await lockOrgFor(work, work.org.id, orgActions['org:slug:claim']);
    refuseWhileClosed(org);
    const previousSlug = org.slug;
    if (previousSlug === slug) return { org, slug, previousSlug, created: false, changed: false, fee: 0n };
    const fault = slugFault(slug);
    if (fault !== undefined) throw new ServiceError(fault, { details: { slug } });
    if (previousSlug !== null) await requireRest(work, org.id, slug);
    await take(work, org, slug);
    const created = previousSlug === null;
    const fee = created ? await takeFee(work, org.id) : 0n;
    const [named] = await work.rows(nameStatement.with({ id: org.id, slug }));
    return { org: named!, slug, previousSlug, created, changed: true, fee };
  },
  audit: ({ org, slug, previousSlug, created, changed, fee }) =>
    changed
      ? {
          action: created ? 'org.slug_claimed' : 'org.slug_renamed',
          object: { kind: 'organization', id: org.id },
          details: { slug, previous_slug: previousSlug, fee_usd_micros: Number(fee) },
        }
      : undefined,
  wire: z.object({
    org_id: z.uuid(),
    slug: z.string(),
    previous_slug: z.string().nullable(),
    created: z.boolean(),
    fee_usd_micros: z.int(),
  }),
  toWire: ({ org, slug, previousSlug, created, fee }) => ({
    org_id: org.id,
    slug,
    previous_slug: previousSlug,
    created,
    fee_usd_micros: Number(fee),
  }),
});

/** @throws QUOTA_EXCEEDED when as many slugs rest for the organization, beside one that it takes back, as may */
function requireRest(work: Work, orgId: string, slug: string): Promise<void> {
  const message = 'As many former slugs of the organization rest as may; it can go back to one of them, or wait.';
  const quota = { scope: 'organization', metric: 'slugs', message } as const;
  return refuseOverQuota(work, restingStatement.with({ orgId, slug }), quota, restingSlugs);
}

/** Lets the old slug rest and takes the new one, which the key of its row decides. @throws SLUG_TAKEN, SLUG_RELEASED */
async function take(work: Work, org: Org, slug: string): Promise<void> {
  // Both rows in one order, so that two organizations that want each other's cannot wait for one another.
  await work.rows(lockStatement.with({ slugs: [org.slug, slug] }));
  await releaseSlugs(work, [org.id]);
  const taken = await work.rows(takeStatement.with({ slug, orgId: org.id }));
  if (taken.length > 0) return;
  const [holder] = await work.rows(holderStatement.with({ slug }));
  if (holder?.rests !== true) throw new ServiceError('SLUG_TAKEN', { details: { slug } });
  throw slugReleased(slug, holder.successor);
}

/** Organizations give up the slugs that they go by; these rest for them. */
export const releaseSlugs = (work: Work, orgIds: readonly string[]) =>
  work.rows(releaseStatement.with({ orgIds, hours: slugRestDays * 24 }));

/** Names what its last holder goes by now; never a way there. */
export const slugReleased = (slug: string, successor: string | null): ServiceError =>
  new ServiceError('SLUG_RELEASED', { details: { slug, successor_slug: successor } });

/** @throws ORG_HAS_NO_BILLING_WALLET, INSUFFICIENT_FUNDS @returns what was debited */
async function takeFee(work: Work, org: string): Promise<bigint> {
  if ((await work.rows(walletStatement.with({ orgId: org, roles: billingRoles }))).length === 0) {
    throw new ServiceError('ORG_HAS_NO_BILLING_WALLET', { details: { required_usd_micros: Number(slugFee) } });
  }
  const reference = { type: 'organization', id: org };
  const { replayed } = await post(work, {
    orgId: org,
    direction: 'debit',
    kind: 'slug_claim',
    amount: slugFee,
    reference,
  });
  return replayed ? 0n : slugFee;
}

const billingRoles = rolesFrom(orgActions['org:billing:read'].role);

const lockStatement = statement(
  'slugs.lock',
  { params: { slugs: typed<readonly (string | null)[]>('text[]') } },
  ({ slugs }) => sql`select from ${orgSlugs} where ${orgSlugs.slug} = any(${slugs}::text[])
    order by ${orgSlugs.slug} for update`,
);

const restingStatement = statement(
  'slugs.resting',
  { params: pick(orgSlugs, 'orgId', 'slug'), row: { used: computed<number>('integer', sql`count(*)::int`) } },
  (given, row) => sql`select ${row} from ${orgSlugs} where ${orgSlugs.orgId} = ${given.orgId}
    and ${orgSlugs.restsUntil} > now() and ${orgSlugs.slug} <> ${given.slug}`,
);

const releaseStatement = statement(
  'slugs.release',
  { params: { orgIds: typed<readonly string[]>('uuid[]'), hours: typed<number>('integer') } },
  ({ orgIds, hours }) =>
    sql`update ${orgSlugs} ${setOf(orgSlugs, {
      releasedAt: sql`now()`,
      restsUntil: sql`now() + make_interval(hours => ${hours})`,
    })} where ${orgSlugs.orgId} = any(${orgIds}::uuid[]) and ${orgSlugs.releasedAt} is null`,
);

// Inside the conflict a qualified column is the row that was there.
const takeStatement = statement(
  'slugs.take',
  { params: pick(orgSlugs, 'slug', 'orgId'), row: pick(orgSlugs, 'slug') },
  (given, row) => sql`${insertInto(orgSlugs, given)} on conflict (${nameOf(orgSlugs.slug)}) do update ${setOf(
    orgSlugs,
    {
      orgId: excluded(orgSlugs.orgId),
      claimedAt: sql`now()`,
      releasedAt: sql`null`,
      restsUntil: sql`null`,
    },
  )} where ${orgSlugs.releasedAt} is not null
      and (${orgSlugs.orgId} = ${excluded(orgSlugs.orgId)} or ${orgSlugs.restsUntil} <= now())
    returning ${row}`,
);

const holderStatement = statement(
  'slugs.holder',
  {
    params: pick(orgSlugs, 'slug'),
    row: {
      rests: computed<boolean>('boolean', sql`${orgSlugs.releasedAt} is not null`),
      successor: orgs.slug,
    },
  },
  ({ slug }, row) => sql`select ${row} from ${orgSlugs} join ${orgs} on ${orgs.id} = ${orgSlugs.orgId}
    where ${orgSlugs.slug} = ${slug}`,
);

const walletStatement = statement(
  'slugs.billing-wallet',
  { params: { orgId: memberships.orgId, roles: typed<readonly string[]>('text[]') }, row: pick(memberships, 'id') },
  (given, row) => sql`select ${row} from ${memberships}
    join ${authenticators} on ${authenticators.principalId} = ${memberships.principalId}
      and ${authenticators.kind} = 'wallet' and ${authenticators.verifiedAt} is not null
      and ${authenticators.revokedAt} is null
    where ${memberships.orgId} = ${given.orgId} and ${memberships.status} = 'active'
      and ${memberships.role} = any(${given.roles}::text[]) limit 1`,
);

const nameStatement = statement(
  'slugs.name',
  { params: pick(orgs, 'id', 'slug'), row: allOf(orgs) },
  ({ id, slug }, row) => sql`update ${orgs} ${setOf(orgs, { slug })} where ${orgs.id} = ${id} returning ${row}`,
);
