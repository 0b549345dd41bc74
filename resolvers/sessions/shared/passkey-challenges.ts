import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { invalidField, ServiceError } from '../../../core/errors.ts';
import { networkOf } from '../../../core/network-of.ts';
import { type SQL, sql } from '../../../db/drizzle.ts';
import { authenticators, principals } from '../../../db/schema/identity.ts';
import { ceremonyChallenges, passkeys } from '../../../db/schema/sign-in-flows.ts';
import { computed, insertInto, insertSelect, nameOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { passkeysPerUser, peopleThrottles, signInMinutes } from '../../../kernel/limits/limits.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { Assertion, Registration } from '../../auth/shared/passkeys/passkey-input.ts';
import {
  algorithms,
  checkAssertion,
  checkRegistration,
  type NewCredential,
  webauthn,
} from '../../auth/shared/passkeys/webauthn.ts';
import { countOfNetwork, countTry, forgetTries } from '../tries.ts';

export type Purpose =
  | 'sign_in'
  | 'operator_sign_in'
  | 'step_up'
  | 'enroll'
  | 'operator_enroll'
  | 'approve'
  | 'contact_enroll';

/** What browsers read as `options` of a ceremony: standard WebAuthn JSON. */
export const OptionsWire = z.object({ options: z.record(z.string(), z.unknown()) });
export type Options = z.output<typeof OptionsWire>;

/** What a ceremony is about. */
export interface Ceremony {
  readonly purpose: Purpose;
  /** The session that began it, and alone may end it. */
  readonly sessionId?: string | undefined;
  readonly principalId?: string | undefined;
  /** What it is about besides, such as the approval that is confirmed. */
  readonly subject?: string | undefined;
}

/** Who the passkeys are bound to: this server, under the name that browsers know it by. */
function relyingParty({ services, request }: Context): { readonly rpId: string; readonly origin: string } {
  const { hostname, origin } = new URL(services.settings.publicBaseUrl ?? request.baseUrl);
  return { rpId: hostname, origin };
}

async function begin(
  ctx: Context,
  { purpose, sessionId, principalId, subject }: Ceremony,
  rpId: string,
  origin: string,
) {
  const bytes = new Uint8Array(randomBytes(32));
  const challenge = Buffer.from(bytes).toString('base64url');
  const begun = {
    id: randomUUID(),
    challenge,
    purpose,
    rpId,
    origin,
    sessionId: sessionId ?? null,
    principalId: principalId ?? null,
    subject: subject ?? null,
    minutes: signInMinutes.passkey,
  };
  await ctx.services.db.rows(beginStatement.with(begun));
  return bytes;
}

/** The owner of a new passkey. */
export interface NewHolder {
  /** Told apart by authenticators, at most 64 bytes: another one for another use. */
  readonly handle: string;
  readonly name: string;
  readonly principalId: string;
}

/** Asks a browser for a new passkey. */
export async function askRegistration(ctx: Context, ceremony: Ceremony, holder: NewHolder): Promise<Options> {
  await countOfNetwork(ctx, peopleThrottles.passkeyOfNetwork, 'passkey-of-network');
  const { rpId, origin } = relyingParty(ctx);
  const known = await ctx.services.db.rows(knownStatement.with({ principalId: holder.principalId, rpId }));
  const bytes = await begin(ctx, ceremony, rpId, origin);
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: rpId,
    rpID: rpId,
    userID: new Uint8Array(Buffer.from(holder.handle)),
    userName: holder.name,
    userDisplayName: holder.name,
    challenge: bytes,
    timeout: signInMinutes.passkey * 60_000,
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  });
  return { options: { ...options } };
}

/** Asks a browser for the proof of a passkey; of anybody's when no principal is named. */
export async function askAssertion(ctx: Context, ceremony: Ceremony): Promise<Options & { readonly known: number }> {
  await countOfNetwork(ctx, peopleThrottles.passkeyOfNetwork, 'passkey-of-network');
  const { rpId, origin } = relyingParty(ctx);
  const known =
    ceremony.principalId === undefined
      ? []
      : await ctx.services.db.rows(signInKnownStatement.with({ principalId: ceremony.principalId, rpId }));
  const bytes = await begin(ctx, ceremony, rpId, origin);
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: rpId,
    challenge: bytes,
    timeout: signInMinutes.passkey * 60_000,
    userVerification: 'required',
    allowCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
  });
  return { options: { ...options }, known: known.length };
}

/** A passkey that an authenticator made, checked. */
export interface MadePasskey {
  readonly made: NewCredential;
  readonly rpId: string;
  readonly subject: string | null;
}

/**
 * Checks what an authenticator made. The challenge is used up, whether the answer is right or not: call it before the
 * transaction, as an operation's `prepare`.
 *
 * @throws VALIDATION_FAILED
 */
export async function checkMade(
  ctx: Context,
  response: Registration,
  { purpose, sessionId }: Pick<Ceremony, 'purpose' | 'sessionId'>,
): Promise<MadePasskey> {
  const challenge = await useChallenge(ctx, response.response.clientDataJSON, purpose, sessionId);
  const made = challenge === undefined ? undefined : await checkRegistration(response, challenge);
  if (made === undefined)
    throw invalidField('response', 'is not a passkey made for a challenge of the last five minutes, or it was used');
  return { made, rpId: challenge!.rp_id, subject: challenge!.subject };
}

