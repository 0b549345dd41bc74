import { decodeProtectedHeader } from 'jose';
import { ServiceError } from '../../../core/errors.ts';
import { sameSecret } from '../../../core/keys.ts';
import { Lru } from '../../../core/lru.ts';
import { sql } from '../../../db/drizzle.ts';
import { ciBindings } from '../../../db/schema/ci.ts';
import { principals, sessions, walletNonces } from '../../../db/schema/identity.ts';
import { delegates, projectGrants, projects } from '../../../db/schema/projects.ts';
import { voucherIssuers } from '../../../db/schema/vouchers.ts';
import { computed, insertInto, pick, prefixed, type RowOf, statement, typed } from '../../../db/sql.ts';
import type { Caller, CallerPrincipal, ProjectKeyCaller, SessionCaller } from '../../../kernel/access/caller.ts';
import type { Credentials } from '../../../kernel/access/credentials.ts';
import { grantHolds } from '../../../kernel/access/rules.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { ciTyp, readCiToken } from './ci-token.ts';
import { delegateTokenHash } from './delegate-token.ts';
import { issuerKeyHash } from './issuer-key.ts';
import { lookUpCredential, refuseEndedCredential } from './project-credentials.ts';
import { isCurrentKey, readProjectKey } from './project-keys.ts';
import { noteUse, sessionStands, useIsDue } from './session-stands.ts';
import { isSessionTyp, readSessionToken } from './session-token.ts';
import { findOrCreateWalletPrincipal } from './wallet-principal.ts';
import { verifyWalletSignature } from './wallet-signature.ts';

/** Where a request was sent to, and where from. */
interface RequestOrigin {
  /** The host that a wallet signature has to name; undefined: the client named one that is not this server's. */
  readonly host: string | undefined;
  /** The network of the client, for limits. */
  readonly network: string;
}

/** Told which principal a credential names before it is known to hold. */
type Presume = (principalId: string) => void;

/**
 * The one door through which every credential that is a header comes in; cookies of browsers are looked at by transports,
 * which know where a page is from. The admin key is looked at first, then `Authorization`, which
 * wins over `SIGN-IN-WITH-X`, then `apikey`. Contract 01, section 1.3.
 *
 * @throws INVALID_AUTH or OPERATOR_SESSION_INVALID for a credential that does not hold
 */
export async function resolveCaller(
  services: Services,
  credentials: Credentials,
  journey: RequestOrigin,
  presume: Presume = () => undefined,
): Promise<Caller> {
  const { 'x-admin-key': adminKey, authorization, 'sign-in-with-x': siwx, apikey } = credentials;
  if (adminKey !== undefined) {
    const expected = services.settings.adminKey;
    if (expected === undefined || !sameSecret(adminKey, expected)) throw wrongAdminKey();
    return { kind: 'admin' };
  }
  if (authorization !== undefined) return resolveBearer(services, bearerOf(authorization), presume);
  if (siwx !== undefined) return resolveWallet(services, siwx, journey);
  if (apikey !== undefined) return resolveProjectKey(services, apikey);
  return { kind: 'nobody' };
}

/** Nothing is said of other credentials: who shows this one means this one. */
const wrongAdminKey = () =>
  new ServiceError('INVALID_AUTH', {
    message: 'The admin key is not that of this installation.',
    details: { reason: 'admin_key' },
    nextActions: [
      { type: 'authenticate', auth: 'admin_key', why: 'Send the value of SVC_ADMIN_KEY in the X-Admin-Key header.' },
    ],
  });

/**
 * The caller of a socket, looked at again for each operation that comes through it, so that what has ended since is
 * refused. A wallet is not asked to sign again, nor is its nonce spent twice.
 */
export async function renewCaller(
  services: Services,
  known: Caller,
  credentials: Credentials,
  journey: RequestOrigin,
  presume: Presume = () => undefined,
): Promise<Caller> {
  if (known.kind !== 'wallet') return resolveCaller(services, credentials, journey, presume);
  presume(known.principal.id);
  return { ...known, ...(await walletIdentity(services, known.address, journey)) };
}

function bearerOf(authorization: string): string {
  const match = /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization.trim());
  if (match === null) throw new ServiceError('INVALID_AUTH', { details: { reason: 'not_a_bearer' } });
  return match[1]!;
}

async function resolveBearer(services: Services, bearer: string, presume: Presume): Promise<Caller> {
  const hash = delegateTokenHash(bearer);
  if (hash !== undefined) return resolveDelegate(services, hash);
  const issuerHash = issuerKeyHash(bearer);
  if (issuerHash !== undefined) return resolveIssuer(services, issuerHash);
  const typ = typOf(bearer);
  if (typ === ciTyp) return resolveWorkflow(services, bearer);
  if (typ !== undefined && isSessionTyp(typ)) return resolveSession(services, bearer, typ, presume);
  return resolveProjectKey(services, bearer);
}

