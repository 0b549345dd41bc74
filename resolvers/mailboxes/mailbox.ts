import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { mailAddresses, mailDomains } from '../../db/schema/mail-domains.ts';
import { mailboxes, mailboxMessages, mailRecipients } from '../../db/schema/mailboxes.ts';
import { type Org, orgs } from '../../db/schema/orgs.ts';
import { computed, pick, type RowOf } from '../../db/sql.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { domainOfProject, mailHostOf } from './shared/mail-domain.ts';

/** Any text may name a mailbox that there is none of. */
export const mailboxName = z.string().min(1).max(256);

const today = sql`date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`;

/** The columns of a mailbox, with what it has sent. */
export const mailboxColumns = {
  ...pick(
    mailboxes,
    'id',
    'projectId',
    'slug',
    'status',
    'isDefaultOutbound',
    'isAuthSender',
    'footerPolicy',
    'createdAt',
    'updatedAt',
  ),
  sendsToday: computed<number>(
    'integer',
    sql`(select count(*)::int from ${mailboxMessages} where ${mailboxMessages.mailboxId} = ${mailboxes.id}
      and ${mailboxMessages.createdAt} >= ${today} and ${mailboxMessages.direction} = 'outbound')`,
  ),
  /** The address of an own domain that it writes from; null where that is its managed one. */
  ownAddress: computed<string | null>(
    'text',
    sql`(select ${mailAddresses.localPart} || '@' || ${mailDomains.name} from ${mailAddresses}
      join ${mailDomains} on ${mailDomains.name} = ${mailAddresses.mailDomain}
      where ${mailAddresses.mailboxId} = ${mailboxes.id} and ${mailAddresses.isPrimary}
        and ${mailAddresses.activatedAt} is not null and ${mailDomains.sends}
      order by ${mailDomains.createdAt}, ${mailAddresses.position} limit 1)`,
  ),
  /** Whether it has an address of an own domain that has taken effect. */
  hasOwnAddress: computed<boolean>(
    'boolean',
    sql`exists (select from ${mailAddresses} where ${mailAddresses.mailboxId} = ${mailboxes.id}
      and ${mailAddresses.activatedAt} is not null)`,
  ),
  uniqueRecipients: computed<number>(
    'integer',
    sql`(select count(*)::int from ${mailRecipients}
      join ${orgs} on ${orgs.id} = ${mailRecipients.orgId} and ${orgs.usageSince} = ${mailRecipients.since}
      where ${mailRecipients.orgId} = ${mailboxes.orgId} and ${mailRecipients.mailboxId} = ${mailboxes.id})`,
  ),
};

export type MailboxRow = RowOf<typeof mailboxColumns>;

/** Why a mailbox does not send, or receive; null when it does. */
type Blocked = 'mailbox_suspended' | 'mailbox_deleted' | 'provider_not_configured' | null;

/** What follows from its project and the installation. */
interface Shown {
  /** What it writes from. */
  readonly address: string;
  readonly addressDomain: string;
  /** Its address on the platform's mail domain, which it always has. */
  readonly managedAddress: string;
  readonly managedDomain: string;
  readonly sendBlockedReason: Blocked;
  readonly receiveBlockedReason: Blocked;
  readonly effectiveFooterPolicy: MailboxRow['footerPolicy'];
  readonly footerPolicyLockedReason: 'tier_prototype' | null;
}

/** A mailbox with what follows from its project and the installation. */
export interface Mailbox extends MailboxRow, Shown {}

const blockedBy = {
  active: null,
  suspended: 'mailbox_suspended',
  deleted: 'mailbox_deleted',
} as const satisfies Record<MailboxRow['status'], Blocked>;

interface ItsProject {
  readonly org: Pick<Org, 'tier'>;
  readonly project: { readonly publicId: string };
}

