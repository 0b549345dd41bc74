import { callKinds, callStates, signerStates } from '../db/schema/signers.ts';
import { callContract } from '../resolvers/signers/calls/call-contract.ts';
import type { ContractCall } from '../resolvers/signers/calls/call-row.ts';
import { deployContract } from '../resolvers/signers/calls/deploy-contract.ts';
import { getCallStatus, listCalls, readContract } from '../resolvers/signers/calls/read-calls.ts';
import { setLowBalanceAlert, setRecoveryAddress } from '../resolvers/signers/change-signer.ts';
import { deleteSigner } from '../resolvers/signers/delete-signer.ts';
import { drainSigner } from '../resolvers/signers/drain-signer.ts';
import { provisionSigner } from '../resolvers/signers/provision-signer.ts';
import { getSigner, listSigners, withBalance } from '../resolvers/signers/read-signers.ts';
import { keyNotice, type Signer, type SignerRow } from '../resolvers/signers/signer.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf, windowInputs } from './connection.ts';
import { enumOf } from './enum-of.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const SignerChainEnum = builder.enumType('SignerChain', {
  description: 'A chain that signers sign for.',
  values: {
    BASE_MAINNET: { value: 'base-mainnet', description: 'Base.' },
    BASE_SEPOLIA: { value: 'base-sepolia', description: 'The test chain of Base.' },
  } as const,
});

const SignerStatusEnum = enumOf('SignerStatus', 'How a signer stands.', signerStates, {
  active: 'It signs.',
  suspended: 'Its rent was not paid: it signs nothing but drains.',
  deleted: 'It signs nothing any more.',
});

const CallKindEnum = enumOf('ContractCallKind', 'What a call does.', callKinds, {
  call: 'It calls a function of a contract.',
  deploy: 'It makes a contract.',
  drain: 'It sends all that the signer holds.',
});

const CallStatusEnum = enumOf('ContractCallStatus', 'How a call stands.', callStates, {
  pending: 'It is on its way, or its chain cannot be asked.',
  confirmed: 'It is in a block that lies deep enough.',
  failed: 'It was reverted, or not sent; its error says which.',
});

/** A signer whose worth is looked up where a change answered it without. */
type Shown = SignerRow | Signer;

const SignerRef = builder.objectRef<Shown>('Signer').implement({
  description: 'An account on a chain that a project signs with. Its key never leaves the gateway.',
  fields: (t) => ({
    signerId: t.exposeString('id', { description: 'Native id, `cwlt_…`.' }),
    projectId: t.exposeString('projectId', { description: 'The project, `prj_…`.' }),
    address: t.exposeString('address', { description: 'Its address.' }),
    chain: t.expose('chain', { type: SignerChainEnum, description: 'Its chain.' }),
    status: t.expose('status', { type: SignerStatusEnum, description: 'How it stands.' }),
    balanceWei: t.exposeString('balance', {
      nullable: true,
      description: 'What it holds, in wei: now where one signer is asked for, else as it was read last.',
    }),
    balanceUsdMicros: t.float({
      nullable: true,
      description: 'What that is worth in micro-dollars; null where the chain does not tell.',
      async resolve(signer, _args, { services }) {
        const worth = 'balanceUsdMicros' in signer ? signer : await withBalance(services, signer);
        return worth.balanceUsdMicros === null ? null : Number(worth.balanceUsdMicros);
      },
    }),
    thresholdWei: t.exposeString('threshold', {
      nullable: true,
      description: 'Below this balance its people are told, in wei; null: never.',
    }),
    recoveryAddress: t.exposeString('recoveryAddress', {
      nullable: true,
      description: 'Where its money goes when the rent is not paid for 90 days, or the project is deleted.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    lastAlertSentAt: t.expose('lastAlertSentAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its people were told last that its balance is low.',
    }),
    lastRentDebitedOn: t.exposeString('lastRentDebitedOn', {
      nullable: true,
      description: 'The last day, in UTC, whose rent was paid.',
    }),
    suspendedAt: t.expose('suspendedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when its rent is not paid.',
    }),
    deletedAt: t.expose('deletedAt', { type: 'DateTime', nullable: true, description: 'When it was deleted.' }),
    scheduledDeletionAt: t.expose('scheduledDeletionAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its key is destroyed.',
    }),
    nonCustodialNotice: t.string({ description: 'Who has the key, in words.', resolve: () => keyNotice }),
  }),
});

