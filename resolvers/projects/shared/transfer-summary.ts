import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { projectTransfers, recipientKinds } from '../../../db/schema/transfers.ts';
import { allOf, pick, type RowOf, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import { OperationActorWire } from './wire.ts';

export const transferColumns = allOf(projectTransfers);

/** An offer of a project to somebody else, or what became of it. */
export type Transfer = RowOf<typeof transferColumns>;

/** Contract 01, section 5.12. */
export const TransferSummaryWire = z
  .object({
    transfer_id: z.uuid(),
    project_id: z.string(),
    project_name_snapshot: z.string().nullable(),
    recipient_kind: z.enum(recipientKinds),
    billing_policy: z.literal('migrate'),
    message: z.string().nullable(),
    initiated_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    preview_path: z.string(),
    from_wallet: z.string().nullable(),
    to_wallet: z.string().nullable(),
    to_email: z.string().nullable(),
    from_organization_id: z.uuid(),
    to_org_id: z.uuid().nullable(),
    to_organization_id: z.uuid().nullable(),
    initiated_by: OperationActorWire,
    source_organization: z.object({ org_id: z.uuid() }),
    destination_organization: z.object({ org_id: z.uuid() }).nullable(),
  })
  .meta({ id: 'ProjectTransferSummary' });

/** The organization that gets a project, or got it; null while nobody knows. */
export const destinationOf = ({ recipientKind, recipient, toOrgId }: Transfer): string | null =>
  toOrgId ?? (recipientKind === 'org' ? recipient : null);

export function summaryToWire(transfer: Transfer): z.output<typeof TransferSummaryWire> {
  const { id, recipientKind: kind, recipient } = transfer;
  const destination = destinationOf(transfer);
  return {
    transfer_id: id,
    project_id: transfer.projectId,
    project_name_snapshot: transfer.projectName,
    recipient_kind: kind,
    billing_policy: 'migrate',
    message: transfer.message,
    initiated_at: transfer.createdAt.toISOString(),
    expires_at: transfer.expiresAt.toISOString(),
    preview_path: `/agent/v1/transfers/${id}`,
    from_wallet: transfer.fromWallet,
    to_wallet: kind === 'wallet' ? recipient : null,
    to_email: kind === 'email' ? recipient : null,
    from_organization_id: transfer.orgId,
    to_org_id: destination,
    to_organization_id: destination,
    initiated_by: transfer.initiatedBy as z.output<typeof OperationActorWire>,
    source_organization: { org_id: transfer.orgId },
    destination_organization: destination === null ? null : { org_id: destination },
  };
}

/** Whether an offer can be taken up. */
export const isPending = sql`${projectTransfers.state} = 'pending' and ${projectTransfers.expiresAt} > now()`;

/** Projects that are offered to a wallet: the newest hundred. */
export const offersToWallet = (rows: Rows, wallet: string | null): Promise<Transfer[]> =>
  wallet === null ? Promise.resolve([]) : rows(offersStatement.with({ recipient: wallet.toLowerCase() }));

const offersStatement = statement(
  'transfers.offers-to-wallet',
  { params: pick(projectTransfers, 'recipient'), row: transferColumns },
  ({ recipient }, row) => sql`select ${row} from ${projectTransfers}
    where ${projectTransfers.recipientKind} = 'wallet' and ${projectTransfers.recipient} = ${recipient}
      and ${isPending}
    order by ${projectTransfers.createdAt} desc, ${projectTransfers.id} desc limit 100`,
);
