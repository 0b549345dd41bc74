import { callContract } from '../resolvers/signers/calls/call-contract.ts';
import { deployContract } from '../resolvers/signers/calls/deploy-contract.ts';
import { getCallStatus, listCalls, readContract } from '../resolvers/signers/calls/read-calls.ts';
import { setLowBalanceAlert, setRecoveryAddress } from '../resolvers/signers/change-signer.ts';
import { deleteSigner } from '../resolvers/signers/delete-signer.ts';
import { drainSigner } from '../resolvers/signers/drain-signer.ts';
import { provisionSigner } from '../resolvers/signers/provision-signer.ts';
import { getSigner, listSigners } from '../resolvers/signers/read-signers.ts';
import type { Made } from './inputs.ts';
import { route } from './route.ts';

const inQuery = { project: ['query project_id', 'query project'] } as const;
const inBody = { project: ['body project_id', 'body project'] } as const;
const byKey = { keyDecides: true } as const;
const one = '/contracts/v1/signers/:signer_id';
const calls = { ...inBody, signer: 'body signer_id', value: ['body value', 'body value_wei'] } as const;

/** A header that names the signer once more: here it has to be there. */
const confirmedBy = (header: string): Made => ({
  from: `header ${header}`,
  make: ({ headers }) => headers?.[header] ?? '',
});

/** Bytecode of 128 KiB in hexadecimal, and what is around it. */
const deployBytesMax = 512 * 1024;

/** Paths of signers and their calls. Contract 04, section 2. */
export const signerRoutes = [
  route('POST', '/contracts/v1/signers', 201, provisionSigner, inBody, byKey),
  route('GET', '/contracts/v1/signers', 200, listSigners, inQuery, byKey),
  route('GET', one, 200, getSigner, inQuery, byKey),
  route(
    'DELETE',
    one,
    200,
    deleteSigner,
    { project: [...inQuery.project, ...inBody.project], confirm: confirmedBy('x-confirm-delete') },
    byKey,
  ),
  route('POST', `${one}/recovery-address`, 200, setRecoveryAddress, inBody, byKey),
  route('POST', `${one}/alert`, 200, setLowBalanceAlert, inBody, byKey),
  route('POST', `${one}/drain`, 202, drainSigner, { ...inBody, confirm: confirmedBy('x-confirm-drain') }, byKey),
  route('GET', `${one}/calls`, 200, listCalls, { ...inQuery, before: null, from_end: null }, byKey),
  route('POST', '/contracts/v1/call', 202, callContract, calls, byKey),
  { ...route('POST', '/contracts/v1/deploy', 202, deployContract, calls, byKey), bodyBytesMax: deployBytesMax },
  route('POST', '/contracts/v1/read', 200, readContract),
  route('GET', '/contracts/v1/calls/:call_id', 200, getCallStatus, inQuery, byKey),
];
