import { randomUUID } from 'node:crypto';
import type { Actor } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';

/** Changes to tiers, money and slugs of one organization, for what tries all changes there are. */
export function billingChanges({ call }: Pick<Service, 'call'>, orgId: () => string) {
  const post =
    (path: () => string, body: () => object, headers: () => Record<string, string> = () => ({})) =>
    (actor: Actor) =>
      call<Record<string, string>>(actor, 'POST', path(), { body: body(), headers: headers() });
  const organization = ({ org_id }: Record<string, string>) => org_id!;
  const organizationRow = 'select xmin::text from orgs where id = $1::uuid';

  return {
    adminOnly: ['billing.addCredit', 'orgs.setLeasePerpetual'],
    changes: [
      {
        operation: 'billing.addCredit',
        action: 'org.credited',
        kind: 'ledger_entry',
        send: post(
          () => `/orgs/v1/admin/${orgId()}/credits`,
          () => ({ amount_usd_micros: 1_000_000 }),
        ),
        objectId: ({ entry }: Record<string, string>) => (entry as unknown as { id: string }).id,
        written: 'select xmin::text from ledger_entries where id = $1',
      },
      {
        operation: 'orgs.claimSlug',
        action: 'org.slug_claimed',
        kind: 'organization',
        send: post(
          () => `/orgs/v1/${orgId()}/slug`,
          () => ({ slug: `s-${randomUUID().slice(0, 18)}` }),
          () => ({ 'idempotency-key': randomUUID() }),
        ),
        objectId: organization,
        written: 'select xmin::text from org_slugs where org_id = $1::uuid',
      },
      {
        operation: 'tiers.set',
        action: 'tier.changed',
        kind: 'organization',
        send: post(
          () => '/tiers/v1/prototype',
          () => ({ org_id: orgId() }),
        ),
        objectId: organization,
        written: organizationRow,
      },
      {
        operation: 'orgs.setLeasePerpetual',
        action: 'org.lease_perpetual_set',
        kind: 'organization',
        send: post(
          () => `/orgs/v1/admin/${orgId()}/lease-perpetual`,
          () => ({ lease_perpetual: false }),
        ),
        objectId: organization,
        written: organizationRow,
      },
    ],
  };
}
