import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { authenticators } from '../../db/schema/identity.ts';
import type { Org } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { projectTransfers } from '../../db/schema/transfers.ts';
import { insertInto, pick, setOf, statement, typed } from '../../db/sql.ts';
import { onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import { holdRole } from '../../kernel/access/hold-right.ts';
import { forgetProjectTargets } from '../../kernel/access/project-target.ts';
import { actorOf } from '../../kernel/durability/audit-log.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import { orgId, projectId, walletAddress } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { type Transfer, transferColumns } from '../projects/shared/transfer-summary.ts';
import { expireTask } from './expire-transfers.ts';
import { type HandedOver, handOver, lockRecipient } from './hand-over.ts';
import { mailOffer } from './offer-mail.ts';
import { contentsOf, termsDigest } from './project-contents.ts';
import { refuseRestless } from './refuse-restless.ts';
import { transferActions } from './shared/actions.ts';
import { offerHours } from './transfer-row.ts';
import { CompletedWire, completedToWire } from './wire.ts';

const action = transferActions['project:transfer'];

/** An offer, or what has become of it at once. */
export interface InitiatedTransfer {
  readonly transfer: Transfer;
  /** The organization that offers it, as it was. */
  readonly org: Org;
  /** Set where it was handed over at once. */
  readonly handedOver: HandedOver | undefined;
}

/** The answer is one of three: an offer to a wallet, an offer by mail, or what was handed over at once. */
const InitiatedWire = CompletedWire.omit({ status: true, transfer_id: true })
  .partial()
  .extend({
    status: z.enum(['ok', 'accepted']).optional().describe('`ok`: mailed. `accepted`: handed over at once.'),
    transfer_id: z.uuid(),
    expires_at: z.iso.datetime().optional(),
    to_email: z.string().optional(),
    project_summary: z
      .object({
        project_id: z.string(),
        project_name: z.string().nullable(),
        billing_policy: z.literal('migrate'),
        from_wallet: z.string().nullable(),
        to_wallet: z.string(),
      })
      .optional(),
    your_unused_lease_days: z.int().nullable().optional().describe('Null for a lease that never ends.'),
    lease_refundable: z.literal(false).optional(),
    terms_sha256: z.string().optional(),
  })
  .meta({ id: 'InitiatedProjectTransfer' });

const recipients = { to_wallet: 'wallet', to_email: 'email', to_org_id: 'org' } as const;

const input = z.object({
  project: projectId,
  to_wallet: walletAddress.optional().describe('The wallet that it is offered to, which accepts it by a signature.'),
  to_email: emailAddress.optional().describe('The mail address that it is offered to; its owner claims it signed in.'),
  to_org_id: orgId.optional().describe('The organization that gets it at once. You have to own both.'),
  billing_policy: z.string().max(64).optional().describe('With a wallet: `migrate`, the recipient pays from then on.'),
  message: z.string().max(1_000).optional().describe('What the recipient is told.'),
  retain_collaborator_role: z
    .string()
    .max(64)
    .nullish()
    .describe('With a mail address: `developer`, you stay as one if the recipient agrees.'),
});

type Input = z.output<typeof input>;

/** `POST /projects/v1/:id/transfers`. Contract 01, section 5.12, and 04, section 3.4. */
export const initiateTransfer = mutation({
  name: 'transfers.initiate',
  tool: 'initiate_project_transfer',
  command: 'transfer init',
  effects: ['destructive', 'openWorld'],
  summary:
    'Offer a project to a wallet or a mail address for 72 hours, or hand it to another organization of yours at once.',
  credentialBound: true,
  access: onProject(action, ({ project }: { project: string }) => project),
  stepUp: 'project.transfer',
  lifecycle: 'gated',
  input,
  async handler(work, given): Promise<InitiatedTransfer> {
    const to = recipientOf(given);
    const caller = await work.caller();
    const principal = principalIdOf(caller)!;
    if (to.kind === 'org') {
      if (to.recipient === work.org.id) throw new ServiceError('ALREADY_OWNED', { details: { org_id: work.org.id } });
      await holdRole(work, to.recipient, action);
    } else await refuseOwn(work, to, principal);
    // Organizations are locked before their projects, everywhere.
    const target = to.kind === 'org' ? await lockRecipient(work, { id: to.recipient }) : undefined;
    const project = await lockProjectFor(work, action);
    if (project.transferId !== null)
      throw new ServiceError('PENDING_TRANSFER_EXISTS', {
        details: { transfer_id: project.transferId, project_id: project.id },
      });
    // What is handed over at once is looked at then.
    if (target === undefined) await refuseRestless(work, project);
    const contents = await contentsOf(work.services, work.rows, project.id);
    const [transfer] = await work.rows(
      insertStatement.with({
        id: randomUUID(),
        orgId: project.orgId,
        projectId: project.id,
        projectName: project.name,
        recipientKind: to.kind,
        recipient: to.recipient,
        fromWallet: caller.kind === 'wallet' ? caller.address.toLowerCase() : null,
        message: given.message ?? null,
        retainedPrincipalId: given.retain_collaborator_role == null ? null : principal,
        initiatedBy: JSON.stringify(actorOf(caller, work, work.services.now())),
        contents: JSON.stringify(contents),
        termsSha256: termsDigest(project.id, contents),
        hours: offerHours,
        state: target === undefined ? 'pending' : 'accepted',
        toOrgId: target?.id ?? null,
      }),
    );
    if (target !== undefined) {
      const handedOver = await handOver(work, project, { transferId: transfer!.id, to: target, retained: null });
      return { transfer: transfer!, org: work.org, handedOver };
    }
    await work.rows(offerStatement.with({ id: project.id, transferId: transfer!.id }));
    work.afterCommit(() => forgetProjectTargets(work.services));
    await work.addJob(expireTask, { transfer_id: transfer!.id }, { runAt: transfer!.expiresAt, key: transfer!.id });
    if (to.kind === 'email') await mailOffer(work, transfer!);
    return { transfer: transfer!, org: work.org, handedOver: undefined };
  },
  // What was handed over is in the trails of both by then.
  audit: ({ transfer: { id, projectId: project, recipientKind, recipient }, handedOver }) =>
    handedOver === undefined
      ? {
          action: 'project.offered',
          object: { kind: 'project', id: project },
          details: { transfer_id: id, recipient_kind: recipientKind, recipient },
        }
      : undefined,
  wire: InitiatedWire,
  toWire({ transfer, org, handedOver }, { services }) {
    if (handedOver !== undefined) return completedToWire(transfer, handedOver);
    const { id, recipientKind, recipient, expiresAt } = transfer;
    const offer = { transfer_id: id, expires_at: expiresAt.toISOString() };
    if (recipientKind === 'email') return { status: 'ok' as const, ...offer, to_email: recipient };
    return {
      ...offer,
      project_summary: {
        project_id: transfer.projectId,
        project_name: transfer.projectName,
        billing_policy: 'migrate' as const,
        from_wallet: transfer.fromWallet,
        to_wallet: recipient,
      },
      your_unused_lease_days: unusedDays(org, services.now()),
      lease_refundable: false as const,
      terms_sha256: transfer.termsSha256,
    };
  },
});

/** Full days that an organization has paid for and not used, which stay with it; null for a lease that never ends. */
const unusedDays = ({ leasePerpetual, leaseExpiresAt }: Org, now: Date): number | null =>
  leasePerpetual ? null : Math.max(0, Math.floor((leaseExpiresAt.getTime() - now.getTime()) / 86_400_000));

/** @throws VALIDATION_FAILED, INVALID_BILLING_POLICY, INVALID_RETAIN_ROLE */
function recipientOf(given: Input) {
  const named = (Object.keys(recipients) as (keyof typeof recipients)[]).filter((field) => given[field] !== undefined);
  const [field] = named;
  if (field === undefined || named.length > 1)
    throw invalidField(named[1] ?? 'to_wallet', 'name exactly one of to_wallet, to_email and to_org_id');
  const kind = recipients[field];
  const { billing_policy: policy, retain_collaborator_role: role } = given;
  if (policy !== undefined && kind !== 'wallet') throw invalidField('billing_policy', 'goes with to_wallet alone');
  if (policy !== undefined && policy !== 'migrate')
    throw new ServiceError('INVALID_BILLING_POLICY', { details: { billing_policy: policy } });
  if (role != null && kind !== 'email') throw invalidField('retain_collaborator_role', 'goes with to_email alone');
  if (role != null && role !== 'developer') throw new ServiceError('INVALID_RETAIN_ROLE', { details: { role } });
  return { kind, recipient: given[field]! };
}

/** Refuses what the principal itself is known by. @throws INVALID_RECIPIENT */
async function refuseOwn(
  work: Work & ProjectScope,
  { kind, recipient }: ReturnType<typeof recipientOf>,
  principalId: string,
): Promise<void> {
  const [own] = await work.rows(ownStatement.with({ kind, publicSubject: recipient, principalId }));
  if (own !== undefined) throw new ServiceError('INVALID_RECIPIENT', { details: { recipient_kind: kind } });
}

const ownStatement = statement(
  'transfers.own-subject',
  {
    params: { ...pick(authenticators, 'publicSubject', 'principalId'), kind: typed<string>('text') },
    row: pick(authenticators, 'id'),
  },
  ({ kind, publicSubject, principalId }, row) => sql`select ${row} from ${authenticators}
    where ${authenticators.kind} = ${kind} and ${authenticators.publicSubject} = ${publicSubject}
      and ${authenticators.principalId} = ${principalId}`,
);

const insertStatement = statement(
  'transfers.insert',
  {
    params: {
      ...pick(projectTransfers, 'id', 'orgId', 'projectId', 'projectName', 'recipientKind', 'recipient', 'fromWallet'),
      ...pick(projectTransfers, 'message', 'retainedPrincipalId', 'initiatedBy', 'contents', 'termsSha256', 'state'),
      ...pick(projectTransfers, 'toOrgId'),
      hours: typed<number>('integer'),
    },
    row: transferColumns,
  },
  ({ hours, ...given }, row) =>
    sql`${insertInto(projectTransfers, {
      ...given,
      expiresAt: sql`now() + make_interval(hours => ${hours})`,
      endedAt: sql`case when ${given.state} = 'accepted' then now() end`,
    })} returning ${row}`,
);

const offerStatement = statement(
  'transfers.offer',
  { params: pick(projects, 'id', 'transferId') },
  ({ id, transferId }) => sql`update ${projects} ${setOf(projects, { transferId })} where ${projects.id} = ${id}`,
);
