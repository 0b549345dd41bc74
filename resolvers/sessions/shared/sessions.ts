import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sha256Hex } from '../../../core/keys.ts';
import { type SQL, sql } from '../../../db/drizzle.ts';
import { authenticators, sessions } from '../../../db/schema/identity.ts';
import { operatorContacts } from '../../../db/schema/operator-contacts.ts';
import { insertSelect, pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { PrincipalBacked } from '../../../kernel/access/caller.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { AuditEntry } from '../../../kernel/run/operation.ts';
import { accessSeconds, type SessionKind, signSessionToken } from '../../identity/shared/session-token.ts';
import { lockPerson } from '../people.ts';

/** How a person proved who they are. Each method is kept with the second of its last proof. Contract 01, section 1.8. */
export type Method = 'email' | 'passkey' | 'recovery_code' | `oauth_${string}`;

/** How a session came to be. */
export type Provenance = 'email' | 'passkey' | 'oauth' | 'recovery_code' | 'loopback_pkce' | 'device';

export interface NewSession {
  readonly kind: SessionKind;
  readonly principalId: string;
  /** The verified address that it goes by; an operator session has one. */
  readonly email: string | null;
  readonly provenance: Provenance;
  /** What was proven just now, or what another session had proven and when. */
  readonly proven: Method | Readonly<Record<string, number>>;
  /** The authenticators it was proven by, with which it ends; null for one that came before they were noted. */
  readonly provenBy: readonly string[] | null;
  /** What it is used from, in words for its person. */
  readonly client?: string | null;
}

/** A session with its bearer. */
export interface MintedSession {
  readonly id: string;
  readonly kind: SessionKind;
  readonly principalId: string;
  readonly email: string | null;
  readonly provenance: string;
  readonly amrTimes: Readonly<Record<string, number>>;
  readonly token: string;
  readonly absoluteExpiresAt: Date;
  /** Wallets that the person answers for; of operator sessions alone. */
  readonly wallets: readonly string[];
}

/**
 * Begins a session, in the transaction of the proof that it rests on.
 *
 * @throws INVALID_AUTH when an authenticator that it rests on was removed meanwhile
 */
export async function mintSession(work: Work, session: NewSession) {
  const { kind, principalId, email, provenance, proven, provenBy, client } = session;
  // A removal of the authenticator waits, or is done: a session that began by it ends with it.
  await lockPerson(work, principalId);
  const id = work.services.newId('ses');
  const [method, times] = typeof proven === 'string' ? [proven, null] : [null, JSON.stringify(proven)];
  const minted = { id, kind, principalId, email, provenance, method, times, provenBy, client: client ?? null };
  const [row] = await work.rows(insertStatement.with(minted));
  if (row === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'authenticator_removed' } });
  const { amrTimes, absoluteExpiresAt } = row;
  const token = await bearerOf(work, { id, kind, principalId, email, provenance, amrTimes });
  const wallets = kind === 'operator' ? await walletsOf(work, principalId, email) : [];
  return { id, kind, principalId, email, provenance, amrTimes, absoluteExpiresAt, token, wallets } as MintedSession;
}

/** Signs a bearer for a session that has not ended. */
export const bearerOf = (
  { services }: Pick<Context, 'services'>,
  {
    kind,
    principalId,
    email,
    ...session
  }: Pick<MintedSession, 'id' | 'kind' | 'principalId' | 'email' | 'provenance' | 'amrTimes'>,
): Promise<string> =>
  signSessionToken(
    services.keys,
    { ...session, kind, subject: kind === 'operator' ? email! : principalId },
    services.now(),
  );

/** Wallets that a person answers for: its own, and those whose contact it is by this address. */
export async function walletsOf(
  { rows }: { readonly rows: Work['rows'] },
  principalId: string,
  email: string | null,
): Promise<string[]> {
  const found = await rows(walletsStatement.with({ principal: principalId, email }));
  return found.map(({ wallet }) => wallet);
}

/** Contract 01, section 1.8. */
export const controlPlaneTokenShape = {
  control_plane_session_token: z.string().meta({ secret: true }),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  provenance: z.string(),
  principal_id: z.string(),
  amr: z.array(z.string()),
};
export const ControlPlaneTokenWire = z.object(controlPlaneTokenShape).meta({ id: 'ControlPlaneToken' });

export const controlPlaneTokenToWire = ({ token, provenance, principalId, amrTimes }: MintedSession) => ({
  control_plane_session_token: token,
  token_type: 'Bearer' as const,
  expires_in: accessSeconds.control_plane,
  provenance,
  principal_id: principalId,
  amr: Object.keys(amrTimes),
});

