import { z } from 'zod';
import { invalidField, type ServiceError } from '../../../core/errors.ts';
import { AbiFault, type EncodedCall, encodeCall } from '../../../engines/signers/contract-abi.ts';
import { onNamedOrOwnProject } from '../../../kernel/access/access.ts';
import { inputDigest } from '../../../kernel/durability/idempotency.ts';
import { itsProject } from '../../../kernel/input/fields.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { signerActions } from '../shared/actions.ts';
import { chainAddress, chainName, signerId, wei } from '../signer.ts';
import { ContractCallWire, callKey, callToWire } from './call-row.ts';
import { auditOfBegun, begin, prepareCall } from './make-call.ts';

/** Entries of an ABI that one call may bring. */
const entriesMax = 500;
const argsMax = 256;

/** What a call and a read have in common. */
export const callInputs = {
  contract_address: chainAddress.describe('The contract.'),
  abi_fragment: z
    .array(z.unknown())
    .min(1)
    .max(entriesMax)
    .describe('Entries of the contract’s ABI as JSON: the function, and the errors that are to be told by name.'),
  function_name: z
    .string()
    .min(1)
    .max(1_024)
    .describe(
      'The function: its name, or its full signature such as `transfer(address,uint256)` where several share the name.',
    ),
  args: z
    .array(z.unknown())
    .max(argsMax)
    .describe('Its arguments in order. Integers beyond 2^53 are texts of decimal digits.'),
};

/** Encodes the call that an input asks for. @throws VALIDATION_FAILED */
export async function encoded(input: {
  readonly abi_fragment: readonly unknown[];
  readonly function_name: string;
  readonly args: readonly unknown[];
}): Promise<EncodedCall> {
  try {
    return await encodeCall(input.abi_fragment, input.function_name, input.args);
  } catch (error) {
    if (!(error instanceof AbiFault)) throw error;
    throw invalidField(
      error.field,
      error.message,
      error.signatures.length === 0 ? {} : { signatures: error.signatures },
    );
  }
}

/** `POST /contracts/v1/call`. Contract 04, section 2.2. */
export const callContract = mutation({
  name: 'contracts.call',
  tool: 'contract_call',
  command: 'contracts call',
  effects: ['destructive', 'openWorld'],
  summary: 'Have a signer call a function of a contract, for 0.000005 USD and gas. One call for each key.',
  access: onNamedOrOwnProject(signerActions['project:signers:write']),
  lifecycle: 'gated',
  idempotency: 'own',
  input: z.object({
    project: itsProject,
    signer: signerId,
    chain: chainName,
    ...callInputs,
    value: wei.optional().describe('What is sent along, in wei, as a text of decimal digits. Nothing unless told.'),
    idempotency_key: callKey,
  }),
  prepare: (ctx, { project: _project, idempotency_key: key, ...intent }) =>
    prepareCall(
      ctx,
      { kind: 'call', signer: intent.signer, chain: intent.chain, key, intent: inputDigest(intent) },
      async () => {
        const { signature, isPayable, data } = await encoded(intent);
        const value = BigInt(intent.value ?? '0');
        if (value > 0n && !isPayable) throw notPayable(signature);
        return { functionName: signature, to: intent.contract_address, data, value, fragment: intent.abi_fragment };
      },
    ),
  handler: (work, _input, prepared) => begin(work, prepared, signerActions['project:signers:write']),
  audit: auditOfBegun,
  wire: ContractCallWire,
  toWire: ({ call }) => callToWire(call),
});

const notPayable = (signature: string): ServiceError => invalidField('value', `${signature} takes none by its ABI`);
