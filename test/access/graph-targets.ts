import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { schema } from '../../schema/schema.ts';
import { type Ids, nobodysInner, notTargets } from './rest-targets.ts';

/** Which id an argument names, by its own name; `room` takes a project's id for its default room. */
const targetNames: Readonly<Record<string, keyof Ids | 'inner'>> = {
  org: 'org',
  project: 'project',
  room: 'project',
  message: 'inner',
  presence: 'inner',
  claim: 'inner',
  invite: 'inner',
  grant: 'inner',
  delegate: 'inner',
  principal: 'inner',
  vault: 'inner',
  userId: 'inner',
  encryptionKey: 'inner',
  escalation: 'inner',
  topup: 'inner',
  contact: 'inner',
  fingerprintId: 'inner',
  query: 'inner',
  'deleteSecret.key': 'inner',
  'asset.key': 'inner',
  'deleteAsset.key': 'inner',
  'signedAsset.key': 'inner',
  'assetDiagnosis.url': 'inner',
  'assetFreshness.url': 'inner',
  'deleteSubdomain.name': 'inner',
  'projectDomain.domain': 'inner',
  'checkDomain.domain': 'inner',
  'applyDomain.domain': 'inner',
  'repairDomain.domain': 'inner',
  'testDomainReceive.domain': 'inner',
  'testDomainReceive.to': 'inner',
  'activateDomain.domain': 'inner',
  'disconnectDomain.domain': 'inner',
  mailbox: 'inner',
  webhook: 'inner',
  delivery: 'inner',
  run: 'inner',
  snapshot: 'inner',
  archive: 'inner',
  import: 'inner',
  transfer: 'inner',
  notification: 'inner',
  credential: 'inner',
  binding: 'inner',
  signer: 'inner',
  call: 'inner',
  job: 'inner',
  chatBindingId: 'inner',
  rule: 'inner',
  channelRouteId: 'inner',
  communityInstallationId: 'inner',
  issuerId: 'inner',
  plan: 'inner',
  operation: 'inner',
  release: 'inner',
  'updateFunction.name': 'inner',
  'deleteFunction.name': 'inner',
  'invokeFunction.name': 'inner',
  'createFunctionRun.name': 'inner',
  'runFunctionTrigger.trigger': 'inner',
  'deleteAppVersion.version': 'inner',
  'updateAppVersion.version': 'inner',
  'deleteProjectBranch.branch': 'inner',
  'renewProjectBranch.branch': 'inner',
};

/** A point on the curve. */
const publicKey = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

/** Values of arguments that take no text whatever, or that have to be given though they may be null. */
const samples: Readonly<Record<string, string>> = {
  wallet: '"0x00000000000000000000000000000000000000a1"',
  walletAddress: 'null',
  displayName: 'null',
  manifest: '{ version: 1 }',
  'planArchiveUpload.size': '10240',
  'planArchiveUpload.sha256': `"${'f'.repeat(64)}"`,
  'commitArchiveUpload.sha256': `"${'e'.repeat(64)}"`,
  archiveSha256: `"${'e'.repeat(64)}"`,
  'configureChannelRoute.projectScope': 'ORG',
  communitySubject: `"${publicKey}"`,
  communityAuthoritySubject: `"${publicKey}"`,
  request: '{ jobType: "echo", input: { inputJson: {} }, maxCostUsdMicros: 0 }',
  inviteId: '"00000000-0000-4000-8000-000000000000"',
  authHash: `"${'a'.repeat(64)}"`,
  sql: '"select 1"',
  tables: '["notes"]',
  eventType: '"order_paid"',
  'planContent.content': `[{ sha256: "${'a'.repeat(64)}", size: 4 }]`,
  spec: '{ i18n: null }',
  'releaseDiff.from': '"empty"',
  'releaseDiff.to': '"empty"',
  email: '"ada@example.com"',
  'sendMail.to': '"ada@example.com"',
  'registerMailboxWebhook.url': '"https://example.com/mail"',
  'registerMailboxWebhook.events': '[BOUNCED]',
  'createMailbox.slug': '"hello-there"',
  'setMailboxDefaults.authSenderMailboxId': 'null',
  'updateMailboxWebhook.events': '[BOUNCED]',
  'putAsset.content': '"a"',
  'putAsset.key': '"a.txt"',
  'assetFreshness.sha256': `"${'a'.repeat(64)}"`,
  'setSecret.key': '"STRIPE_KEY"',
  contractAddress: '"0x00000000000000000000000000000000000000a1"',
  destinationAddress: '"0x00000000000000000000000000000000000000a1"',
  abiFragment: '[{ type: "function", name: "x", inputs: [], outputs: [] }]',
  recoveryAddress: 'null',
  thresholdWei: '"5"',
  bytecode: '"0x00"',
  'translateText.to': '"es"',
  'registerJobType.function': '"tried"',
  'claimSubdomain.name': '"our-shop"',
  'createCheckout.amountUsdMicros': '1000000',
  'createCiBinding.nonce': `"${'0'.repeat(32)}"`,
  'ensureDomain.domain': '"shop.example.com"',
  // Goes with the query that it is a version of.
  'saveQuery.version': '1',
};

