import { z } from 'zod';
import { invalidField, ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { contractCalls } from '../../../db/schema/signers.ts';
import { pick, statement, typed } from '../../../db/sql.ts';
import { AbiFault } from '../../../engines/signers/contract-abi.ts';
import { WouldRevert } from '../../../engines/signers/signer-chain.ts';
import { anyone, onNamedOrOwnProject } from '../../../kernel/access/access.ts';
import { itsProject } from '../../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../../kernel/input/list-page.ts';
import { query } from '../../../kernel/run/operation.ts';
import { onChain } from '../services.ts';
import { signerActions } from '../shared/actions.ts';
import { chainName, findSigner, signerId } from '../signer.ts';
import { callInputs, encoded } from './call-contract.ts';
import { type ContractCall, ContractCallWire, callColumns, callId, callToWire, findCall } from './call-row.ts';
import { reverted } from './price-call.ts';

/** `POST /contracts/v1/read`. Contract 04, section 2.2. */
export const readContract = query({
  name: 'contracts.read',
  tool: 'contract_read',
  command: 'contracts read',
  effects: ['openWorld'],
  summary: 'What a function of a contract returns, without a transaction. It is free, and needs no credential.',
  access: anyone(),
  input: z.object({ chain: chainName, ...callInputs }),
  async handler(ctx, input): Promise<{ readonly result: unknown }> {
    const { data, decode } = await encoded(input);
    const returned = await onChain(ctx.services, input.chain, (chain) =>
      chain.read(input.contract_address, data),
    ).catch(async (error: unknown) => {
      throw error instanceof WouldRevert ? await reverted(error, input.abi_fragment) : error;
    });
    // What is no contract returns nothing, too.
    if (returned === '0x') {
      const result = emptyOf(decode);
      if (result === null) return { result };
      throw new ServiceError('VALIDATION_FAILED', {
        message: 'contract_address: nothing answers there',
        details: { field: 'contract_address', reason: 'no_contract' },
      });
    }
    try {
      return { result: decode(returned) };
    } catch (error) {
      throw error instanceof AbiFault ? invalidField(error.field, error.message) : error;
    }
  },
  wire: z.object({ result: z.unknown() }),
  toWire: ({ result }) => ({ result }),
});

function emptyOf(decode: (returned: '0x') => unknown): unknown {
  try {
    return decode('0x');
  } catch {
    return undefined;
  }
}

const access = onNamedOrOwnProject(signerActions['project:signers:read']);

/** `GET /contracts/v1/calls/:call_id`. Contract 04, section 2.2. */
export const getCallStatus = query({
  name: 'contracts.callStatus',
  tool: 'get_contract_call_status',
  command: 'contracts status',
  summary: 'How a call of a signer stands: pending, confirmed, or failed with the reason.',
  access,
  input: z.object({ project: itsProject, call: callId }),
  handler: (ctx, { call }): Promise<ContractCall> => findCall(ctx.services.db.rows, ctx, call),
  wire: ContractCallWire,
  toWire: callToWire,
});

/** `GET /contracts/v1/signers/:signer_id/calls`: an addition to the contract. */
export const listCalls = query({
  name: 'contracts.listCalls',
  tool: 'list_contract_calls',
  command: 'contracts calls',
  summary: 'The calls of a signer, newest first.',
  access,
  input: z.object({ project: itsProject, signer: signerId, ...listWindow }),
  async handler(ctx, { signer: id, project: _named, ...window }): Promise<ListPage<ContractCall>> {
    const { db, keys } = ctx.services;
    const signer = await findSigner(db.rows, ctx, id);
    const list = newestFirst(keys, `contract-calls:${signer.id}`);
    const asked = { signerId: signer.id, ...list.positionOf(window), limit: window.limit + 1 };
    return list.pageOf(await db.rows(list.statementOf(window, listStatements).with(asked)), window);
  },
  wire: z.object({ calls: z.array(ContractCallWire), has_more: z.boolean(), next_cursor: z.string().nullable() }),
  toWire: (page) => ({ calls: page.rows.map(({ row }) => callToWire(row)), ...pageToWire(page) }),
});

const listStatements = bothWays(contractCalls, (way) =>
  statement(
    `signers.list-calls-${way.name}`,
    {
      params: { ...pick(contractCalls, 'signerId'), ...way.params, limit: typed<number>('bigint') },
      row: callColumns,
    },
    ({ signerId: signer, limit, ...given }, row) => sql`select ${row} from ${contractCalls}
      where ${contractCalls.signerId} = ${signer} and ${way.beyond(given)} ${way.order} limit ${limit}`,
  ),
);
