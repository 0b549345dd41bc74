import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import type { SignerChain } from '../../engines/signers/signer-chain.ts';
import type { Address } from '../../engines/x402/networks.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { inputDigest } from '../../kernel/durability/idempotency.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { beginCall, type CallToBegin, lockNonces, waitingStatement } from './calls/begin-call.ts';
import { type ContractCall, ContractCallWire, callKey, callToWire } from './calls/call-row.ts';
import { callOfKey, givenKey, isUnsent } from './calls/keyed-call.ts';
import { auditOfBegun, type Begun } from './calls/make-call.ts';
import { envelopeOf, type Priced } from './calls/price-call.ts';
import { onChain, requireOffered } from './services.ts';
import { signerActions } from './shared/actions.ts';
import { chainAddress, findSigner, requireThere, signerId } from './signer.ts';

const action = signerActions['project:signers:write'];

/** Has a caller name the signer a second time. @throws VALIDATION_FAILED */
export function requireConfirmed(signer: string, confirm: string | undefined): void {
  if (confirm !== undefined && confirm !== signer)
    throw invalidField('confirm', 'must be the id of the signer, which says that it is meant');
}

export const confirmation = z
  .string()
  .max(256)
  .optional()
  .describe('The id of the signer once more. Over REST it is a header, and has to be there.');

/** `POST /contracts/v1/signers/:signer_id/drain`. Contract 04, section 2.2. */
export const drainSigner = mutation({
  name: 'contracts.drain',
  tool: 'drain_signer',
  command: 'contracts drain',
  effects: ['destructive', 'openWorld'],
  summary:
    'Send all that a signer holds of its chain’s own coin to an address, less the fees. It costs no more than gas.',
  access: onNamedOrOwnProject(action),
  idempotency: 'own',
  input: z.object({
    project: itsProject,
    signer: signerId,
    destination_address: chainAddress.describe('Where it goes.'),
    confirm: confirmation,
    idempotency_key: callKey,
  }),
  async prepare(ctx, { signer: id, destination_address: to, confirm, idempotency_key: key }) {
    const { services, project, request } = ctx;
    const signer = await findSigner(services.db.rows, ctx, id);
    requireOffered(services, signer.chain);
    requireConfirmed(id, confirm);
    const intent = inputDigest({ signer: id, to });
    const named = { kind: 'drain' as const, idempotencyKey: givenKey(key, request.idempotencyKey), intent };
    const before = await callOfKey(services.db.rows, { ...named, projectId: project.id });
    if (before !== undefined && !isUnsent(before)) return { known: before };
    requireThere(signer);
    if (to === signer.address)
      throw invalidField('destination_address', 'must be another address than the signer’s own');
    const priced = await onChain(services, signer.chain, (chain) => priceDrain(chain, signer.address as Address, to));
    return { ...named, projectId: project.id, signerId: signer.id, chain: signer.chain, functionName: null, priced };
  },
  async handler(work, _input, prepared): Promise<Begun> {
    if ('known' in prepared) return { call: prepared.known, isNew: false };
    await lockProjectFor(work, action);
    const next = await lockNonces(work, prepared.signerId);
    const before = await callOfKey(work.rows, prepared);
    if (before !== undefined && !isUnsent(before)) return { call: before, isNew: false };
    requireThere(await findSigner(work.rows, work, prepared.signerId));
    const call = await beginDrain(work, next, { ...prepared, orgId: work.org.id, again: before });
    return { call, isNew: true };
  },
  audit: auditOfBegun,
  wire: ContractCallWire,
  toWire: ({ call }) => callToWire(call),
});

/** What a drain takes: its value is what the account holds, less that. */
export async function priceDrain(chain: SignerChain, from: Address, to: Address): Promise<Priced> {
  const [balance, { baseFee, maxPriorityFeePerGas: tip }, minedCount, below] = await Promise.all([
    chain.balance(from),
    chain.fees(),
    chain.minedCount(from),
    chain.feeBelow(envelopeOf('0x')),
  ]);
  // Of what it pays nothing comes back, so that nothing is left: its tip is all that it pays.
  const fee = (baseFee * 3n) / 2n + tip;
  const common = {
    chainId: chain.chainId,
    from,
    to,
    data: '0x',
    maxFeePerGas: fee,
    maxPriorityFeePerGas: fee,
  } as const;
  if (balance <= 21_000n * fee + below) throw nothingToDrain(balance);
  // A destination may be a contract, and take more than the least.
  const gas = await chain.gas({ from, to, data: '0x', value: 1n });
  const value = balance - gas * fee - below;
  if (value <= 0n) throw nothingToDrain(balance);
  return { ...common, gas, value, balance, minedCount, maxCost: balance };
}

const nothingToDrain = (balance: bigint) =>
  new ServiceError('NOTHING_TO_DRAIN', { details: { balance_wei: String(balance) } });

/**
 * Begins a drain, which leaves what calls that are under way may cost.
 *
 * @throws NOTHING_TO_DRAIN
 */
export async function beginDrain(work: Work, next: bigint, call: CallToBegin): Promise<ContractCall> {
  const [waiting] = await work.rows(waitingStatement.with({ signerId: call.signerId }));
  const reserved = BigInt(waiting!.maxCost);
  const { value, maxCost, balance } = call.priced;
  if (value <= reserved) throw nothingToDrain(balance);
  const priced = { ...call.priced, value: value - reserved, maxCost: maxCost - reserved };
  return beginCall(work, next, { ...call, priced });
}
