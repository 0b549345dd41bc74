import type { ProjectTarget } from '../../kernel/access/addressed-project.ts';
import type { Services } from '../../kernel/run/context.ts';
import { type AuthStatement, authRow } from './shared/auth-rows.ts';

export const intents = ['signin', 'invite', 'claim', 'recovery'] as const;
export const deliveries = ['link', 'code', 'both'] as const;

/** A way in that is sent by mail. */
export interface Challenge {
  readonly id: string;
  readonly email: string;
  readonly intent: (typeof intents)[number];
  readonly delivery: (typeof deliveries)[number];
  readonly redirect_url: string | null;
  readonly client_state: string | null;
  readonly state_source: 'anonymous' | 'service_key';
  /** Whether a stranger becomes a user by it, where the project takes strangers in. */
  readonly creates_user: boolean;
}

/** A challenge that is wanted; it takes strangers in unless told. */
export type NewChallenge = Omit<Challenge, 'id' | 'creates_user'> & Partial<Pick<Challenge, 'creates_user'>>;

/** How long a link or a code is good for, in minutes. Contract 01, section 3.6. */
export const challengeMinutes = 15;
/** Wrong codes that burn a challenge, its link included. */
export const attemptsMax = 5;

/** Makes a challenge that nobody can answer yet: link and code are made when the mail is written. @returns its id */
export async function createChallenge(
  services: Services,
  target: ProjectTarget,
  { email, intent, delivery, redirect_url, client_state, state_source, creates_user = true }: NewChallenge,
): Promise<string> {
  const values = [email, intent, delivery, redirect_url, client_state, state_source, creates_user];
  return (await authRow<string>(services, target, createStatement, values))!;
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
  return authRow<Challenge>(services, target, armStatement, [id, hashes.link, hashes.code]);
}

/** Uses up the challenge of a link, once however many try at once; its code goes with it. */
export const useLink = (services: Services, target: ProjectTarget, linkHash: string): Promise<Challenge | undefined> =>
  authRow<Challenge>(services, target, linkStatement, [linkHash, attemptsMax]);

/** Uses up a challenge by its code, or counts a wrong one against it. */
export async function useCode(
  services: Services,
  target: ProjectTarget,
  id: string,
  codeHashes: readonly string[],
): Promise<Challenge | undefined> {
  const tried = await authRow<{ right: boolean; challenge: Challenge }>(services, target, codeStatement, [
    id,
    codeHashes,
    attemptsMax,
  ]);
  return tried?.right === true ? tried.challenge : undefined;
}

/** The latest challenge of an address that has a code, for who is asked for the code alone. */
export const latestChallenge = (
  services: Services,
  target: ProjectTarget,
  email: string,
): Promise<string | undefined> => authRow<string>(services, target, latestStatement, [email]);

const challengeJson = `json_build_object('id', c.id, 'email', c.email, 'intent', c.intent, 'delivery', c.delivery,
  'redirect_url', c.redirect_url, 'client_state', c.client_state, 'state_source', c.state_source, 'creates_user', c.creates_user)`;

const createStatement: AuthStatement = {
  name: 'challenge_create',
  text: `with swept as (
      delete from auth.challenges where id in (
        select id from auth.challenges where expires_at < now() - interval '1 day'
        order by expires_at limit 10 for update skip locked)
    )
    insert into auth.challenges (email, intent, delivery, redirect_url, client_state, state_source, creates_user, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7::boolean, now() + interval '${challengeMinutes} minutes')
    returning to_json(id)`,
};

const armStatement: AuthStatement = {
  name: 'challenge_arm',
  text: `update auth.challenges c set
      link_hash = case when delivery <> 'code' then $2 end, code_hash = case when delivery <> 'link' then $3 end
    where id = $1::uuid and used_at is null and expires_at > now()
      and (creates_user and (state_source = 'service_key' and intent = 'invite'
          or exists (select from auth.settings where public_signup = 'open'))
        or exists (select from auth.users u where u.email = c.email))
    returning ${challengeJson}`,
};

const latestStatement: AuthStatement = {
  name: 'challenge_latest',
  text: `select to_json(id) from auth.challenges where email = $1 and code_hash is not null
    order by created_at desc, id limit 1`,
};

const linkStatement: AuthStatement = {
  name: 'challenge_link',
  text: `update auth.challenges c set used_at = now()
    where link_hash = $1 and used_at is null and expires_at > now() and attempts < $2::int
    returning ${challengeJson}`,
};

const codeStatement: AuthStatement = {
  name: 'challenge_code',
  // One that was never mailed counts its tries like any other: else they would tell whose address is known.
  text: `update auth.challenges c set attempts = attempts + 1, used_at = case when $2::jsonb ? code_hash then now() end
    where id = $1::uuid and delivery <> 'link' and used_at is null and expires_at > now()
      and attempts < $3::int
    returning json_build_object('right', c.used_at is not null, 'challenge', ${challengeJson})`,
};