/** Types by the headers of tokens: few, and no secret. Only of tokens with a type, so that no broken one spoils another. */
const typs = new Lru<string>({ entries: 256, bytes: 64 * 1024 });

function typOf(token: string): string | undefined {
  const [header = '', ...rest] = token.split('.', 4);
  // Any other number of parts is for the reader to judge.
  if (rest.length !== 2) return readTyp(token);
  let typ = typs.get(header);
  if (typ === undefined) {
    typ = readTyp(token);
    if (typ !== undefined) typs.set(header, typ, header.length * 4);
  }
  return typ;
}

function readTyp(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).typ;
  } catch {
    return undefined;
  }
}

async function resolveWallet(services: Services, header: string, journey: RequestOrigin): Promise<Caller> {
  const proof = await verifyWalletSignature(header, journey, services.now());
  const identity = await walletIdentity(services, proof.address, journey);
  let spent: Promise<void> | undefined;
  const spendNonce = () => {
    spent ??= spend(services, proof.address, proof.nonce);
    return spent;
  };
  return { kind: 'wallet', address: proof.address, ...identity, spendNonce };
}

async function walletIdentity(services: Services, address: string, { network }: RequestOrigin) {
  const { principal, authenticator, disabled } = await findOrCreateWalletPrincipal(services, address, network);
  if (disabled) throw new ServiceError('INVALID_AUTH', { details: { reason: 'disabled' } });
  return { principal, authenticator };
}

/** Nonces are remembered for ten minutes, longer than any signature is valid. */
async function spend(services: Services, address: string, nonce: string): Promise<void> {
  const fresh = await services.db.rows(spendStatement.with({ address, nonce }));
  if (fresh.length === 0) throw new ServiceError('INVALID_AUTH', { details: { reason: 'nonce_used' } });
}

const ofPrincipal = prefixed('principal.', pick(principals, 'id', 'type', 'displayName', 'createdAt'));

const principalOf = (row: RowOf<typeof ofPrincipal>): CallerPrincipal => ({
  id: row['principal.id'],
  type: row['principal.type'],
  displayName: row['principal.displayName'],
  createdAt: row['principal.createdAt'],
});

async function resolveSession(
  services: Services,
  bearer: string,
  typ: string,
  presume: Presume,
): Promise<SessionCaller> {
  const token = await readSessionToken(services.keys, bearer, typ, services.now());
  const refusal = typ.startsWith('svc.operator') ? 'OPERATOR_SESSION_INVALID' : 'INVALID_AUTH';
  if (token === undefined) throw new ServiceError(refusal);
  const looked = services.db.rows(
    sessionStatement.with({ id: token.sessionId, kind: token.kind, subject: token.subject }),
  );
  if (token.kind === 'control_plane') presume(token.subject);
  const [row] = await looked;
  if (row === undefined) throw new ServiceError(refusal);
  if (row.useIsDue) await noteUse(services, token.sessionId);
  return {
    kind: token.kind,
    principal: principalOf(row),
    authenticator: null,
    sessionId: token.sessionId,
    email: row.email,
    provenance: row.provenance,
    amrTimes: row.amrTimes,
    expiresAt: token.expiresAt,
    askedAt: row.askedAt,
  };
}

async function resolveDelegate(services: Services, hash: string): Promise<Caller> {
  const [row] = await services.db.rows(delegateStatement.with({ tokenHash: hash }));
  if (row === undefined) throw new ServiceError('INVALID_AUTH');
  return delegateOf(row, hash, row.expiresAt);
}

/** A workflow of CI acts as the delegate of its binding, for as long as that holds. */
async function resolveWorkflow(services: Services, bearer: string): Promise<Caller> {
  const token = await readCiToken(services.keys, bearer, services.now());
  if (token === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'ci_session_ended' } });
  const { bindingId, delegateId, expiresAt } = token;
  const [row] = await services.db.rows(workflowStatement.with({ bindingId, delegateId }));
  if (row === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'ci_binding_ended' } });
  return delegateOf(row, row.tokenHash!, expiresAt);
}

type DelegateRow = Omit<RowOf<typeof ofDelegate>, 'expiresAt'>;

function delegateOf(row: DelegateRow, hash: string, expiresAt: Date | null): Caller {
  return {
    kind: 'delegate',
    principal: principalOf(row),
    authenticator: { id: row.id, kind: row.kind, publicSubject: row.id },
    delegateId: row.id,
    tokenHash: hash,
    orgId: row.orgId,
    // A delegate narrows one grant, and a grant is on one project: a scope cannot name others.
    projectIds: (row.scope.projects ?? [row.projectId]).filter((id) => id === row.projectId),
    scope: row.scope,
    expiresAt,
  };
}

/** A disabled issuer is known: each operation refuses it by a code of its own. */
async function resolveIssuer(services: Services, keyHash: string): Promise<Caller> {
  const [row] = await services.db.rows(issuerStatement.with({ keyHash }));
  if (row === undefined) throw new ServiceError('INVALID_AUTH');
  return { kind: 'voucher_issuer', issuerId: row.id };
}

