import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { invalidField, ServiceError } from '../../../core/errors.ts';
import { networkOf } from '../../../core/network-of.ts';
import type { Statement } from '../../../db/pool.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { ceremonyMinutes, ceremonyThrottles, passkeysPerUser } from '../../../kernel/limits/limits.ts';
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

interface Challenge {
  readonly id: string;
  readonly challenge: string;
  readonly rp_id: string;
  readonly origin: string;
  readonly email: null;
  readonly principalId: string | null;
  readonly subject: string | null;
}

interface Known {
  readonly credentialId: string;
  readonly transports: string[];
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
  const values = [randomUUID(), challenge, purpose, rpId, origin, sessionId ?? null, principalId ?? null];
  await ctx.services.db.rows(beginStatement, [...values, subject ?? null, ceremonyMinutes.passkey]);
  return bytes;
}

/** Whoever is to be known by a new passkey. */
export interface NewHolder {
  /** Told apart by authenticators, at most 64 bytes: another one for another use. */
  readonly handle: string;
  readonly name: string;
  readonly principalId: string;
}

/** Asks a browser for a new passkey. */
export async function askRegistration(ctx: Context, ceremony: Ceremony, holder: NewHolder): Promise<Options> {
  await countOfNetwork(ctx, ceremonyThrottles.passkeyOfNetwork, 'passkey-of-network');
  const { rpId, origin } = relyingParty(ctx);
  const known = await ctx.services.db.rows<Known>(knownStatement, [holder.principalId, rpId]);
  const bytes = await begin(ctx, ceremony, rpId, origin);
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: rpId,
    rpID: rpId,
    userID: new Uint8Array(Buffer.from(holder.handle)),
    userName: holder.name,
    userDisplayName: holder.name,
    challenge: bytes,
    timeout: ceremonyMinutes.passkey * 60_000,
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  });
  return { options: { ...options } };
}

/** Asks a browser for the proof of a passkey; of anybody's when no principal is named. */
export async function askAssertion(ctx: Context, ceremony: Ceremony): Promise<Options & { readonly known: number }> {
  await countOfNetwork(ctx, ceremonyThrottles.passkeyOfNetwork, 'passkey-of-network');
  const { rpId, origin } = relyingParty(ctx);
  const known =
    ceremony.principalId === undefined
      ? []
      : await ctx.services.db.rows<Known>(signInKnownStatement, [ceremony.principalId, rpId]);
  const bytes = await begin(ctx, ceremony, rpId, origin);
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: rpId,
    challenge: bytes,
    timeout: ceremonyMinutes.passkey * 60_000,
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

interface PasskeyRow {
  readonly id: string;
  readonly principalId: string;
  readonly publicKey: string;
  readonly signCount: number;
  readonly rpId: string;
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
  // By network, too: whoever knows the id of somebody's passkey cannot lock that person out.
  const tried = `${response.id} ${networkOf(ctx.request.address)}`;
  await countTry(ctx, ceremonyThrottles.passkey, 'passkey', tried);
  const challenge = await useChallenge(ctx, response.response.clientDataJSON, purpose, sessionId);
  const [passkey] = await ctx.services.db.rows<PasskeyRow>(passkeyStatement, [response.id]);
  if (challenge === undefined || passkey === undefined || passkey.rpId !== challenge.rp_id) throw noProof();
  if (subject !== undefined && challenge.subject !== subject) throw noProof();
  // A ceremony that was begun for somebody is that somebody's alone.
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
  const [noted] = await work.rows(noteStatement, [passkeyId, signCount]);
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
  const [{ count }] = (await work.rows<{ count: number }>(countStatement, [principalId])) as [{ count: number }];
  if (count >= passkeysPerUser)
    throw new ServiceError('QUOTA_EXCEEDED', {
      message: `A person has at most ${passkeysPerUser} passkeys.`,
      details: { limit: passkeysPerUser },
    });
  const id = randomUUID();
  const [kept] = await work.rows(keepStatement, [
    id,
    principalId,
    use,
    made.credentialId.toString('base64url'),
    made.publicKey.toString('base64url'),
    made.signCount,
    rpId,
    JSON.stringify(made.transports),
    made.deviceType,
    made.backedUp,
    label ?? null,
  ]);
  if (kept === undefined) throw new ServiceError('PASSKEY_ALREADY_REGISTERED');
  return id;
}

/** Passkeys that sign a person in. */
export async function passkeyCount({ rows }: { readonly rows: Work['rows'] }, principalId: string): Promise<number> {
  return (await rows<{ count: number }>(signInCountStatement, [principalId]))[0]!.count;
}

/** The challenge that an answer names; of those who race one has it. */
async function useChallenge(ctx: Context, clientDataJSON: string, purpose: Purpose, sessionId: string | undefined) {
  const named = challengeOf(clientDataJSON);
  if (named === undefined) return undefined;
  const [found] = await ctx.services.db.rows<Challenge>(useStatement, [named, purpose, sessionId ?? null]);
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

const beginStatement: Statement = {
  name: 'passkeys.begin',
  text: `insert into ceremony_challenges
      (id, challenge, purpose, rp_id, origin, session_id, principal_id, subject, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp() + make_interval(mins => $9))`,
};

const useStatement: Statement = {
  name: 'passkeys.use-challenge',
  text: `update ceremony_challenges set used_at = clock_timestamp()
    where challenge = $1 and purpose = $2 and session_id is not distinct from $3
      and used_at is null and expires_at > clock_timestamp()
    returning id, challenge, rp_id, origin, null as email, principal_id as "principalId", subject`,
};

const knownStatement: Statement = {
  name: 'passkeys.known',
  text: `select credential_id as "credentialId", transports from passkeys
    where principal_id = $1 and rp_id = $2 and revoked_at is null`,
};

const signInKnownStatement: Statement = {
  name: 'passkeys.known-sign-in',
  text: `${knownStatement.text} and use = 'sign_in'`,
};

const passkeyStatement: Statement = {
  name: 'passkeys.find',
  text: `select k.id, k.principal_id as "principalId", k.public_key as "publicKey", k.sign_count::float8 as "signCount",
      k.rp_id as "rpId"
    from passkeys k join principals p on p.id = k.principal_id and p.disabled_at is null
    where k.credential_id = $1 and k.use = 'sign_in' and k.revoked_at is null`,
};

// Of two answers with one count the second is a copy: an authenticator that counts never repeats itself.
const noteStatement: Statement = {
  name: 'passkeys.note',
  text: `update passkeys set sign_count = $2, last_used_at = clock_timestamp()
    where id = $1 and revoked_at is null and (sign_count < $2 or ($2 = 0 and sign_count = 0)) returning 1 as noted`,
};

const countStatement: Statement = {
  name: 'passkeys.count',
  text: 'select count(*)::int as count from passkeys where principal_id = $1 and revoked_at is null',
};

const signInCountStatement: Statement = {
  name: 'passkeys.count-sign-in',
  text: `${countStatement.text} and use = 'sign_in'`,
};

const keepStatement: Statement = {
  name: 'passkeys.keep',
  text: `with kept as (
      insert into passkeys (id, principal_id, use, credential_id, public_key, sign_count, rp_id, transports, device_type,
        backed_up, label)
      values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11)
      on conflict (credential_id) do nothing returning id, principal_id, use, credential_id
    ), known as (
      insert into authenticators (id, principal_id, kind, public_subject, verified_at)
      select id, principal_id, 'passkey', credential_id, clock_timestamp() from kept where use = 'sign_in'
    )
    select id from kept`,
};
