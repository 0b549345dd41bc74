import { sha256Hex } from '../../core/keys.ts';
import { networkOf } from '../../core/network-of.ts';
import type { ProjectTarget } from '../../kernel/access/addressed-project.ts';
import type { Throttle } from '../../kernel/limits/limits.ts';
import { assertWithinRate } from '../../kernel/limits/rate-limit.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { type AuthStatement, authRow, authRows } from './shared/auth-rows.ts';
import type { ProjectCaller } from './shared/authenticate-project.ts';

// A subject may be the address of somebody who is no user here: it is kept as a digest.
const keyOf = (kind: string, subject: string) => `${kind}:${sha256Hex(subject)}`;

/** How long a network is known from which a user has signed in, in days. */
const knownDays = 30;

/**
 * How many counts the known networks of an address share: who has ever signed in with it, from however many networks,
 * has so many times the tries of a stranger and no more.
 */
const knownShares = 8;

/** A try that was counted. */
export interface Counted {
  /** What it was counted under. */
  readonly key: string;
  /** Whether that is for the tries of known networks. */
  readonly known: boolean;
}

/** A count of its own for who is known. */
interface Apart {
  /** Stands while its owner is known. */
  readonly mark: string;
  readonly key: string;
  /** The address that it is known for. */
  readonly email: string;
  /** Whether it has to have been known for it since the address was proven. */
  readonly proven: boolean;
}

/**
 * Counts a try, before it is made, so that tries in parallel count like tries in a row.
 *
 * @throws RATE_LIMITED until the window ends that the first try began
 */
export const countTry = (
  services: Services,
  target: ProjectTarget,
  throttle: Throttle,
  kind: string,
  subject = '',
): Promise<Counted> => count(services, target, throttle, keyOf(kind, subject));

async function count(
  services: Services,
  target: ProjectTarget,
  { times, seconds }: Throttle,
  key: string,
  apart?: Apart,
): Promise<Counted> {
  const { mark = null, key: own = null, email = null, proven = true } = apart ?? {};
  const values = [key, seconds, mark, own, email, proven];
  const row = await authRow<{ key: string; count: number; wait: number }>(services, target, countStatement, values);
  if (row!.count > times) assertWithinRate(Math.max(1, row!.wait));
  return { key: row!.key, known: row!.key !== key };
}

type Asking = Pick<Context, 'services' | 'request'> & ProjectCaller;

/** The service key speaks for many users, from wherever its holder is. */
const placeOf = ({ request, keyRole }: Asking, email: string): string | undefined =>
  keyRole === 'service_role' ? undefined : `${email} ${networkOf(request.address)}`;

const markOf = (place: string) => keyOf('network', place);

/** Which of its address's counts a network has. */
const shareOf = (place: string) => Number.parseInt(sha256Hex(place).slice(0, 8), 16) % knownShares;

/**
 * Counts a try for an address of mail. A network from which its user has signed in of late is counted apart: who only
 * knows the address uses up the tries of strangers, and never those of its owner. Who signed in before the address was
 * proven is a stranger from then on; for mails, which go to whoever has the address, before as well.
 *
 * @throws RATE_LIMITED
 */
export function countForAddress(
  ctx: Asking,
  throttle: Throttle,
  kind: 'password' | 'mail',
  email: string,
): Promise<Counted> {
  const place = placeOf(ctx, email);
  const apart =
    place === undefined
      ? undefined
      : { mark: markOf(place), key: keyOf(kind, `${email} ${shareOf(place)}`), email, proven: kind === 'mail' };
  return count(ctx.services, ctx.target, throttle, keyOf(kind, email), apart);
}

/**
 * Notes that the user of an address has signed in: its network is known from then on.
 *
 * @param counted the try that it was, which is forgotten with those before it
 */
export async function noteSignIn(ctx: Asking, email: string, counted?: Counted): Promise<void> {
  const place = placeOf(ctx, email);
  const values = [counted?.key ?? null, place === undefined ? null : markOf(place), knownDays, email];
  await authRows(ctx.services, ctx.target, noteStatement, values);
}

/** Counts a try of the network that it comes from; as {@link countTry}. The service key speaks for many users. */
export async function countOfNetwork(
  { services, request, target, keyRole }: Asking,
  throttle: Throttle,
  kind: string,
): Promise<Counted | undefined> {
  if (keyRole === 'service_role') return undefined;
  return countTry(services, target, throttle, kind, networkOf(request.address));
}

/** Takes back one try: it was right, where only wrong ones are to count. */
export async function uncount({ services, target }: Asking, { key }: Counted): Promise<void> {
  await authRows(services, target, uncountStatement, [key]);
}

/** Begins the count anew. */
export async function forgetTries(
  services: Services,
  target: ProjectTarget,
  kind: string,
  subject: string,
): Promise<void> {
  await authRows(services, target, forgetStatement, [keyOf(kind, subject)]);
}

const countStatement: AuthStatement = {
  name: 'throttle_count',
  // Whoever counts sweeps up a few of the windows that have ended.
  text: `with counted as (
      select case when exists (select from auth.throttles where key = $3::text and window_ends > now()
          and (count = 1 or not $6::boolean
            and not exists (select from auth.users where email = $5::text and email_verified_at is not null)))
        then $4::text else $1::text end as key
    ), swept as (
      delete from auth.throttles where key in (
        select key from auth.throttles where window_ends < now() and key <> (select key from counted)
        order by window_ends limit 10 for update skip locked)
    )
    insert into auth.throttles as t (key, count, window_ends)
    select key, 1, now() + make_interval(secs => $2::int) from counted
    on conflict (key) do update set
      count = case when t.window_ends <= now() then 1 else least(t.count + 1, 1000000) end,
      window_ends = case when t.window_ends <= now() then excluded.window_ends else t.window_ends end
    returning json_build_object('key', t.key, 'count', t.count, 'wait', ceil(extract(epoch from t.window_ends - now())))`,
};

const noteStatement: AuthStatement = {
  name: 'throttle_note',
  // The count of a mark is 1 where the address was proven as it was made.
  text: `with forgotten as (delete from auth.throttles where key = $1)
    insert into auth.throttles (key, count, window_ends)
    select $2, (select count(*) from auth.users where email = $4::text and email_verified_at is not null),
      now() + make_interval(days => $3::int) where $2::text is not null
    on conflict (key) do update set count = excluded.count, window_ends = excluded.window_ends
    returning to_json(key)`,
};

const uncountStatement: AuthStatement = {
  name: 'throttle_uncount',
  text: 'update auth.throttles set count = count - 1 where key = $1 and count > 0 returning to_json(count)',
};

const forgetStatement: AuthStatement = { name: 'throttle_forget', text: 'delete from auth.throttles where key = $1' };