async function resolveProjectKey(services: Services, token: string): Promise<ProjectKeyCaller> {
  const key = await readProjectKey(services.keys, token, services.now());
  if (key === undefined) throw new ServiceError('INVALID_AUTH');
  const [[row], credential] = await Promise.all([
    services.db.rows(projectStatement.with({ id: key.projectId })),
    key.credentialId === undefined ? undefined : lookUpCredential(services, key.credentialId),
  ]);
  if (row === undefined) throw new ServiceError('INVALID_AUTH');
  // Whoever holds its key may know that the project was there.
  if (row.deleted)
    throw new ServiceError('INVALID_AUTH', { details: { reason: 'project_deleted', project_id: key.projectId } });
  if (!isCurrentKey(key, row.transferredAt))
    throw new ServiceError('INVALID_AUTH', { details: { reason: 'key_replaced' } });
  const { role, projectId, credentialId } = key;
  if (credentialId !== undefined) refuseEndedCredential(credential);
  const expiresAt = credential?.expiresAt ?? key.expiresAt;
  return { kind: 'project_key', role, projectId, orgId: row.orgId, credentialId, expiresAt };
}

const issuerStatement = statement(
  'identity.voucher-issuer',
  { params: pick(voucherIssuers, 'keyHash'), row: pick(voucherIssuers, 'id'), pipelined: true },
  ({ keyHash }, row) => sql`select ${row} from ${voucherIssuers} where ${voucherIssuers.keyHash} = ${keyHash}`,
);

const spendStatement = statement(
  'identity.nonce',
  { params: pick(walletNonces, 'address', 'nonce'), row: pick(walletNonces, 'nonce') },
  (given, row) => sql`${insertInto(walletNonces, { ...given, expiresAt: sql`now() + interval '10 minutes'` })}
    on conflict do nothing returning ${row}`,
);

const sessionStatement = statement(
  'identity.session',
  {
    params: { ...pick(sessions, 'id', 'kind'), subject: typed<string>('text') },
    row: {
      ...ofPrincipal,
      ...pick(sessions, 'email', 'provenance', 'amrTimes'),
      askedAt: computed<number>('double precision', sql`extract(epoch from now())::float8`),
      useIsDue: computed<boolean>('boolean', useIsDue()),
    },
    pipelined: true,
  },
  ({ id, kind, subject }, row) => sql`select ${row} from ${sessions}
    join ${principals} on ${principals.id} = ${sessions.principalId}
    where ${sessions.id} = ${id} and ${sessions.kind} = ${kind}
      and ${subject} = case ${sessions.kind} when 'operator' then ${sessions.email} else ${sessions.principalId} end
      and ${sessionStands()} and ${principals.disabledAt} is null`,
);

const ofDelegate = {
  ...ofPrincipal,
  ...pick(delegates, 'id', 'orgId', 'projectId', 'kind', 'scope', 'expiresAt'),
};

/** Delegates that hold, with what they hang on. */
const heldDelegates = sql`${delegates}
    join ${principals} on ${principals.id} = ${delegates.principalId}
    join ${projectGrants} on ${projectGrants.orgId} = ${delegates.orgId} and ${projectGrants.id} = ${delegates.grantId}
    join ${projects} on ${projects.orgId} = ${delegates.orgId} and ${projects.id} = ${delegates.projectId}
      and ${grantHolds(delegates)} and ${grantHolds(projectGrants)}
      and ${projects.deletedAt} is null and ${principals.disabledAt} is null`;

const delegateStatement = statement(
  'identity.delegate',
  { params: { tokenHash: typed<string>('text') }, row: ofDelegate, pipelined: true },
  // The place of a hash is taken by a name in delegates of CI, which are found by their binding alone.
  ({ tokenHash }, row) => sql`select ${row} from ${heldDelegates} where ${delegates.tokenHash} = ${tokenHash}`,
);

const workflowStatement = statement(
  'identity.workflow',
  {
    params: { bindingId: ciBindings.id, delegateId: ciBindings.delegateId },
    row: { ...ofDelegate, ...pick(delegates, 'tokenHash') },
    pipelined: true,
  },
  ({ bindingId, delegateId }, row) => sql`select ${row} from ${heldDelegates}
    join ${ciBindings} on ${ciBindings.delegateId} = ${delegates.id} and ${ciBindings.orgId} = ${delegates.orgId}
    where ${ciBindings.id} = ${bindingId} and ${ciBindings.delegateId} = ${delegateId} and ${grantHolds(ciBindings)}`,
);

const projectStatement = statement(
  'identity.project',
  {
    params: pick(projects, 'id'),
    row: {
      ...pick(projects, 'orgId', 'transferredAt'),
      deleted: computed<boolean>('boolean', sql`${projects.deletedAt} is not null`),
    },
    pipelined: true,
  },
  ({ id }, row) => sql`select ${row} from ${projects} where ${projects.id} = ${id}`,
);
