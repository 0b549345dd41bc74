import { sha256Hex } from '../../core/keys.ts';
import { networkOf } from '../../core/network-of.ts';
import { sql } from '../../db/drizzle.ts';
import { jsonObject, toJson } from '../../db/json.ts';
import { throttles, users } from '../../db/project-schema/auth.ts';
import { excluded, insertSelect, nameOf, pick, setOf, typed } from '../../db/sql.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import {
  assertWithinWindow,
  countAttempt,
  forgetAttempts,
  windowCount,
  windowKey,
} from '../../kernel/limits/counted-window.ts';
import type { Throttle } from '../../kernel/limits/limits.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { authRow, authRows, authStatement } from './shared/auth-rows.ts';
import type { ProjectCaller } from './shared/authenticate-project.ts';

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

/** A count of its own for known networks. */
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
): Promise<Counted> => count(services, target, throttle, windowKey(kind, subject));

async function count(
  services: Services,
  target: ProjectTarget,
  throttle: Throttle,
  key: string,
  apart?: Apart,
): Promise<Counted> {
  const { mark = null, key: own = null, email = null, proven = true } = apart ?? {};
  const asked = countStatement.with({ key, seconds: throttle.seconds, mark, own, email, proven });
  const counted = await authRow(services, target, asked);
  assertWithinWindow(throttle, counted!);
  return { key: counted!.key, known: counted!.key !== key };
}

type Asking = Pick<Context, 'services' | 'request'> & ProjectCaller;

/** The service key acts for many users, whatever network it is used from. */
const placeOf = ({ request, keyRole }: Asking, email: string): string | undefined =>
  keyRole === 'service_role' ? undefined : `${email} ${networkOf(request.address)}`;

const markOf = (place: string) => windowKey('network', place);

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
      : { mark: markOf(place), key: windowKey(kind, `${email} ${shareOf(place)}`), email, proven: kind === 'mail' };
  return count(ctx.services, ctx.target, throttle, windowKey(kind, email), apart);
}

/**
 * Notes that the user of an address has signed in: its network is known from then on.
 *
 * @param counted the try that it was, which is forgotten with those before it
 */
export async function noteSignIn(ctx: Asking, email: string, counted?: Counted): Promise<void> {
  const place = placeOf(ctx, email);
  const mark = place === undefined ? null : markOf(place);
  await authRows(ctx.services, ctx.target, noteStatement.with({ key: counted?.key ?? null, mark, knownDays, email }));
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
  await authRows(services, target, uncountStatement.with({ key }));
}

/** Begins the count anew. */
export async function forgetTries(
  services: Services,
  target: ProjectTarget,
  kind: string,
  subject: string,
): Promise<void> {
  await authRows(services, target, forgetStatement.with({ key: windowKey(kind, subject) }));
}

const proven = sql`${users.emailVerifiedAt} is not null`;
const optional = typed<string | null>('text');

const countStatement = authStatement(
  'throttle_count',
  {
    params: {
      ...pick(throttles, 'key'),
      seconds: typed<number>('integer'),
      mark: optional,
      own: optional,
      email: optional,
      proven: typed<boolean>('boolean'),
    },
    answer: jsonObject({ ...pick(throttles, 'key'), ...windowCount(throttles) }),
  },
  // Each attempt sweeps up a few of the windows that have ended.
  (given, answer) => sql`with counted as (
      select case when exists (select from ${throttles}
          where ${throttles.key} = ${given.mark} and ${throttles.windowEnds} > now()
            and (${throttles.count} = 1 or not ${given.proven}
              and not exists (select from ${users} where ${users.email} = ${given.email} and ${proven})))
        then ${given.own} else ${given.key} end as key
    ), swept as (
      delete from ${throttles} where ${throttles.key} in (
        select ${throttles.key} from ${throttles}
        where ${throttles.windowEnds} < now() and ${throttles.key} <> (select counted.key from counted)
        order by ${throttles.windowEnds} limit 10 for update skip locked)
    )
    ${countAttempt(throttles, sql`counted.key`, given.seconds, sql`from counted`)}
    returning ${answer}`,
);

const noteStatement = authStatement(
  'throttle_note',
  {
    params: { key: optional, mark: optional, knownDays: typed<number>('integer'), ...pick(users, 'email') },
    answer: toJson(throttles.key),
  },
  // The count of a mark is 1 where the address was proven as it was made.
  ({ key, mark, knownDays: days, email }, answer) => sql`with forgotten as (${forgetAttempts(throttles, key)})
    ${insertSelect(
      throttles,
      {
        key: mark,
        count: sql`(select count(*) from ${users} where ${users.email} = ${email} and ${proven})`,
        windowEnds: sql`now() + make_interval(days => ${days})`,
      },
      sql`where ${mark}::text is not null`,
    )}
    on conflict (${nameOf(throttles.key)}) do update ${setOf(throttles, {
      count: excluded(throttles.count),
      windowEnds: excluded(throttles.windowEnds),
    })}
    returning ${answer}`,
);

const uncountStatement = authStatement(
  'throttle_uncount',
  { params: pick(throttles, 'key'), answer: toJson(throttles.count) },
  ({ key }, answer) => sql`update ${throttles} ${setOf(throttles, { count: sql`${throttles.count} - 1` })}
    where ${throttles.key} = ${key} and ${throttles.count} > 0 returning ${answer}`,
);

const forgetStatement = authStatement(
  'throttle_forget',
  { params: pick(throttles, 'key'), answer: toJson(throttles.key) },
  ({ key }, answer) => sql`${forgetAttempts(throttles, key)} returning ${answer}`,
);
