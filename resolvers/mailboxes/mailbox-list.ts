import { z } from 'zod';
import type { NextAction } from '../../core/error-codes.ts';
import type { ProjectScope } from '../../kernel/access/access.ts';
import type { Context } from '../../kernel/run/context.ts';
import { type Mailbox, type MailboxRow, MailboxWire, mailboxToWire, readinessOf, shownMailbox } from './mailbox.ts';

/** All mailboxes of a project, with what they go through. */
export interface MailboxList {
  readonly projectId: string;
  readonly mailboxes: readonly Mailbox[];
  readonly defaultOutboundMailboxId: string | null;
  readonly authSenderMailboxId: string | null;
  readonly readiness: ReturnType<typeof readinessOf>;
  readonly nextActions: readonly NextAction[];
}

export function listOf(ctx: Pick<Context, 'services'> & ProjectScope, rows: readonly MailboxRow[]): MailboxList {
  const idOf = (which: 'isDefaultOutbound' | 'isAuthSender') => rows.find((row) => row[which])?.id ?? null;
  const defaultOutboundMailboxId = idOf('isDefaultOutbound');
  return {
    projectId: ctx.project.id,
    mailboxes: rows.map((row) => shownMailbox(ctx, row)),
    defaultOutboundMailboxId,
    authSenderMailboxId: idOf('isAuthSender'),
    readiness: readinessOf(ctx.services),
    nextActions: rows.length === 0 ? [create] : defaultOutboundMailboxId === null ? [choose] : [],
  };
}

const create: NextAction = {
  type: 'edit_request',
  method: 'POST',
  path: '/mailboxes/v1',
  auth: 'service_key',
  why: 'Make a mailbox. The first one sends what names none.',
  fields: { slug: '<slug>' },
};

const choose: NextAction = {
  type: 'edit_request',
  method: 'PATCH',
  path: '/mailboxes/v1/settings',
  auth: 'service_key',
  why: 'Choose the mailbox that sends what names none.',
  fields: { default_outbound_mailbox_id: 'mbx_...' },
};

/** Contract 02, section 6.2. */
export const MailboxListWire = z
  .object({
    project_id: z.string(),
    mailboxes: z.array(MailboxWire),
    mailbox_settings: z.object({
      default_outbound_mailbox_id: z.string().nullable(),
      auth_sender_mailbox_id: z.string().nullable(),
    }),
    provider_readiness: z.object({ status: z.literal('configured'), provider: z.string(), from_domain: z.string() }),
    inbound_provider_readiness: z.object({
      status: z.enum(['configured', 'not_configured']),
      provider: z.string(),
      inbound_domains: z.array(z.string()),
      raw_store: z.string(),
      max_raw_bytes: z.int(),
    }),
    next_actions: z.array(z.looseObject({ type: z.string() })),
  })
  .meta({ id: 'MailboxList' });

export const mailboxListToWire = (list: MailboxList) => ({
  project_id: list.projectId,
  mailboxes: list.mailboxes.map(mailboxToWire),
  mailbox_settings: {
    default_outbound_mailbox_id: list.defaultOutboundMailboxId,
    auth_sender_mailbox_id: list.authSenderMailboxId,
  },
  provider_readiness: list.readiness.outbound,
  inbound_provider_readiness: list.readiness.inbound,
  next_actions: [...list.nextActions],
});