/** Fields whose `id` is the thing that they answer with. */
const ownIds: Readonly<Record<string, keyof Ids>> = { organization: 'org', project: 'project' };

export interface GraphTarget {
  readonly name: string;
  /** The operation that answers it; undefined for a subscription. */
  readonly operation: unknown;
  readonly field: string;
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly names: readonly (keyof Ids)[];
  /** Whether its input takes an idempotency key. */
  readonly keyed: boolean;
  /** Whether something inside a target is named, too. */
  readonly inner: boolean;
  readonly document: (ids: Ids, key?: string) => string;
}

/**
 * Every root field that takes an organization or a project, `node` left out. An argument of type `ID` that nobody
 * knows fails until it is explained.
 */
export function graphTargets(): GraphTarget[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  return roots.flatMap(([kind, root]) =>
    Object.values(root!.getFields())
      .filter(({ name, extensions }) => name !== 'node' && !notTargets.includes(extensions.operation))
      .flatMap((field) => {
        const found = new Set<keyof Ids>();
        const given = (ids: Ids, key?: string) =>
          field.args.flatMap((arg) => argument(field, arg, ids, key, found)).join(', ');
        given({ org: '', project: '' });
        const names = [...found];
        if (names.length === 0) return [];
        const keyed = field.args.some(({ type }) => {
          const named = getNamedType(type);
          return isInputObjectType(named) && 'idempotencyKey' in named.getFields();
        });
        const document = (ids: Ids, key?: string) =>
          `${kind} { ${field.name}(${given(ids, key)}) ${selection(field)} }`;
        const inner = given({ org: '', project: '' }).includes(nobodysInner);
        const { operation } = field.extensions;
        return [{ name: `${kind} ${field.name}`, operation, field: field.name, kind, names, keyed, inner, document }];
      }),
  );
}

type Field = GraphQLField<unknown, unknown>;

/** `name: value` for an argument that is required or names a target; nothing for the others. */
function argument(
  field: Field,
  { name, type }: GraphQLArgument | GraphQLInputField,
  ids: Ids,
  key: string | undefined,
  found: Set<keyof Ids>,
): string[] {
  const target =
    targetNames[`${field.name}.${name}`] ?? targetNames[name] ?? (name === 'id' ? ownIds[field.name] : undefined);
  if (target !== undefined) {
    if (target !== 'inner') found.add(target);
    return [`${name}: ${JSON.stringify(target === 'inner' ? nobodysInner : ids[target])}`];
  }
  const named = getNamedType(type);
  if (named.name === 'ID') throw new Error(`${field.name}: what does ${name} name? Say so in targetNames.`);
  const sample = samples[`${field.name}.${name}`] ?? samples[name];
  if (sample !== undefined) return [`${name}: ${sample}`];
  if (name === 'idempotencyKey') return key === undefined ? [] : [`${name}: ${JSON.stringify(key)}`];
  if (!isNonNullType(type)) return [];
  return [`${name}: ${smallest(field, type, ids, key, found)}`];
}

function smallest(
  field: Field,
  type: GraphQLInputType,
  ids: Ids,
  key: string | undefined,
  found: Set<keyof Ids>,
): string {
  const inner = isNonNullType(type) ? type.ofType : type;
  if (isListType(inner)) return '[]';
  if (isInputObjectType(inner)) {
    const fields = Object.values(inner.getFields());
    return `{ ${fields.flatMap((one) => argument(field, one, ids, key, found)).join(', ')} }`;
  }
  if (isEnumType(inner)) return inner.getValues()[0]!.name;
  return inner === undefined || inner.toString() === 'String' ? '"x"' : inner.toString() === 'Boolean' ? 'true' : '1';
}

/** Every plain member of what a field answers, so that nothing it says goes unseen. */
function selection({ type }: Field): string {
  const named = getNamedType(type);
  if (!isObjectType(named) && !isInterfaceType(named)) return '';
  const leaves = Object.values(named.getFields()).filter(
    (one) => isLeafType(getNamedType(one.type)) && one.args.length === 0,
  );
  return `{ __typename ${leaves.map(({ name }) => name).join(' ')} }`;
}

/** Types that `node` answers with, with the native id of one that belongs to an organization and project. */
export const nodeTypes = schema.getPossibleTypes(schema.getType('Node') as never).map(({ name }) => name);
