import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { alias, type SQL, sql } from '../../db/drizzle.ts';
import { authenticators } from '../../db/schema/identity.ts';
import { memberships, type Role } from '../../db/schema/orgs.ts';
import { projectTransfers, transferStates } from '../../db/schema/transfers.ts';
import { computed, from, statement, typed } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { notAuthorized } from '../../kernel/access/access.ts';
import { type Transfer, transferColumns } from '../projects/shared/transfer-summary.ts';
import { transferActions } from './shared/actions.ts';

/** For how many hours an offer stands. Contract 04, section 3.4. */
export const offerHours = 72;

export const transferId = z.string().min(1).max(64).describe('The transfer, a UUID.');

/** A transfer as one of its parties sees it. */
export interface SeenTransfer extends Transfer {
  /** The viewer's role in the organization that offers it; null for others. */
  readonly senderRole: Role | null;
  readonly isRecipient: boolean;
}

const ofSender = alias(memberships, 'of_sender');
const known = alias(authenticators, 'known');

/** Whether a transfer is meant for a principal, by what it has proven to be its own. */
const isMeantFor = (principal: SQL): SQL => sql`(exists (select from ${from(known)}
      where ${known.principalId} = ${principal} and ${known.kind} = ${projectTransfers.recipientKind}
        and ${known.publicSubject} = ${projectTransfers.recipient}
        and ${known.verifiedAt} is not null and ${known.revokedAt} is null)
    or exists (select from ${from(ofSender)} where ${projectTransfers.recipientKind} = 'org'
      and ${ofSender.orgId}::text = ${projectTransfers.recipient} and ${ofSender.principalId} = ${principal}
      and ${ofSender.status} = 'active'))`;

const seen = {
  ...transferColumns,
  senderRole: computed<Role | null>('text', sql`sender_role`),
  isRecipient: computed<boolean>('boolean', sql`is_recipient`),
};

/** Who is no party learns nothing, also not whether there is such a transfer. @throws NOT_AUTHORIZED */
export async function seenTransfer(rows: Rows, id: string, principalId: string): Promise<SeenTransfer> {
  const [found] = isUuid(id) ? await rows(seenStatement.with({ id, principal: principalId })) : [];
  if (found === undefined || (found.senderRole === null && !found.isRecipient))
    throw notAuthorized(transferActions['project:transfer'], 'member');
  return found;
}

/** As {@link seenTransfer}, with its row locked until the change is committed. */
export async function lockTransfer(rows: Rows, id: string, principalId: string): Promise<SeenTransfer> {
  if (isUuid(id)) await rows(lockStatement.with({ id }));
  return seenTransfer(rows, id, principalId);
}

/** Refuses what is over. @throws TRANSFER_ALREADY_PROCESSED, TRANSFER_EXPIRED */
export function refuseEnded({ id, state, expiresAt }: Transfer, now: Date): void {
  const details = { transfer_id: id, status: statusOf({ state, expiresAt }, now) };
  if (details.status === 'expired') throw new ServiceError('TRANSFER_EXPIRED', { details });
  if (state !== 'pending') throw new ServiceError('TRANSFER_ALREADY_PROCESSED', { details });
}

/** How a transfer stands: one that nobody took up in time has expired, before housekeeping has come by. */
export const statusOf = ({ state, expiresAt }: Pick<Transfer, 'state' | 'expiresAt'>, now: Date) =>
  state === 'pending' && expiresAt <= now ? ('expired' as const) : state;

const idOnly = { id: typed<string>('uuid') };

const seenStatement = statement(
  'transfers.seen',
  { params: { ...idOnly, principal: typed<string>('text') }, row: seen },
  ({ id, principal }, row) => sql`select ${row} from ${projectTransfers}
    cross join lateral (select (select ${ofSender.role} from ${from(ofSender)}
        where ${ofSender.orgId} = ${projectTransfers.orgId} and ${ofSender.principalId} = ${principal}
          and ${ofSender.status} = 'active') as sender_role,
      ${isMeantFor(principal)} as is_recipient) party
    where ${projectTransfers.id} = ${id}`,
);

const lockStatement = statement(
  'transfers.lock',
  { params: idOnly },
  ({ id }) => sql`select from ${projectTransfers} where ${projectTransfers.id} = ${id} for update`,
);

export const transferStateWire = z.enum(transferStates);