/** A passkey that was shown. */
export interface Proof {
  readonly passkeyId: string;
  readonly principalId: string;
  readonly signCount: number;
  readonly subject: string | null;
}

/**
 * Checks what an authenticator signed. The challenge is used up, whether the answer is right or not, and tries are
 * counted: call it before the transaction, as an operation's `prepare`, and {@link noteProof} inside.
 *
 * @throws INVALID_AUTH, RATE_LIMITED
 */
export async function checkProof(
  ctx: Context,
  response: Assertion,
  { purpose, sessionId, principalId, subject }: Ceremony,
): Promise<Proof> {
  // By network, too: a stranger who knows the id of a passkey cannot lock its owner out.
  const tried = `${response.id} ${networkOf(ctx.request.address)}`;
  await countTry(ctx, peopleThrottles.passkey, 'passkey', tried);
  const challenge = await useChallenge(ctx, response.response.clientDataJSON, purpose, sessionId);
  const [passkey] = await ctx.services.db.rows(passkeyStatement.with({ credentialId: response.id }));
  if (challenge === undefined || passkey === undefined || passkey.rpId !== challenge.rp_id) throw noProof();
  if (subject !== undefined && challenge.subject !== subject) throw noProof();
  // A challenge for one person is good for that person alone.
  for (const whose of [challenge.principalId, principalId])
    if (whose != null && whose !== passkey.principalId) throw noProof();
  const known = { publicKey: Buffer.from(passkey.publicKey, 'base64url'), signCount: passkey.signCount };
  const proven = await checkAssertion(response, challenge, known);
  if (proven === undefined) throw noProof();
  await forgetTries(ctx, 'passkey', tried);
  return {
    passkeyId: passkey.id,
    principalId: passkey.principalId,
    signCount: proven.signCount,
    subject: challenge.subject,
  };
}

const noProof = () => new ServiceError('INVALID_AUTH', { details: { reason: 'passkey_invalid' } });

/** Notes that a passkey was shown, if it still is one: it may have been removed meanwhile. @throws INVALID_AUTH */
export async function noteProof(work: Work, { passkeyId, signCount }: Proof): Promise<void> {
  const [noted] = await work.rows(noteStatement.with({ id: passkeyId, signCount }));
  if (noted === undefined) throw noProof();
}

/** How a new passkey is kept. */
export interface KeptPasskey extends MadePasskey {
  readonly principalId: string;
  readonly use: 'sign_in' | 'contact';
  readonly label: string | undefined;
}

/** Keeps a new passkey, under the lock of its person. @throws PASSKEY_ALREADY_REGISTERED, QUOTA_EXCEEDED */
export async function keepPasskey(work: Work, { made, rpId, principalId, use, label }: KeptPasskey): Promise<string> {
  const [counted] = await work.rows(countStatement.with({ principalId }));
  if (counted!.count >= passkeysPerUser)
    throw new ServiceError('QUOTA_EXCEEDED', {
      message: `A person has at most ${passkeysPerUser} passkeys.`,
      details: { limit: passkeysPerUser },
    });
  const id = randomUUID();
  const passkey = keepStatement.with({
    id,
    principalId,
    use,
    credentialId: made.credentialId.toString('base64url'),
    publicKey: made.publicKey.toString('base64url'),
    signCount: made.signCount,
    rpId,
    transports: JSON.stringify(made.transports),
    deviceType: made.deviceType,
    backedUp: made.backedUp,
    label: label ?? null,
  });
  const [kept] = await work.rows(passkey);
  if (kept === undefined) throw new ServiceError('PASSKEY_ALREADY_REGISTERED');
  return id;
}

/** Passkeys that sign a person in. */
export async function passkeyCount({ rows }: { readonly rows: Work['rows'] }, principalId: string): Promise<number> {
  return (await rows(signInCountStatement.with({ principalId })))[0]!.count;
}

/** The challenge that an answer names; of those who race one has it. */
async function useChallenge(ctx: Context, clientDataJSON: string, purpose: Purpose, sessionId: string | undefined) {
  const named = challengeOf(clientDataJSON);
  if (named === undefined) return undefined;
  const [found] = await ctx.services.db.rows(
    useStatement.with({ challenge: named, purpose, sessionId: sessionId ?? null }),
  );
  return found;
}

function challengeOf(clientDataJSON: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge?: unknown };
    return typeof challenge === 'string' && challenge.length <= 128 ? challenge : undefined;
  } catch {
    return undefined;
  }
}

const beginStatement = statement(
  'passkeys.begin',
  {
    params: {
      ...pick(
        ceremonyChallenges,
        'id',
        'challenge',
        'purpose',
        'rpId',
        'origin',
        'sessionId',
        'principalId',
        'subject',
      ),
      minutes: typed<number>('integer'),
    },
  },
  ({ minutes, ...given }) =>
    insertInto(ceremonyChallenges, {
      ...given,
      expiresAt: sql`clock_timestamp() + make_interval(mins => ${minutes})`,
    }),
);

