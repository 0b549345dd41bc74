import { z } from 'zod';
import { alias, type SQL, sql } from '../../db/drizzle.ts';
import { authenticators, principals } from '../../db/schema/identity.ts';
import { orgs, type Tier } from '../../db/schema/orgs.ts';
import { projectTransfers } from '../../db/schema/transfers.ts';
import { from, pick, statement, typed } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { type PrincipalScope, signedIn } from '../../kernel/access/access.ts';
import { memberOrgs } from '../../kernel/access/rules.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import type { Context } from '../../kernel/run/context.ts';
import { type OperationNames, query } from '../../kernel/run/operation.ts';
import { tierWire } from '../orgs/shared/wire.ts';
import {
  destinationOf,
  isPending,
  summaryToWire,
  type Transfer,
  TransferSummaryWire,
  transferColumns,
} from '../projects/shared/transfer-summary.ts';
import { type ProjectContents, ProjectContentsWire } from './project-contents.ts';
import { type SeenTransfer, seenTransfer, statusOf, transferId, transferStateWire } from './transfer-row.ts';
import { repositoryNote } from './wire.ts';

const readers = signedIn<object>('wallet', 'control_plane', 'operator');

const known = alias(authenticators, 'known');

const sides = {
  incoming: (principal: SQL) => sql`(${projectTransfers.recipientKind}, ${projectTransfers.recipient}) in (
    select ${known.kind}, ${known.publicSubject} from ${from(known)} where ${known.principalId} = ${principal}
      and ${known.kind} in ('wallet', 'email') and ${known.verifiedAt} is not null and ${known.revokedAt} is null)`,
  outgoing: (principal: SQL) => sql`${projectTransfers.orgId} = any(${memberOrgs(principal)})`,
} as const;

const listing = (side: keyof typeof sides, texts: OperationNames) => {
  const statements = bothWays(projectTransfers, (way) =>
    statement(
      `transfers.${side}-${way.name}`,
      {
        params: { principal: typed<string>('text'), ...way.params, limit: typed<number>('bigint') },
        row: transferColumns,
      },
      ({ principal, limit, ...given }, row) => sql`select ${row} from ${projectTransfers}
        where ${isPending} and ${sides[side](principal)} and ${way.beyond(given)} ${way.order} limit ${limit}`,
    ),
  );
  return query({
    ...texts,
    access: readers,
    input: z.object(listWindow),
    async handler({ services, principal }: Context & PrincipalScope, window): Promise<ListPage<Transfer>> {
      const list = newestFirst(services.keys, `transfers-${side}:${principal.principal.id}`);
      const found = await services.db.rows(
        list.statementOf(window, statements).with({
          principal: principal.principal.id,
          ...list.positionOf(window),
          limit: window.limit + 1,
        }),
      );
      return list.pageOf(found, window);
    },
    wire: z.object({
      transfers: z.array(TransferSummaryWire),
      has_more: z.boolean(),
      next_cursor: z.string().nullable(),
    }),
    toWire: (page) => ({ transfers: page.rows.map(({ row }) => summaryToWire(row)), ...pageToWire(page) }),
  });
};

/** `GET /agent/v1/transfers/incoming`. Contract 01, section 5.12. */
export const listIncoming = listing('incoming', {
  name: 'transfers.listIncoming',
  tool: 'list_incoming_transfers',
  command: 'transfer list',
  summary: 'Projects that are offered to you, by what you have proven to be yours: the newest first.',
});

/** `GET /agent/v1/transfers/outgoing`. Contract 01, section 5.12. */
export const listOutgoing = listing('outgoing', {
  name: 'transfers.listOutgoing',
  tool: 'list_outgoing_transfers',
  command: 'transfer list',
  summary: 'Projects that your organizations offer to somebody: the newest first.',
});

/** A transfer with what only its parties see. */
export interface PreviewedTransfer extends SeenTransfer {
  readonly tier: Tier | null;
  /** The principal that has the wallet; null for a mail address, of which nobody is told whether anybody has it. */
  readonly recipientPrincipal: RecipientPrincipal | null;
}

export interface RecipientPrincipal {
  readonly id: string;
  readonly type: 'human' | 'agent' | 'ci';
  readonly displayName: string | null;
}

