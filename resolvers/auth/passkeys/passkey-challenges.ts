import { randomBytes } from 'node:crypto';
import { sql } from '../../../db/drizzle.ts';
import { type Answer, asKept, jsonObject, toJson } from '../../../db/json.ts';
import { passkeyChallenges as asked } from '../../../db/project-schema/auth.ts';
import { insertInto, pick, setOf } from '../../../db/sql.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { authRow, authStatement } from '../shared/auth-rows.ts';
import { swept } from '../swept.ts';

/** How long an authenticator is waited for, in minutes. Contract 01, section 3.9. */
export const passkeyMinutes = 5;

const challengeJson = jsonObject(asKept(pick(asked, 'id', 'challenge', 'rpId', 'origin', 'email')));

/** A ceremony that is under way. */
export type PasskeyChallenge = Answer<typeof challengeJson>;

/** What a ceremony is about. */
export interface Ceremony {
  readonly purpose: 'register' | 'login';
  readonly rpId: string;
  readonly origin: string;
  /** The session that registers a passkey. */
  readonly sessionId?: string;
  /** Whose sign-in it is to be. */
  readonly email?: string | undefined;
}

/** Makes a challenge. The statement is the same for every address, so that its time does not reveal who is a user. */
export async function beginChallenge(
  services: Services,
  target: ProjectTarget,
  { purpose, rpId, origin, sessionId, email }: Ceremony,
): Promise<{ readonly id: string; readonly bytes: Uint8Array<ArrayBuffer> }> {
  const bytes = new Uint8Array(randomBytes(32));
  const challenge = Buffer.from(bytes).toString('base64url');
  const begin = { purpose, challenge, rpId, origin, sessionId: sessionId ?? null, email: email ?? null };
  return { id: (await authRow(services, target, beginStatement.with(begin)))!, bytes };
}

/** Uses a challenge up, once however many answer it at once, and whether or not the answer is right. */
export const useChallenge = (
  services: Services,
  target: ProjectTarget,
  id: string,
  { purpose, sessionId }: Pick<Ceremony, 'purpose' | 'sessionId'>,
): Promise<PasskeyChallenge | undefined> =>
  authRow(services, target, useStatement.with({ id, purpose, sessionId: sessionId ?? null }));

const beginStatement = authStatement(
  'passkey_begin',
  { params: pick(asked, 'purpose', 'challenge', 'rpId', 'origin', 'sessionId', 'email'), answer: toJson(asked.id) },
  (given, answer) => sql`with ${swept(asked, sql`${asked.expiresAt}`)}
    ${insertInto(asked, {
      ...given,
      expiresAt: sql`now() + interval '${sql.raw(String(passkeyMinutes))} minutes'`,
    })}
    returning ${answer}`,
);

const useStatement = authStatement(
  'passkey_challenge_use',
  { params: pick(asked, 'id', 'purpose', 'sessionId'), answer: challengeJson },
  ({ id, purpose, sessionId }, answer) => sql`update ${asked} ${setOf(asked, { usedAt: sql`now()` })}
    where ${asked.id} = ${id} and ${asked.purpose} = ${purpose} and ${asked.sessionId} is not distinct from ${sessionId}
      and ${asked.usedAt} is null and ${asked.expiresAt} > now()
    returning ${answer}`,
);
