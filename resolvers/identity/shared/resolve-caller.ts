import { decodeProtectedHeader } from 'jose';
import { ServiceError } from '../../../core/errors.ts';
import { sameSecret } from '../../../core/keys.ts';
import { Lru } from '../../../core/lru.ts';
import type { Statement } from '../../../db/pool.ts';
import type { DelegateScope } from '../../../db/schema/projects.ts';
import type { Caller, CallerPrincipal, ProjectKeyCaller, SessionCaller } from '../../../kernel/access/caller.ts';
import type { Credentials } from '../../../kernel/access/credentials.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { delegateTokenHash } from './delegate-token.ts';
import { readProjectKey } from './project-keys.ts';
import { noteUse, sessionStands, useIsDue } from './session-stands.ts';
import { isSessionTyp, readSessionToken } from './session-token.ts';
import { findOrCreateWalletPrincipal } from './wallet-principal.ts';
import { verifyWalletSignature } from './wallet-signature.ts';

/** Where a request was sent to, and where from. */
interface Journey {
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
  journey: Journey,
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
  journey: Journey,
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
  const typ = typOf(bearer);
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

async function resolveWallet(services: Services, header: string, journey: Journey): Promise<Caller> {
  const proof = await verifyWalletSignature(header, journey, services.now());
  const identity = await walletIdentity(services, proof.address, journey);
  let spent: Promise<void> | undefined;
  const spendNonce = () => {
    spent ??= spend(services, proof.address, proof.nonce);
    return spent;
  };
  return { kind: 'wallet', address: proof.address, ...identity, spendNonce };
}

async function walletIdentity(services: Services, address: string, { network }: Journey) {
  const { principal, authenticator, disabled } = await findOrCreateWalletPrincipal(services, address, network);
  if (disabled) throw new ServiceError('INVALID_AUTH', { details: { reason: 'disabled' } });
  return { principal, authenticator };
}

/** Nonces are remembered for ten minutes, longer than any signature is valid. */
async function spend(services: Services, address: string, nonce: string): Promise<void> {
  const fresh = await services.db.rows(spendStatement, [address, nonce]);
  if (fresh.length === 0) throw new ServiceError('INVALID_AUTH', { details: { reason: 'nonce_used' } });
}

interface PrincipalColumns {
  readonly principal_id: string;
  readonly type: CallerPrincipal['type'];
  readonly display_name: string | null;
  readonly principal_created_at: Date;
}

const principalOf = (row: PrincipalColumns): CallerPrincipal => ({
  id: row.principal_id,
  type: row.type,
  displayName: row.display_name,
  createdAt: row.principal_created_at,
});

interface SessionRow extends PrincipalColumns {
  readonly email: string | null;
  readonly provenance: string;
  readonly amr_times: Record<string, number>;
  readonly asked_at: number;
  readonly use_is_due: boolean;
}

async function resolveSession(
  services: Services,
  bearer: string,
  typ: string,
  presume: Presume,
): Promise<SessionCaller> {
  const token = await readSessionToken(services.keys, bearer, typ, services.now());
  const refusal = typ.startsWith('svc.operator') ? 'OPERATOR_SESSION_INVALID' : 'INVALID_AUTH';
  if (token === undefined) throw new ServiceError(refusal);
  const looked = services.db.rows<SessionRow>(sessionStatement, [token.sessionId, token.kind, token.subject]);
  if (token.kind === 'control_plane') presume(token.subject);
  const [row] = await looked;
  if (row === undefined) throw new ServiceError(refusal);
  if (row.use_is_due) await noteUse(services, token.sessionId);
  return {
    kind: token.kind,
    principal: principalOf(row),
    authenticator: null,
    sessionId: token.sessionId,
    email: row.email,
    provenance: row.provenance,
    amrTimes: row.amr_times,
    expiresAt: token.expiresAt,
    askedAt: row.asked_at,
  };
}

interface DelegateRow extends PrincipalColumns {
  readonly id: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly kind: string;
  readonly scope: DelegateScope;
  readonly expires_at: Date | null;
}

async function resolveDelegate(services: Services, hash: string): Promise<Caller> {
  const [row] = await services.db.rows<DelegateRow>(delegateStatement, [hash]);
  if (row === undefined) throw new ServiceError('INVALID_AUTH');
  return {
    kind: 'delegate',
    principal: principalOf(row),
    authenticator: { id: row.id, kind: row.kind, publicSubject: row.id },
    delegateId: row.id,
    tokenHash: hash,
    orgId: row.org_id,
    // A delegate narrows one grant, and a grant is on one project: a scope cannot name others.
    projectIds: (row.scope.projects ?? [row.project_id]).filter((id) => id === row.project_id),
    scope: row.scope,
    expiresAt: row.expires_at,
  };
}

interface ProjectKeyRow {
  readonly org_id: string;
  readonly deleted: boolean;
}

async function resolveProjectKey(services: Services, token: string): Promise<ProjectKeyCaller> {
  const key = await readProjectKey(services.keys, token, services.now());
  if (key === undefined) throw new ServiceError('INVALID_AUTH');
  const [row] = await services.db.rows<ProjectKeyRow>(projectStatement, [key.projectId]);
  if (row === undefined) throw new ServiceError('INVALID_AUTH');
  // Whoever holds its key may know that the project was there.
  if (row.deleted)
    throw new ServiceError('INVALID_AUTH', { details: { reason: 'project_deleted', project_id: key.projectId } });
  return { kind: 'project_key', role: key.role, projectId: key.projectId, orgId: row.org_id };
}

const spendStatement: Statement = {
  name: 'identity.nonce',
  text: `insert into wallet_nonces (address, nonce, expires_at) values ($1, $2, now() + interval '10 minutes')
    on conflict do nothing returning 1 as fresh`,
};

const principalColumns = `p.id as principal_id, p.type, p.display_name, p.created_at as principal_created_at`;

const sessionStatement: Statement = {
  name: 'identity.session',
  pipelined: true,
  text: `select ${principalColumns}, s.email, s.provenance, s.amr_times, extract(epoch from now())::float8 as asked_at,
      ${useIsDue('s')} as use_is_due
    from sessions s join principals p on p.id = s.principal_id
    where s.id = $1 and s.kind = $2 and $3 = case s.kind when 'operator' then s.email else s.principal_id end
      and ${sessionStands('s')} and p.disabled_at is null`,
};

const delegateStatement: Statement = {
  name: 'identity.delegate',
  pipelined: true,
  text: `select ${principalColumns}, d.id, d.org_id, d.project_id, d.kind, d.scope, d.expires_at
    from delegates d
    join principals p on p.id = d.principal_id
    join project_grants g on g.org_id = d.org_id and g.id = d.grant_id
    join projects j on j.org_id = d.org_id and j.id = d.project_id
    where d.token_hash = $1 and d.revoked_at is null and (d.expires_at is null or d.expires_at > now())
      and g.revoked_at is null and (g.expires_at is null or g.expires_at > now())
      and j.deleted_at is null and p.disabled_at is null`,
};

const projectStatement: Statement = {
  name: 'identity.project',
  pipelined: true,
  text: 'select org_id, deleted_at is not null as deleted from projects where id = $1',
};