/** `GET /agent/v1/transfers/:id`. Contract 01, section 5.12. */
export const previewTransfer = query({
  name: 'transfers.preview',
  tool: 'preview_project_transfer',
  command: 'transfer preview',
  summary: 'What an offer is of, and how it stands; for its parties alone.',
  path: 'GET /agent/v1/transfers/:transfer_id',
  access: readers,
  input: z.object({ transfer: transferId }),
  async handler({ services, principal }, { transfer: id }): Promise<PreviewedTransfer> {
    const { rows } = services.db;
    const transfer = await seenTransfer(rows, id, principal.principal.id);
    const [[org], recipientPrincipal] = await Promise.all([
      rows(tierStatement.with({ id: transfer.orgId })),
      walletHolder(rows, transfer),
    ]);
    return { ...transfer, tier: org?.tier ?? null, recipientPrincipal };
  },
  wire: TransferSummaryWire.extend({
    status: transferStateWire,
    from_wallet_display: z.string().nullable(),
    to_wallet_display: z.string().nullable(),
    terms_sha256: z.string(),
    ...ProjectContentsWire.shape,
    signers: z.array(z.object({ address: z.string(), chain: z.string() })).describe('None: they are not handed over.'),
    github_repo_note: z.string(),
    billing_implications: z.object({
      from_organization_id: z.uuid(),
      target_organization_id: z.uuid().nullable(),
      tier: tierWire.nullable(),
      secrets_count: z.int(),
      functions_count: z.int(),
      custom_domains_count: z.int(),
    }),
    retain_collaborator: z
      .object({
        principal_id: z.string(),
        role: z.literal('developer'),
        sender_label: z.string(),
        scope: z.literal('project'),
        note: z.string(),
        accept_field: z.literal('accept_retained_collaborator'),
      })
      .nullable(),
    recipient_principal: z
      .object({
        principal_id: z.string(),
        principal_type: z.enum(['human', 'agent', 'ci']),
        display_name: z.string().nullable(),
        linked_identities: z.array(z.never()),
      })
      .nullable(),
    cancelled_at: z.iso.datetime().nullable(),
    cancellation_reason: z.string().nullable(),
    completed_at: z.iso.datetime().nullable(),
  }).meta({ id: 'ProjectTransferPreview' }),
  toWire(transfer, { services }) {
    const contents = offeredBy(transfer);
    const summary = summaryToWire(transfer);
    const ended = transfer.endedAt?.toISOString() ?? null;
    return {
      ...summary,
      status: statusOf(transfer, services.now()),
      from_wallet_display: shortened(summary.from_wallet),
      to_wallet_display: shortened(summary.to_wallet),
      terms_sha256: transfer.termsSha256,
      ...contents,
      signers: [],
      github_repo_note: repositoryNote,
      billing_implications: {
        from_organization_id: transfer.orgId,
        target_organization_id: destinationOf(transfer),
        tier: transfer.tier,
        secrets_count: contents.secret_names.length,
        functions_count: contents.functions.length,
        custom_domains_count: contents.custom_domains.length,
      },
      retain_collaborator: retainedOf(transfer),
      recipient_principal: principalToWire(transfer.recipientPrincipal),
      cancelled_at: transfer.state === 'cancelled' ? ended : null,
      cancellation_reason: transfer.cancellationReason,
      completed_at: transfer.state === 'accepted' ? ended : null,
    };
  },
});

/** What was offered, as it was then. */
export const offeredBy = ({ contents }: Pick<Transfer, 'contents'>) => contents as unknown as ProjectContents;

/** A wallet as people compare it: its ends. */
const shortened = (wallet: string | null) => wallet && `${wallet.slice(0, 6)}…${wallet.slice(-4)}`;

/** Who wants to stay as a developer, as the recipient is asked; null: nobody does. */
export function retainedOf({ retainedPrincipalId, initiatedBy }: Transfer) {
  if (retainedPrincipalId === null) return null;
  return {
    principal_id: retainedPrincipalId,
    role: 'developer' as const,
    sender_label: initiatedBy.principal?.display_name_at_capture ?? retainedPrincipalId,
    scope: 'project' as const,
    note: 'Whoever offers the project keeps the right to deploy to it, and to nothing else of yours.',
    accept_field: 'accept_retained_collaborator' as const,
  };
}

const principalToWire = (principal: RecipientPrincipal | null) =>
  principal && {
    principal_id: principal.id,
    principal_type: principal.type,
    display_name: principal.displayName,
    linked_identities: [],
  };

async function walletHolder(rows: Rows, { recipientKind, recipient }: Transfer): Promise<RecipientPrincipal | null> {
  if (recipientKind !== 'wallet') return null;
  const [holder] = await rows(holderStatement.with({ publicSubject: recipient }));
  return holder ?? null;
}

const tierStatement = statement(
  'transfers.tier',
  { params: pick(orgs, 'id'), row: pick(orgs, 'tier') },
  ({ id }, row) => sql`select ${row} from ${orgs} where ${orgs.id} = ${id}`,
);

const holderStatement = statement(
  'transfers.wallet-holder',
  { params: pick(authenticators, 'publicSubject'), row: pick(principals, 'id', 'type', 'displayName') },
  ({ publicSubject }, row) => sql`select ${row} from ${authenticators}
    join ${principals} on ${principals.id} = ${authenticators.principalId}
    where ${authenticators.kind} = 'wallet' and ${authenticators.publicSubject} = ${publicSubject}
      and ${authenticators.verifiedAt} is not null`,
);