const useStatement = statement(
  'passkeys.use-challenge',
  {
    params: pick(ceremonyChallenges, 'challenge', 'purpose', 'sessionId'),
    row: {
      ...pick(ceremonyChallenges, 'id', 'challenge', 'origin', 'principalId', 'subject'),
      rp_id: ceremonyChallenges.rpId,
      email: computed<null>('text', sql`null`),
    },
  },
  ({ challenge, purpose, sessionId }, row) =>
    sql`update ${ceremonyChallenges} ${setOf(ceremonyChallenges, { usedAt: sql`clock_timestamp()` })}
      where ${ceremonyChallenges.challenge} = ${challenge} and ${ceremonyChallenges.purpose} = ${purpose}
        and ${ceremonyChallenges.sessionId} is not distinct from ${sessionId}
        and ${ceremonyChallenges.usedAt} is null and ${ceremonyChallenges.expiresAt} > clock_timestamp()
      returning ${row}`,
);

const signsIn = sql`${passkeys.use} = 'sign_in'`;
const ofPerson = pick(passkeys, 'principalId', 'rpId');
const known = pick(passkeys, 'credentialId', 'transports');
const isKnown = ({ principalId, rpId }: { readonly [Name in keyof typeof ofPerson]: SQL }): SQL =>
  sql`${passkeys.principalId} = ${principalId} and ${passkeys.rpId} = ${rpId} and ${passkeys.revokedAt} is null`;

const knownStatement = statement(
  'passkeys.known',
  { params: ofPerson, row: known },
  (given, row) => sql`select ${row} from ${passkeys} where ${isKnown(given)}`,
);

const signInKnownStatement = statement(
  'passkeys.known-sign-in',
  { params: ofPerson, row: known },
  (given, row) => sql`select ${row} from ${passkeys} where ${isKnown(given)} and ${signsIn}`,
);

const passkeyStatement = statement(
  'passkeys.find',
  {
    params: pick(passkeys, 'credentialId'),
    row: {
      ...pick(passkeys, 'id', 'principalId', 'publicKey', 'rpId'),
      signCount: computed<number>('double precision', sql`${passkeys.signCount}::float8`),
    },
  },
  ({ credentialId }, row) => sql`select ${row} from ${passkeys}
    join ${principals} on ${principals.id} = ${passkeys.principalId} and ${principals.disabledAt} is null
    where ${passkeys.credentialId} = ${credentialId} and ${signsIn} and ${passkeys.revokedAt} is null`,
);

// Of two answers with one count the second is a copy: an authenticator that counts never repeats itself.
const noteStatement = statement(
  'passkeys.note',
  { params: pick(passkeys, 'id', 'signCount'), row: pick(passkeys, 'id') },
  ({ id, signCount }, row) => sql`update ${passkeys}
    ${setOf(passkeys, { signCount, lastUsedAt: sql`clock_timestamp()` })}
    where ${passkeys.id} = ${id} and ${passkeys.revokedAt} is null
      and (${passkeys.signCount} < ${signCount} or (${signCount} = 0 and ${passkeys.signCount} = 0))
    returning ${row}`,
);

const counted = { count: computed<number>('integer', sql`count(*)::int`) };
const ofPrincipal = ({ principalId }: { readonly principalId: SQL }): SQL =>
  sql`${passkeys.principalId} = ${principalId} and ${passkeys.revokedAt} is null`;

const countStatement = statement(
  'passkeys.count',
  { params: pick(passkeys, 'principalId'), row: counted },
  (given, row) => sql`select ${row} from ${passkeys} where ${ofPrincipal(given)}`,
);

const signInCountStatement = statement(
  'passkeys.count-sign-in',
  { params: pick(passkeys, 'principalId'), row: counted },
  (given, row) => sql`select ${row} from ${passkeys} where ${ofPrincipal(given)} and ${signsIn}`,
);

const keepStatement = statement(
  'passkeys.keep',
  {
    params: {
      ...pick(passkeys, 'id', 'principalId', 'use', 'credentialId', 'publicKey', 'signCount', 'rpId', 'transports'),
      ...pick(passkeys, 'deviceType', 'backedUp', 'label'),
    },
    row: { id: computed<string>('uuid', sql`kept.id`) },
  },
  (given, row) => {
    const known = {
      id: sql`kept.id`,
      principalId: sql`kept.principal_id`,
      kind: sql`'passkey'`,
      publicSubject: sql`kept.credential_id`,
      verifiedAt: sql`clock_timestamp()`,
    };
    return sql`with kept as (
        ${insertInto(passkeys, { ...given, transports: sql`${given.transports}::jsonb` })}
        on conflict (${nameOf(passkeys.credentialId)}) do nothing
        returning ${passkeys.id}, ${passkeys.principalId}, ${passkeys.use}, ${passkeys.credentialId}
      ), known as (
        ${insertSelect(authenticators, known, sql`from kept where kept.use = 'sign_in'`)}
      )
      select ${row} from kept`;
  },
);