/** Contract 01, section 5.13. */
export const OperatorTokenWire = z
  .object({
    operator_session_token: z.string().meta({ secret: true }),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    absolute_expires_at: z.iso.datetime(),
    email: z.string(),
    wallets: z.array(z.string()),
  })
  .meta({ id: 'OperatorToken' });

export const operatorTokenToWire = ({ token, absoluteExpiresAt, email, wallets }: MintedSession) => ({
  operator_session_token: token,
  token_type: 'Bearer' as const,
  expires_in: accessSeconds.operator,
  absolute_expires_at: absoluteExpiresAt.toISOString(),
  email: email!,
  wallets: [...wallets],
});

/** The audit entry of a sign-in. There is no caller yet, so the entry names the principal itself. */
export const sessionBegun = ({ id, kind, principalId, provenance }: MintedSession): AuditEntry => ({
  action: 'session.begun',
  object: { kind: 'session', id },
  details: { kind, provenance, principal_id: principalId },
});

/** Gives a session a cookie: its secret is kept as a digest, and an earlier cookie is invalid from then on. */
export async function openCookie(work: Work, sessionId: string, browser: string | null): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await work.rows(cookieStatement.with({ id: sessionId, secretHash: sha256Hex(secret), client: browser }));
  return secret;
}

/**
 * The authenticators that a session rests on once one more is among them. Those of a session for which none were noted
 * stay unknown: it ends with any.
 */
export const restingAlsoOn = (authenticator: SQL): SQL =>
  sql`case when ${sessions.provenBy} is not null
    then array_append(array_remove(${sessions.provenBy}, ${authenticator}), ${authenticator}) end`;

const insertStatement = statement(
  'sessions.mint-session',
  {
    params: {
      ...pick(sessions, 'id', 'kind', 'principalId', 'email', 'provenance', 'client'),
      method: typed<string | null>('text'),
      times: typed<string | null>('jsonb'),
      provenBy: typed<readonly string[] | null>('text[]'),
    },
    row: pick(sessions, 'amrTimes', 'absoluteExpiresAt'),
  },
  ({ method, times, provenBy, ...given }, row) => {
    const now = sql`clock_timestamp()`;
    const proven = sql`jsonb_build_object(${method}::text, floor(extract(epoch from ${now}))::bigint)`;
    const values = {
      ...given,
      amrTimes: sql`coalesce(${times}::jsonb, ${proven})`,
      provenBy: sql`${provenBy}::text[]`,
      lastUsedAt: now,
      absoluteExpiresAt: sql`${now} + interval '12 hours'`,
    };
    const allStand = sql`where not exists (
      select from ${authenticators}
      where ${authenticators.id}::text = any(${provenBy}::text[]) and ${authenticators.revokedAt} is not null)`;
    return sql`${insertSelect(sessions, values, allStand)} returning ${row}`;
  },
);

/** The principals whose things a caller may look at: itself and, of an operator, those whose contact its address is. */
export const lookedFor = (caller: PrincipalBacked) => ({
  principal: caller.principal.id,
  email: caller.kind === 'operator' ? caller.email : null,
});

/** The parameters of {@link answeredFor}. */
export const answering = { principal: typed<string>('text'), email: typed<string | null>('text') };

/** Principals whose notices go to a verified address, besides one itself, as a subquery. */
export const answeredFor = ({ principal, email }: { readonly [Name in keyof typeof answering]: SQL }): SQL =>
  sql`select ${principal}::text union select ${operatorContacts.principalId} from ${operatorContacts}
    where ${operatorContacts.email} = ${email} and ${operatorContacts.emailVerifiedAt} is not null`;

const walletsStatement = statement(
  'sessions.wallets',
  { params: answering, row: { wallet: authenticators.publicSubject } },
  (given, row) => sql`select distinct ${row} from ${authenticators}
    where ${authenticators.kind} = 'wallet' and ${authenticators.verifiedAt} is not null
      and ${authenticators.revokedAt} is null and ${authenticators.principalId} in (${answeredFor(given)}) order by 1`,
);

const cookieStatement = statement(
  'sessions.open-cookie',
  { params: pick(sessions, 'id', 'secretHash', 'client') },
  ({ id, secretHash, client }) =>
    sql`update ${sessions} ${setOf(sessions, { secretHash, client: sql`coalesce(${client}, ${sessions.client})` })}
      where ${sessions.id} = ${id} and ${sessions.revokedAt} is null`,
);
