import { ServiceError } from '../../../core/errors.ts';
import type { Address, Hex } from '../../../engines/x402/networks.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Action } from '../../../kernel/access/permissions.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { AuditEntry } from '../../../kernel/run/operation.ts';
import { lockProjectFor } from '../../projects/shared/lock-project.ts';
import { onChain } from '../services.ts';
import { findSigner, requireUsable } from '../signer.ts';
import { beginCall, type CallToBegin, lockNonces } from './begin-call.ts';
import type { ContractCall } from './call-row.ts';
import { callOfKey, givenKey, isUnsent } from './keyed-call.ts';
import { priceCall } from './price-call.ts';

/** A call that was begun, or that its key names already. */
export interface Begun {
  readonly call: ContractCall;
  /** Whether it is new. */
  readonly isNew: boolean;
}

interface Asked {
  readonly kind: 'call' | 'deploy';
  readonly signer: string;
  readonly chain: ContractCall['chain'];
  /** As an input gives it; the header may, too. */
  readonly key: string | undefined;
  readonly intent: string;
}

interface Encoded {
  readonly functionName: string | null;
  readonly to: Address | undefined;
  readonly data: Hex;
  readonly value: bigint;
  /** The ABI, for the names of errors. */
  readonly fragment?: readonly unknown[];
}

export type Prepared = { readonly known: ContractCall } | Omit<CallToBegin, 'again'>;

/**
 * Asks the chain all that has to be known before a call is begun. A call that its key names already is not asked for again.
 *
 * @param encode says what is sent; what it throws is the refusal
 */
export async function prepareCall(
  ctx: Context & ProjectScope,
  { kind, signer: id, chain: name, key, intent }: Asked,
  encode: () => Promise<Encoded>,
): Promise<Prepared> {
  const { services, org, project, request } = ctx;
  const owner = { orgId: org.id, projectId: project.id };
  const named = { kind, idempotencyKey: givenKey(key, request.idempotencyKey), intent, projectId: project.id };
  const before = await callOfKey(services.db.rows, named);
  if (before !== undefined && !isUnsent(before)) return { known: before };
  const signer = await findSigner(services.db.rows, ctx, id);
  requireUsable(signer, name);
  const { functionName, fragment, ...sent } = await encode();
  const intended = { ...sent, from: signer.address as Address };
  const priced = await onChain(services, name, (chain) => priceCall(chain, intended, fragment));
  return { ...named, ...owner, signerId: signer.id, chain: name, functionName, priced };
}

/** Begins a call in the transaction of its caller's. @throws what {@link beginCall} throws, SIGNER_DELETED, SIGNER_SUSPENDED */
export async function begin(work: Work & ProjectScope, prepared: Prepared, action: Action): Promise<Begun> {
  if ('known' in prepared) return { call: prepared.known, isNew: false };
  await lockProjectFor(work, action);
  const next = await lockNonces(work, prepared.signerId);
  // Another request with the key may have come first.
  const before = await callOfKey(work.rows, prepared);
  if (before !== undefined && !isUnsent(before)) return { call: before, isNew: false };
  if (before !== undefined && before.signerId !== prepared.signerId) throw new ServiceError('IDEMPOTENCY_KEY_REUSED');
  requireUsable(await findSigner(work.rows, work, prepared.signerId));
  return { call: await beginCall(work, next, { ...prepared, again: before }), isNew: true };
}

export const auditOfBegun = ({ call, isNew }: Begun): AuditEntry | undefined =>
  isNew
    ? {
        action: `contract.${call.kind}`,
        object: { kind: 'contract_call', id: call.id },
        details: {
          project_id: call.projectId,
          signer_id: call.signerId,
          chain: call.chain,
          contract_address: call.contractAddress,
          function: call.functionName,
          value_wei: call.value,
          tx_hash: call.txHash,
        },
      }
    : undefined;
