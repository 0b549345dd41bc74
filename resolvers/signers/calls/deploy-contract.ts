import { z } from 'zod';
import type { Hex } from '../../../engines/x402/networks.ts';
import { onNamedOrOwnProject } from '../../../kernel/access/access.ts';
import { inputDigest } from '../../../kernel/durability/idempotency.ts';
import { itsProject } from '../../../kernel/input/fields.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { signerActions } from '../shared/actions.ts';
import { chainName, signerId, wei } from '../signer.ts';
import { ContractCallWire, callKey, callToWire } from './call-row.ts';
import { auditOfBegun, begin, prepareCall } from './make-call.ts';

/** Longest bytecode, in bytes. */
const bytecodeMax = 128 * 1024;

const bytecode = z
  .string()
  .max(2 + bytecodeMax * 2, 'at most 128 KiB')
  .regex(/^0x(?:[0-9a-fA-F]{2})+$/, 'must be hexadecimal: 0x and pairs of digits, at least one')
  .transform((text) => text.toLowerCase() as Hex);

/** `POST /contracts/v1/deploy`. Contract 04, section 2.2. */
export const deployContract = mutation({
  name: 'contracts.deploy',
  tool: 'contract_deploy',
  command: 'contracts deploy',
  effects: ['openWorld'],
  summary: 'Have a signer put a contract on its chain. Its address is known at once. One contract for each key.',
  access: onNamedOrOwnProject(signerActions['project:signers:write']),
  lifecycle: 'gated',
  idempotency: 'own',
  input: z.object({
    project: itsProject,
    signer: signerId,
    chain: chainName,
    bytecode: bytecode.describe(
      'What makes the contract, hexadecimal, with its encoded constructor arguments at the end: at most 128 KiB.',
    ),
    value: wei
      .optional()
      .describe('What the contract is given, in wei, as a text of decimal digits. Nothing unless told.'),
    idempotency_key: callKey,
  }),
  prepare: (ctx, { project: _project, idempotency_key: key, ...intent }) =>
    prepareCall(
      ctx,
      { kind: 'deploy', signer: intent.signer, chain: intent.chain, key, intent: inputDigest(intent) },
      async () => ({ functionName: null, to: undefined, data: intent.bytecode, value: BigInt(intent.value ?? '0') }),
    ),
  handler: (work, _input, prepared) => begin(work, prepared, signerActions['project:signers:write']),
  audit: auditOfBegun,
  wire: ContractCallWire,
  toWire: ({ call }) => callToWire(call),
});
