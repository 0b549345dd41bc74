import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { isPast } from '../../../db/intervals.ts';
import { signers } from '../../../db/schema/signers.ts';
import { pick, type RowOf, setOf, statement } from '../../../db/sql.ts';
import { ChainUnavailable } from '../../../engines/chains/finding.ts';
import { LacksFunds, WouldRevert } from '../../../engines/signers/signer-chain.ts';
import type { Address } from '../../../engines/x402/networks.ts';
import { writeSystemAudit } from '../../../kernel/durability/audit-log.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../../kernel/feeds/append-event.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { lockNonces, waitingStatement } from '../calls/begin-call.ts';
import { window } from '../delete-signer.ts';
import { beginDrain, priceDrain } from '../drain-signer.ts';
import { signerEvents } from '../event-types.ts';

/** From when on a suspended signer is wound up. Contract 04, section 2.3. */
const suspendedFor = '90 days';

/** Signers that one run looks at. */
const atOnce = 200;

/**
 * Sends what signers hold to their recovery addresses, where the rent was not paid for long or the project is gone, and
 * deletes them. One without a recovery address stays suspended, and keeps its key.
 */
export async function windUp(ctx: Context): Promise<void> {
  await ctx.services.db.rows(beginStatement.with({}));
  for (const signer of await ctx.services.db.rows(windingStatement.with({}))) {
    ctx.signal.throwIfAborted();
    try {
      await drainOrEnd(ctx, signer);
    } catch (error) {
      const isChains = [ChainUnavailable, WouldRevert, LacksFunds].some((kind) => error instanceof kind);
      if (!isChains) throw error;
      // The next run tries again: until it is empty its key is kept.
      ctx.services.log.warn({ signer: signer.id, reason: (error as Error).message }, 'A signer could not be drained.');
    }
  }
}

async function drainOrEnd(ctx: Context, signer: Winding): Promise<void> {
  const { services } = ctx;
  const { id, orgId, projectId, chain: name } = signer;
  if (!services.signerChains.offers(name)) return;
  const [waiting] = await services.db.rows(waitingStatement.with({ signerId: id }));
  if (waiting!.count > 0) return;
  const chain = await services.signerChains.open(name);
  const priced = await priceDrain(chain, signer.address as Address, signer.recoveryAddress as Address).catch(
    (error: unknown) => {
      if (error instanceof ServiceError && error.code === 'NOTHING_TO_DRAIN') return undefined;
      throw error;
    },
  );
  await unitOfWork(ctx, async (work) => {
    const next = await lockNonces(work, id);
    const [still] = await work.rows(stillStatement.with({ id }));
    const [now] = await work.rows(waitingStatement.with({ signerId: id }));
    if (still === undefined || now!.count > 0) return;
    if (priced === undefined) return end(work, signer);
    const owner = { orgId, projectId, signerId: id, chain: name };
    const call = await beginDrain(work, next, {
      ...owner,
      kind: 'drain',
      idempotencyKey: null,
      intent: 'wind-up',
      functionName: null,
      priced,
    });
    await audit(work, signer, 'contract.drain', { kind: 'contract_call', id: call.id });
  });
}

async function end(work: Parameters<Parameters<typeof unitOfWork>[1]>[0], signer: Winding): Promise<void> {
  const { id, orgId, projectId, chain, address, recoveryAddress, status } = signer;
  await work.rows(endStatement.with({ id }));
  if (status === 'deleted') return;
  await audit(work, signer, 'signer.deleted', { kind: 'signer', id });
  const payload = { signer_id: id, chain, address, recovery_address: recoveryAddress! };
  work.append(appendEvent({ orgId, projectId, type: signerEvents.signer_wound_up, payload }));
}

const audit = (
  work: Parameters<typeof end>[0],
  { orgId, projectId, address, recoveryAddress }: Winding,
  action: string,
  object: { readonly kind: string; readonly id: string },
) =>
  writeSystemAudit(work.client, work, 'signer_wound_up', [
    { orgId, action, object, details: { project_id: projectId, address, recovery_address: recoveryAddress } },
  ]);

const windingColumns = pick(signers, 'id', 'orgId', 'projectId', 'chain', 'address', 'recoveryAddress', 'status');
type Winding = RowOf<typeof windingColumns>;

const beginStatement = statement(
  'signers.begin-winding-up',
  {},
  () => sql`update ${signers} ${setOf(signers, { windingUp: sql`true` })}
    where ${signers.status} = 'suspended' and ${isPast(signers.suspendedAt, suspendedFor)}
      and ${signers.recoveryAddress} is not null and not ${signers.windingUp}`,
);

const windingStatement = statement(
  'signers.winding-up',
  { row: windingColumns },
  (_none, row) => sql`select ${row} from ${signers} where ${signers.windingUp} order by ${signers.id}
    limit ${sql.raw(String(atOnce))}`,
);

// Who has paid meanwhile keeps it.
const stillStatement = statement(
  'signers.still-winding-up',
  { params: pick(signers, 'id'), row: pick(signers, 'id') },
  ({ id }, row) => sql`select ${row} from ${signers}
    where ${signers.id} = ${id} and ${signers.windingUp} and ${signers.status} <> 'active' for update`,
);

const endStatement = statement(
  'signers.wound-up',
  { params: pick(signers, 'id') },
  ({ id }) =>
    sql`update ${signers} ${setOf(signers, {
      windingUp: sql`false`,
      status: sql`'deleted'`,
      deletedAt: sql`coalesce(${signers.deletedAt}, now())`,
      scheduledDeletionAt: sql`coalesce(${signers.scheduledDeletionAt}, now() + ${window})`,
    })} where ${signers.id} = ${id}`,
);

/** What becomes of the signers of a project that is deleted. */
export const deleteOfProject = statement(
  'signers.delete-of-project',
  { params: pick(signers, 'orgId', 'projectId') },
  ({ orgId, projectId }) =>
    sql`update ${signers} ${setOf(signers, {
      status: sql`'deleted'`,
      deletedAt: sql`now()`,
      scheduledDeletionAt: sql`now() + ${window}`,
      windingUp: sql`${signers.recoveryAddress} is not null`,
    })} where ${signers.orgId} = ${orgId} and ${signers.projectId} = ${projectId} and ${signers.status} <> 'deleted'`,
);
