import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { interval } from '../../db/intervals.ts';
import { signers } from '../../db/schema/signers.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import type { Address } from '../../engines/x402/networks.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { lockNonces, waitingStatement } from './calls/begin-call.ts';
import { confirmation, requireConfirmed } from './drain-signer.ts';
import { onChain, requireOffered } from './services.ts';
import { signerActions } from './shared/actions.ts';
import { findSigner, type SignerRow, signerColumns, signerId } from './signer.ts';

const action = signerActions['project:signers:write'];

/** From this balance on a signer holds something, in wei. */
export const dust = 100_000_000_000_000n;

/** How long the key of a deleted signer is kept. Contract 04, section 2.2. */
export const window = interval('7 days');

/** `DELETE /contracts/v1/signers/:signer_id`. Contract 04, section 2.2. */
export const deleteSigner = mutation({
  name: 'contracts.deleteSigner',
  tool: 'delete_signer',
  command: 'contracts delete',
  effects: ['destructive', 'idempotent', 'openWorld'],
  summary: 'Delete a signer that holds no more than dust. Its key is destroyed after seven days.',
  access: onNamedOrOwnProject(action),
  input: z.object({ project: itsProject, signer: signerId, confirm: confirmation }),
  async prepare(ctx, { signer: id, confirm }) {
    const signer = await findSigner(ctx.services.db.rows, ctx, id);
    if (signer.status !== 'deleted') requireOffered(ctx.services, signer.chain);
    requireConfirmed(id, confirm);
    if (signer.status === 'deleted') return 0n;
    return onChain(ctx.services, signer.chain, (chain) => chain.balance(signer.address as Address));
  },
  async handler(work, { signer: id }, balance): Promise<{ readonly signer: SignerRow; readonly isNew: boolean }> {
    await lockProjectFor(work, action);
    const found = await findSigner(work.rows, work, id);
    if (found.status === 'deleted') return { signer: found, isNew: false };
    await lockNonces(work, found.id);
    const [waiting] = await work.rows(waitingStatement.with({ signerId: found.id }));
    if (waiting!.count > 0)
      throw new ServiceError('SIGNER_HAS_PENDING_CALLS', {
        details: { signer_id: found.id, pending: waiting!.count },
        retryAfter: 5,
      });
    if (balance >= dust)
      throw new ServiceError('SIGNER_NOT_EMPTY', {
        details: { signer_id: found.id, balance_wei: String(balance), dust_wei: String(dust) },
      });
    const [signer] = await work.rows(deleteStatement.with({ id: found.id, balance: String(balance) }));
    return { signer: signer!, isNew: true };
  },
  audit: ({ signer: { id, address }, isNew }, _input, { project }) =>
    isNew
      ? { action: 'signer.deleted', object: { kind: 'signer', id }, details: { project_id: project.id, address } }
      : undefined,
  wire: z.object({
    signer_id: z.string(),
    id: z.string(),
    status: z.literal('deleted'),
    deleted_at: z.iso.datetime(),
    scheduled_deletion_at: z.iso.datetime(),
    kms_deletion_completes_at: z.iso.datetime(),
  }),
  toWire({ signer }) {
    const ends = signer.scheduledDeletionAt!.toISOString();
    return {
      signer_id: signer.id,
      id: signer.id,
      status: 'deleted' as const,
      deleted_at: signer.deletedAt!.toISOString(),
      scheduled_deletion_at: ends,
      kms_deletion_completes_at: ends,
    };
  },
});

const deleteStatement = statement(
  'signers.delete',
  { params: pick(signers, 'id', 'balance'), row: signerColumns },
  ({ id, balance }, row) =>
    sql`update ${signers} ${setOf(signers, {
      balance,
      status: sql`'deleted'`,
      deletedAt: sql`now()`,
      scheduledDeletionAt: sql`now() + ${window}`,
      windingUp: sql`false`,
    })} where ${signers.id} = ${id} returning ${row}`,
);