const ContractCallRef = builder.objectRef<ContractCall>('ContractCall').implement({
  description: 'A transaction that a signer signed, and what became of it.',
  fields: (t) => ({
    callId: t.exposeString('id', { description: 'Native id, `ccall_…`.' }),
    signerId: t.exposeString('signerId', { description: 'The signer, `cwlt_…`.' }),
    chain: t.expose('chain', { type: SignerChainEnum, description: 'The chain.' }),
    kind: t.expose('kind', { type: CallKindEnum, description: 'What it does.' }),
    contractAddress: t.exposeString('contractAddress', {
      description: 'The contract that is called or made; of a drain, where the money goes.',
    }),
    functionName: t.exposeString('functionName', {
      nullable: true,
      description: 'The full signature of the function; null where none is called.',
    }),
    valueWei: t.exposeString('value', { description: 'What is sent along, in wei.' }),
    txHash: t.exposeString('txHash', {
      nullable: true,
      description: 'Hash of its transaction. One that waits too long is replaced by another of the same number.',
    }),
    status: t.expose('status', { type: CallStatusEnum, description: 'How it stands.' }),
    gasUsed: t.exposeString('gasUsed', { nullable: true, description: 'Gas that it took.' }),
    gasUsedWei: t.exposeString('gasCost', { nullable: true, description: 'What its gas cost, in wei.' }),
    gasCostUsdMicros: t.float({
      nullable: true,
      description: 'What that was worth in micro-dollars; null where the chain does not tell.',
      resolve: ({ gasCostUsdMicros: cost }) => (cost === null ? null : Number(cost)),
    }),
    receipt: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What the chain says of it, once it is in a block.',
      resolve: ({ receipt }) => (receipt === null ? null : { ...receipt }),
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was signed.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it changed last.' }),
  }),
});

builder.objectField(ProjectRef, 'signers', (t) =>
  t.field({
    type: [SignerRef],
    nullable: true,
    ...fieldOf(listSigners),
    resolve: async ({ id }, _args, ctx) => [...(await run(listSigners, ctx, { project: id }))],
  }),
);

readField('signer', getSigner, { type: SignerRef });

const CallConnection = builder.connectionObject({ type: ContractCallRef, name: 'ContractCallConnection' });
const listed = inputsOf(listCalls, { omit: ['project', ...windowInputs] });

builder.objectField(ProjectRef, 'contractCalls', (t) =>
  t.field({
    type: CallConnection,
    nullable: true,
    ...fieldOf(listCalls),
    args: { ...pageArgs, ...listed.args },
    resolve: async ({ id }, args, ctx) =>
      listConnection(await run(listCalls, ctx, { project: id, ...listed.read(args), ...listWindowOf(args) }), args),
  }),
);

readField('contractCall', getCallStatus, { type: ContractCallRef });

const ContractReadRef = builder.objectRef<{ readonly result: unknown }>('ContractRead').implement({
  description: 'What a function of a contract returned.',
  fields: (t) => ({
    result: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Its value; a list where it returns several. Integers beyond 2^53 are texts.',
      resolve: ({ result }) => result as never,
    }),
  }),
});

readField('contractRead', readContract, { type: ContractReadRef, types: { chain: SignerChainEnum } });

changeField('provisionSigner', provisionSigner, {
  type: SignerRef,
  input: 'A signer to make.',
  argument: 'The chain, and where its money may go.',
  types: { chain: SignerChainEnum },
});

changeField('setSignerRecoveryAddress', setRecoveryAddress, {
  type: SignerRef,
  input: 'Where the money of a signer may go.',
  argument: 'The signer, and the address.',
});

changeField('setSignerLowBalanceAlert', setLowBalanceAlert, {
  type: SignerRef,
  input: 'When somebody is told that a signer holds little.',
  argument: 'The signer, and the amount.',
});

changeField('callContract', callContract, {
  type: ContractCallRef,
  input: 'A call to make.',
  argument: 'The signer, and what it calls.',
  result: ({ call }) => call,
  types: { chain: SignerChainEnum },
});

changeField('deployContract', deployContract, {
  type: ContractCallRef,
  input: 'A contract to make.',
  argument: 'The signer, and the bytecode.',
  result: ({ call }) => call,
  types: { chain: SignerChainEnum },
});

changeField('drainSigner', drainSigner, {
  type: ContractCallRef,
  input: 'A signer to drain.',
  argument: 'The signer, and where its money goes.',
  result: ({ call }) => call,
});

changeField('deleteSigner', deleteSigner, {
  type: SignerRef,
  input: 'A signer to delete.',
  argument: 'The signer.',
  result: ({ signer }) => signer,
});
