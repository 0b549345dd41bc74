import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Role } from '../../db/schema/orgs.ts';
import { notAuthorized, signedIn } from '../../kernel/access/access.ts';
import { reaches } from '../../kernel/access/permissions.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProject } from '../projects/shared/lock-project.ts';
import type { Transfer } from '../projects/shared/transfer-summary.ts';
import { endOffer } from './end-offer.ts';
import { transferActions } from './shared/actions.ts';
import { lockTransfer, refuseEnded, seenTransfer, transferId } from './transfer-row.ts';

/** `POST /agent/v1/transfers/:id/cancel`: by either party. Contract 04, section 3.4. */
export const cancelTransfer = mutation({
  name: 'transfers.cancel',
  tool: 'cancel_project_transfer',
  command: 'transfer cancel',
  effects: ['destructive'],
  summary: 'Take an offer of a project back, or decline it.',
  path: 'POST /agent/v1/transfers/:transfer_id/cancel',
  access: signedIn('wallet', 'control_plane'),
  input: z.object({
    transfer: transferId,
    reason: z.string().max(500).optional().describe('Why, for the other party; at most 500 characters.'),
  }),
  async handler(work, { transfer: id, reason }): Promise<Transfer> {
    const principal = work.principal.principal.id;
    const { projectId } = await seenTransfer(work.rows, id, principal);
    await lockProject(work, projectId);
    const offer = await lockTransfer(work.rows, id, principal);
    const sends = isSender(offer.senderRole);
    if (!sends && !offer.isRecipient) throw notAuthorized(transferActions['project:transfer'], 'forbidden');
    refuseEnded(offer, work.services.now());
    const by = sends ? 'sender' : 'recipient';
    const ended = await endOffer(work, id, { state: 'cancelled', by, reason: reason ?? null });
    if (ended === undefined) throw new ServiceError('TRANSFER_ALREADY_PROCESSED');
    return ended;
  },
  audit: ({ id, orgId, projectId, cancelledBy }) => ({
    action: 'project.offer_cancelled',
    object: { kind: 'project', id: projectId },
    orgId,
    details: { transfer_id: id, cancelled_by: cancelledBy },
  }),
  wire: z.object({
    transfer_id: z.uuid(),
    status: z.literal('cancelled'),
    cancelled_by: z.enum(['from_wallet', 'to_wallet', 'system']),
    cancellation_reason: z.string().nullable(),
    cancelled_at: z.iso.datetime(),
  }),
  toWire: ({ id, cancelledBy, cancellationReason, endedAt }) => ({
    transfer_id: id,
    status: 'cancelled' as const,
    cancelled_by: cancelledByToWire(cancelledBy),
    cancellation_reason: cancellationReason,
    cancelled_at: endedAt!.toISOString(),
  }),
});

/** Whether a role in the organization that offers a project may take the offer back. */
export const isSender = (role: Role | null): boolean => role !== null && reaches(role, 'admin');

/** The two sides are called by their wallets, whatever they are. */
export const cancelledByToWire = (by: Transfer['cancelledBy']) =>
  by === 'sender' ? ('from_wallet' as const) : by === 'recipient' ? ('to_wallet' as const) : ('system' as const);
