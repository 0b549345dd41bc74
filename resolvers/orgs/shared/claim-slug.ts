import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { columnsOf } from '../../../db/columns-of.ts';
import type { Statement } from '../../../db/pool.ts';
import { type Org, orgs } from '../../../db/schema/orgs.ts';
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
    const [named] = await work.rows<Org>(nameStatement, [org.id, slug]);
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
  return refuseOverQuota(work, { statement: restingStatement, values: [orgId, slug] }, quota, restingSlugs);
}

/** Lets the old slug rest and takes the new one, which the key of its row decides. @throws SLUG_TAKEN, SLUG_RELEASED */
async function take(work: Work, org: Org, slug: string): Promise<void> {
  // Both rows in one order, so that two organizations that want each other's cannot wait for one another.
  await work.rows(lockStatement, [[org.slug, slug]]);
  await releaseSlugs(work, [org.id]);
  const taken = await work.rows(takeStatement, [slug, org.id]);
  if (taken.length > 0) return;
  const [holder] = await work.rows<{ rests: boolean; successor: string | null }>(holderStatement, [slug]);
  if (holder?.rests !== true) throw new ServiceError('SLUG_TAKEN', { details: { slug } });
  throw slugReleased(slug, holder.successor);
}

/** Organizations give up the slugs that they go by; these rest for them. */
export const releaseSlugs = (work: Work, orgIds: readonly string[]) =>
  work.rows(releaseStatement, [orgIds, slugRestDays * 24]);

/** Names what its last holder goes by now; never a way there. */
export const slugReleased = (slug: string, successor: string | null): ServiceError =>
  new ServiceError('SLUG_RELEASED', { details: { slug, successor_slug: successor } });

/** @throws ORG_HAS_NO_BILLING_WALLET, INSUFFICIENT_FUNDS @returns what was debited */
async function takeFee(work: Work, org: string): Promise<bigint> {
  if ((await work.rows(walletStatement, [org, billingRoles])).length === 0) {
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

const lockStatement: Statement = {
  name: 'slugs.lock',
  text: 'select 1 from org_slugs where slug = any($1::text[]) order by slug for update',
};

const restingStatement: Statement = {
  name: 'slugs.resting',
  text: 'select count(*)::int as used from org_slugs where org_id = $1 and rests_until > now() and slug <> $2',
};

const releaseStatement: Statement = {
  name: 'slugs.release',
  text: `update org_slugs set released_at = now(), rests_until = now() + make_interval(hours => $2)
    where org_id = any($1::uuid[]) and released_at is null`,
};

const takeStatement: Statement = {
  name: 'slugs.take',
  text: `insert into org_slugs as s (slug, org_id) values ($1, $2)
    on conflict (slug) do update set org_id = excluded.org_id, claimed_at = now(), released_at = null, rests_until = null
    where s.released_at is not null and (s.org_id = excluded.org_id or s.rests_until <= now())
    returning slug`,
};

const holderStatement: Statement = {
  name: 'slugs.holder',
  text: `select s.released_at is not null as rests, o.slug as successor from org_slugs s join orgs o on o.id = s.org_id
    where s.slug = $1`,
};

const walletStatement: Statement = {
  name: 'slugs.billing-wallet',
  text: `select 1 from memberships m
    join authenticators a on a.principal_id = m.principal_id and a.kind = 'wallet' and a.verified_at is not null
      and a.revoked_at is null
    where m.org_id = $1 and m.status = 'active' and m.role = any($2::text[]) limit 1`,
};

const nameStatement: Statement = {
  name: 'slugs.name',
  text: `update orgs o set slug = $2 where o.id = $1 returning ${columnsOf(orgs, 'o')}`,
};