/** @param ctx of the project that the mailbox belongs to */
export function shownMailbox<Row extends Pick<MailboxRow, 'slug' | 'status' | 'footerPolicy' | 'ownAddress'>>(
  ctx: Pick<Context, 'services'> & ItsProject,
  row: Row,
): Row & Shown {
  const { services, org, project } = ctx;
  const locked = org.tier === 'prototype';
  const managedDomain = domainOfProject(services, project.publicId);
  const managedAddress = `${row.slug}@${managedDomain}`;
  const address = row.ownAddress ?? managedAddress;
  const blocked = blockedBy[row.status];
  return {
    ...row,
    address,
    addressDomain: address.split('@').at(-1)!,
    managedAddress,
    managedDomain,
    sendBlockedReason: blocked,
    receiveBlockedReason: blocked ?? (services.settings.receivesMail ? null : 'provider_not_configured'),
    effectiveFooterPolicy: locked ? 'svc_transparency' : row.footerPolicy,
    footerPolicyLockedReason: locked ? 'tier_prototype' : null,
  };
}

const footerPolicy = z.enum(['svc_transparency', 'none']);

/** Contract 02, section 6.1. */
export const MailboxWire = z
  .object({
    mailbox_id: z.string(),
    address: z.string(),
    managed_address: z.string(),
    slug: z.string(),
    project_id: z.string(),
    status: z.enum(['active', 'suspended', 'deleted']),
    sends_today: z.int(),
    unique_recipients: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    is_default_outbound: z.boolean(),
    is_auth_sender: z.boolean(),
    can_send: z.boolean(),
    send_blocked_reason: z.string().nullable(),
    domain_kind: z.enum(['managed', 'custom']),
    address_domain: z.string(),
    managed_domain: z.string(),
    custom_domain_ready: z.boolean(),
    can_receive: z.boolean(),
    receive_blocked_reason: z.string().nullable(),
    footer_policy: footerPolicy,
    effective_footer_policy: footerPolicy,
    footer_policy_locked_reason: z.string().nullable(),
  })
  .meta({ id: 'Mailbox' });

/** Whose domain the address of a mailbox is of. */
export const domainKindOf = ({ ownAddress }: Pick<MailboxRow, 'ownAddress'>) =>
  ownAddress === null ? ('managed' as const) : ('custom' as const);

export const mailboxToWire = (mailbox: Mailbox) => ({
  mailbox_id: mailbox.id,
  address: mailbox.address,
  managed_address: mailbox.managedAddress,
  slug: mailbox.slug,
  project_id: mailbox.projectId,
  status: mailbox.status,
  sends_today: mailbox.sendsToday,
  unique_recipients: mailbox.uniqueRecipients,
  created_at: mailbox.createdAt.toISOString(),
  updated_at: mailbox.updatedAt.toISOString(),
  is_default_outbound: mailbox.isDefaultOutbound,
  is_auth_sender: mailbox.isAuthSender,
  can_send: mailbox.sendBlockedReason === null,
  send_blocked_reason: mailbox.sendBlockedReason,
  domain_kind: domainKindOf(mailbox),
  address_domain: mailbox.addressDomain,
  managed_domain: mailbox.managedDomain,
  custom_domain_ready: mailbox.hasOwnAddress,
  can_receive: mailbox.receiveBlockedReason === null,
  receive_blocked_reason: mailbox.receiveBlockedReason,
  footer_policy: mailbox.footerPolicy,
  effective_footer_policy: mailbox.effectiveFooterPolicy,
  footer_policy_locked_reason: mailbox.footerPolicyLockedReason,
});

/** What the mail of this installation goes through. Contract 02, section 6.1. */
export const readinessOf = ({ settings }: Pick<Services, 'settings'>) => ({
  outbound: {
    status: 'configured' as const,
    provider: settings.sendsMail ? ('smtp' as const) : ('outbox' as const),
    from_domain: mailHostOf({ settings }),
  },
  inbound: {
    status: settings.receivesMail ? ('configured' as const) : ('not_configured' as const),
    provider: 'smtp' as const,
    inbound_domains: [mailHostOf({ settings })],
    raw_store: 'objects' as const,
    max_raw_bytes: rawBytesMax,
  },
});

/** Longest mail that a mailbox takes, in bytes. Contract 02, section 6.7. */
export const rawBytesMax = 10 * 1024 * 1024;
