import { sql } from '../../db/drizzle.ts';
import { type Answer, asKept, jsonObject, toJson } from '../../db/json.ts';
import { challenges, named, settings, users } from '../../db/project-schema/auth.ts';
import { computed, from, insertInto, pick, setOf, typed } from '../../db/sql.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Services } from '../../kernel/run/context.ts';
import { authRow, authStatement } from './shared/auth-rows.ts';
import { swept } from './swept.ts';

const c = named(challenges, 'c');

const challengeJson = jsonObject(
  asKept(pick(c, 'id', 'email', 'intent', 'delivery', 'redirectUrl', 'clientState', 'stateSource', 'createsUser')),
);

/** A way in that is sent by mail. Its `creates_user` says whether it makes a stranger a user, where the project takes strangers in. */
export type Challenge = Answer<typeof challengeJson>;

/** A challenge that is wanted; it takes strangers in unless told. */
export type NewChallenge = Omit<Challenge, 'id' | 'creates_user'> & Partial<Pick<Challenge, 'creates_user'>>;

/** How long a link or a code is good for, in minutes. Contract 01, section 3.6. */
export const challengeMinutes = 15;
/** Wrong codes that burn a challenge, its link included. */
export const attemptsMax = 5;

/** Makes a challenge that cannot be answered yet: link and code are made when the mail is written. @returns its id */
export async function createChallenge(
  services: Services,
  target: ProjectTarget,
  { email, intent, delivery, redirect_url, client_state, state_source, creates_user = true }: NewChallenge,
): Promise<string> {
  const create = createStatement.with({
    email,
    intent,
    delivery,
    redirectUrl: redirect_url,
    clientState: client_state,
    stateSource: state_source,
    createsUser: creates_user,
  });
  return (await authRow(services, target, create))!;
}

/**
 * Gives a challenge its link and code. Undefined when it is not to be sent: it is over, or the address is nobody's where
 * the project takes no strangers in.
 */
export function armChallenge(
  services: Services,
  target: ProjectTarget,
  id: string,
  hashes: { readonly link: string; readonly code: string },
): Promise<Challenge | undefined> {
  return authRow(services, target, armStatement.with({ id, ...hashes }));
}

/** Uses up the challenge of a link, once however many try at once; its code goes with it. */
export const useLink = (services: Services, target: ProjectTarget, linkHash: string): Promise<Challenge | undefined> =>
  authRow(services, target, linkStatement.with({ linkHash }));

/** Uses up a challenge by its code, or counts a wrong one against it. */
export async function useCode(
  services: Services,
  target: ProjectTarget,
  id: string,
  codeHashes: readonly string[],
): Promise<Challenge | undefined> {
  const tried = await authRow(services, target, codeStatement.with({ id, codeHashes: JSON.stringify(codeHashes) }));
  return tried?.right === true ? tried.challenge : undefined;
}

/** The latest challenge of an address that has a code, for callers that send the code alone. */
export const latestChallenge = (
  services: Services,
  target: ProjectTarget,
  email: string,
): Promise<string | undefined> => authRow(services, target, latestStatement.with({ email }));

const createStatement = authStatement(
  'challenge_create',
  {
    params: pick(challenges, 'email', 'intent', 'delivery', 'redirectUrl', 'clientState', 'stateSource', 'createsUser'),
    answer: toJson(challenges.id),
  },
  (given, answer) => sql`with ${swept(challenges, sql`${challenges.expiresAt}`, sql`now() - interval '1 day'`)}
    ${insertInto(challenges, {
      ...given,
      expiresAt: sql`now() + interval '${sql.raw(String(challengeMinutes))} minutes'`,
    })}
    returning ${answer}`,
);

/** A challenge is neither used nor past its time. */
const isOpen = sql`${c.usedAt} is null and ${c.expiresAt} > now()`;
/** Nor have wrong codes burnt it. */
const isWhole = sql`${isOpen} and ${c.attempts} < ${sql.raw(String(attemptsMax))}`;

const armStatement = authStatement(
  'challenge_arm',
  { params: { id: c.id, link: typed<string>('text'), code: typed<string>('text') }, answer: challengeJson },
  ({ id, link, code }, answer) => sql`update ${from(c)} ${setOf(challenges, {
    linkHash: sql`case when ${c.delivery} <> 'code' then ${link} end`,
    codeHash: sql`case when ${c.delivery} <> 'link' then ${code} end`,
  })}
    where ${c.id} = ${id} and ${isOpen}
      and (${c.createsUser} and (${c.stateSource} = 'service_key' and ${c.intent} = 'invite'
          or exists (select from ${settings} where ${settings.publicSignup} = 'open'))
        or exists (select from ${users} where ${users.email} = ${c.email}))
    returning ${answer}`,
);

const latestStatement = authStatement(
  'challenge_latest',
  { params: pick(challenges, 'email'), answer: toJson(challenges.id) },
  ({ email }, answer) => sql`select ${answer} from ${challenges}
    where ${challenges.email} = ${email} and ${challenges.codeHash} is not null
    order by ${challenges.createdAt} desc, ${challenges.id} limit 1`,
);

const linkStatement = authStatement(
  'challenge_link',
  { params: { linkHash: typed<string>('text') }, answer: challengeJson },
  ({ linkHash }, answer) => sql`update ${from(c)} ${setOf(challenges, { usedAt: sql`now()` })}
    where ${c.linkHash} = ${linkHash} and ${isWhole} returning ${answer}`,
);

const codeStatement = authStatement(
  'challenge_code',
  // One that was never mailed counts its tries like any other: else they would tell whose address is known.
  {
    params: { id: c.id, codeHashes: typed<string>('jsonb') },
    answer: jsonObject({
      right: computed<boolean>('boolean', sql`${c.usedAt} is not null`),
      challenge: challengeJson,
    }),
  },
  ({ id, codeHashes }, answer) => sql`update ${from(c)} ${setOf(challenges, {
    attempts: sql`${c.attempts} + 1`,
    usedAt: sql`case when ${codeHashes}::jsonb ? ${c.codeHash} then now() end`,
  })}
    where ${c.id} = ${id} and ${c.delivery} <> 'link' and ${isWhole}
    returning ${answer}`,
);
