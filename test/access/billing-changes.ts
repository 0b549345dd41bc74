import { randomUUID } from 'node:crypto';
import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every change to tiers, money and slugs. */
export function billingChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  /** A wallet that nobody has signed with. */
  const linked = '0x00000000000000000000000000000000000000a7';
  const org = {
    kind: 'organization',
    objectId: ({ org_id }: Record<string, string>) => org_id!,
    written: 'select xmin::text from orgs where id = $1::uuid',
  };
  return {
    adminOnly: ['billing.addCredit', 'billing.linkWallet', 'orgs.setLeasePerpetual'],
    changes: [
      {
        operation: 'billing.addCredit',
        action: 'org.credited',
        kind: 'ledger_entry',
        send: send(
          'POST',
          () => `/orgs/v1/admin/${home().orgId}/credits`,
          () => ({ amount_usd_micros: 1_000_000 }),
        ),
        objectId: ({ entry }) => (entry as unknown as { id: string }).id,
        written: 'select xmin::text from ledger_entries where id = $1',
      },
      {
        operation: 'billing.linkWallet',
        action: 'wallet.linked',
        kind: 'wallet',
        async prepare() {
          await service.control.sql(
            `update memberships set status = 'revoked' where org_id = $1 and principal_id in (
               select principal_id from authenticators where public_subject = $2)`,
            [home().orgId, linked],
          );
        },
        send: send(
          'POST',
          () => `/orgs/v1/${home().orgId}/wallets`,
          () => ({ wallet: linked }),
        ),
        objectId: ({ wallet }) => wallet!,
        written: `select m.xmin::text from memberships m join authenticators a using (principal_id)
          where a.public_subject = $1`,
      },
      {
        operation: 'billing.createCheckout',
        action: 'checkout.created',
        kind: 'checkout',
        send: send(
          'POST',
          () => `/orgs/v1/${home().orgId}/checkouts`,
          () => ({ product: 'email_pack' }),
        ),
        objectId: ({ topup_id }) => topup_id!,
        // A node goes on with the row itself.
        written: `select xmin::text from audit_events where action = 'checkout.created' and object_id = $1`,
      },
      {
        ...org,
        operation: 'billing.setAutoRecharge',
        action: 'auto_recharge.changed',
        send: send(
          'PATCH',
          () => `/orgs/v1/${home().orgId}/billing/auto-recharge`,
          () => ({ enabled: false }),
        ),
        written: 'select xmin::text from auto_recharges where org_id = $1::uuid',
      },
      {
        ...org,
        operation: 'orgs.claimSlug',
        action: 'org.slug_claimed',
        // An organization that has a slug is renamed.
        async prepare() {
          await service.control.sql('update orgs set slug = null where id = $1', [home().orgId]);
          await service.control.sql('delete from org_slugs where org_id = $1', [home().orgId]);
        },
        send: send(
          'POST',
          () => `/orgs/v1/${home().orgId}/slug`,
          () => ({ slug: `s-${randomUUID().slice(0, 18)}` }),
          () => ({ 'idempotency-key': randomUUID() }),
        ),
        written: 'select xmin::text from org_slugs where org_id = $1::uuid',
      },
      {
        ...org,
        operation: 'tiers.set',
        action: 'tier.changed',
        send: send(
          'POST',
          () => '/tiers/v1/prototype',
          () => ({ org_id: home().orgId }),
        ),
      },
      {
        ...org,
        operation: 'orgs.setLeasePerpetual',
        action: 'org.lease_perpetual_set',
        send: send(
          'POST',
          () => `/orgs/v1/admin/${home().orgId}/lease-perpetual`,
          () => ({ lease_perpetual: false }),
        ),
      },
    ],
  };
}
