import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import type { Org } from '../../db/schema/orgs.ts';
import { projectTransfers } from '../../db/schema/transfers.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { notAuthorized, type PrincipalScope, signedIn } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { findOrCreateOwnOrg } from '../orgs/shared/own-org.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { lockProject } from '../projects/shared/lock-project.ts';
import { type Transfer, transferColumns } from '../projects/shared/transfer-summary.ts';
import { type HandedOver, handOver, lockRecipient } from './hand-over.ts';
import { transferActions } from './shared/actions.ts';
import { lockTransfer, refuseEnded, type SeenTransfer, seenTransfer, transferId } from './transfer-row.ts';
import { CompletedWire, completedToWire } from './wire.ts';

interface Completed {
  readonly transfer: Transfer;
  readonly handedOver: HandedOver;
  readonly createdOrg: boolean;
  readonly retained: string | null;
}

const ways = {
  wallet: { verb: 'accept', why: 'An offer to a wallet is accepted by its signature.' },
  email: { verb: 'claim', why: 'An offer to a mail address is claimed signed in with it.' },
} as const;

/** `POST /agent/v1/transfers/:id/accept`: by the very wallet that it is offered to. Contract 04, section 3.4. */
export const acceptTransfer = mutation({
  name: 'transfers.accept',
  tool: 'accept_project_transfer',
  command: 'transfer accept',
  summary: 'Take a project that was offered to your wallet into your own organization, which is made if you have none.',
  path: 'POST /agent/v1/transfers/:transfer_id/accept',
  credentialBound: true,
  access: signedIn('wallet', 'control_plane'),
  stepUp: 'project.transfer',
  input: z.object({ transfer: transferId }),
  async handler(work, { transfer: id }): Promise<Completed> {
    const offer = await openOffer(work, id, 'wallet');
    const caller = work.principal;
    if (caller.kind !== 'wallet' || caller.address.toLowerCase() !== offer.recipient)
      throw new ServiceError('FORBIDDEN', { message: 'The request has to be signed by that very wallet.' });
    const { org, created } = await findOrCreateOwnOrg(work, caller.principal.id, projectActions['project:create']);
    return complete(work, offer, { org, createdOrg: created, retained: null });
  },
  // Both organizations have it in their trails by then.
  audit: () => undefined,
  wire: CompletedWire,
  toWire: shown,
});

/** `POST /agent/v1/transfers/:id/claim`: by a person who has proven the address. Contract 04, section 3.4. */
export const claimTransfer = mutation({
  name: 'transfers.claim',
  tool: 'claim_project_transfer',
  command: 'transfer claim',
  summary: 'Take a project that was offered to your mail address, into an organization of yours.',
  path: 'POST /agent/v1/transfers/:transfer_id/claim',
  credentialBound: true,
  access: signedIn('wallet', 'control_plane'),
  stepUp: 'project.transfer',
  input: z.object({
    transfer: transferId,
    org_id: orgId
      .optional()
      .describe('The organization that is to have it; your own when absent, made if you have none.'),
    accept_retained_collaborator: z
      .boolean()
      .default(false)
      .describe('Whether whoever offers it stays as a developer, where that was asked for.'),
  }),
  async handler(work, { transfer: id, org_id, accept_retained_collaborator: keeps }): Promise<Completed> {
    const offer = await openOffer(work, id, 'email');
    const { org, created } =
      org_id === undefined
        ? await findOrCreateOwnOrg(work, work.principal.principal.id, projectActions['project:create'])
        : { org: { id: org_id }, created: false };
    return complete(work, offer, { org, createdOrg: created, retained: keeps ? offer.retainedPrincipalId : null });
  },
  // Both organizations have it in their trails by then.
  audit: () => undefined,
  wire: CompletedWire,
  toWire: shown,
});

/** The offer that the caller is the recipient of. @throws NOT_AUTHORIZED, WRONG_COMPLETION_FOR_TRANSFER_KIND, TRANSFER_EXPIRED */
async function openOffer(work: Work & PrincipalScope, id: string, kind: 'wallet' | 'email'): Promise<SeenTransfer> {
  const offer = await seenTransfer(work.rows, id, work.principal.principal.id);
  if (!offer.isRecipient) throw notAuthorized(transferActions['project:transfer'], 'forbidden');
  refuseEnded(offer, work.services.now());
  if (offer.recipientKind !== kind) {
    const { verb, why } = ways[offer.recipientKind as keyof typeof ways];
    throw new ServiceError('WRONG_COMPLETION_FOR_TRANSFER_KIND', {
      details: { transfer_id: offer.id, recipient_kind: offer.recipientKind },
      nextActions: [{ type: 'edit_request', method: 'POST', path: `/agent/v1/transfers/${offer.id}/${verb}`, why }],
    });
  }
  return offer;
}

/** Of an accept, a cancel and the end of its time, the first one to have the project's row decides. */
async function complete(
  work: Work & PrincipalScope,
  offer: SeenTransfer,
  { org, createdOrg, retained }: { org: Pick<Org, 'id'>; createdOrg: boolean; retained: string | null },
): Promise<Completed> {
  const to = await lockRecipient(work, org);
  const project = await lockProject(work, offer.projectId);
  const now = await lockTransfer(work.rows, offer.id, work.principal.principal.id);
  refuseEnded(now, work.services.now());
  if (project?.orgId !== offer.orgId)
    throw new ServiceError('PROJECT_OWNER_CHANGED', { details: { project_id: offer.projectId } });
  const handedOver = await handOver(work, project, { transferId: offer.id, to, retained });
  const [transfer] = await work.rows(acceptedStatement.with({ id: offer.id, toOrgId: to.id }));
  return { transfer: transfer!, handedOver, createdOrg, retained };
}

function shown({ transfer, handedOver, createdOrg, retained }: Completed) {
  return completedToWire(transfer, handedOver, { createdOrg, retained });
}

const acceptedStatement = statement(
  'transfers.accepted',
  { params: pick(projectTransfers, 'id', 'toOrgId'), row: transferColumns },
  ({ id, toOrgId }, row) => sql`update ${projectTransfers}
    ${setOf(projectTransfers, { state: sql`'accepted'`, endedAt: sql`now()`, toOrgId })}
    where ${projectTransfers.id} = ${id} returning ${row}`,
);
