import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { callKinds, callStates, contractCalls } from '../../../db/schema/signers.ts';
import { pick, type RowOf, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import { signerChainNames } from '../../../engines/signers/networks.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import { isKey } from '../../../kernel/durability/idempotency.ts';

export const callColumns = pick(
  contractCalls,
  'id',
  'projectId',
  'signerId',
  'chain',
  'kind',
  'contractAddress',
  'functionName',
  'value',
  'status',
  'error',
  'txHash',
  'receipt',
  'gasUsed',
  'gasCost',
  'gasCostUsdMicros',
  'createdAt',
  'updatedAt',
);

export type ContractCall = RowOf<typeof callColumns>;

/** Contract 04, section 2.1: under the names of the code and of the published description. */
export const ContractCallWire = z
  .object({
    call_id: z.string(),
    id: z.string(),
    signer_id: z.string(),
    chain: z.enum(signerChainNames),
    kind: z.enum(callKinds),
    contract_address: z.string(),
    function_name: z.string().nullable(),
    value_wei: z.string(),
    tx_hash: z.string().nullable(),
    status: z.enum(callStates),
    gas_used: z.string().nullable(),
    gas_used_wei: z.string().nullable(),
    gas_cost_usd_micros: z.int().nullable(),
    receipt: z.record(z.string(), z.unknown()).nullable(),
    error: z.string().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'ContractCall' });

export const callToWire = (call: ContractCall): z.output<typeof ContractCallWire> => ({
  call_id: call.id,
  id: call.id,
  signer_id: call.signerId,
  chain: call.chain,
  kind: call.kind,
  contract_address: call.contractAddress,
  function_name: call.functionName,
  value_wei: call.value,
  tx_hash: call.txHash,
  status: call.status,
  gas_used: call.gasUsed,
  gas_used_wei: call.gasCost,
  gas_cost_usd_micros: call.gasCostUsdMicros === null ? null : Number(call.gasCostUsdMicros),
  receipt: call.receipt === null ? null : { ...call.receipt },
  error: call.error,
  created_at: call.createdAt.toISOString(),
  updated_at: call.updatedAt.toISOString(),
});

/** Any text may be the id of a call that there is none of. */
export const callId = z.string().min(1).max(256).describe('The call, `ccall_…`.');

/** A key of the caller's own, which names the call for good. */
export const callKey = z
  .string()
  .refine(isKey, 'must have 1 to 256 characters')
  .optional()
  .describe('Names the call: a key that was used before answers its call. The header Idempotency-Key says the same.');

/** A call of the project. @throws RESOURCE_NOT_FOUND, for another project's too */
export async function findCall(rows: Rows, { org, project }: ProjectScope, id: string): Promise<ContractCall> {
  const [found] = await rows(findStatement.with({ orgId: org.id, projectId: project.id, id }));
  if (found === undefined)
    throw new ServiceError('RESOURCE_NOT_FOUND', {
      message: 'The project has no such call.',
      details: { call_id: id },
    });
  return found;
}

const findStatement = statement(
  'signers.find-call',
  { params: pick(contractCalls, 'orgId', 'projectId', 'id'), row: callColumns },
  ({ orgId, projectId, id }, row) => sql`select ${row} from ${contractCalls}
    where ${contractCalls.id} = ${id} and ${contractCalls.orgId} = ${orgId} and ${contractCalls.projectId} = ${projectId}`,
);
