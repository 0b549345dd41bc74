import { sha256Hex } from '../../core/keys.ts';
import { networkOf } from '../../core/network-of.ts';
import type { ProjectTarget } from '../addressed-project.ts';
import type { Context, Services } from '../context.ts';
import type { Throttle } from '../limits.ts';
import type { ProjectCaller } from '../project-door.ts';
import { refuseHurry } from '../rate-limit.ts';
import { type AuthStatement, authRow, authRows } from './auth-rows.ts';

// A subject may be the address of somebody who is no user here: it is kept as a digest.
const keyOf = (kind: string, subject: string) => `${kind}:${sha256Hex(subject)}`;

/**
 * Counts a try, before it is made, so that tries in parallel count like tries in a row.
 *
 * @throws RATE_LIMITED until the window ends that the first try began
 */
export async function countTry(
  services: Services,
  target: ProjectTarget,
  { times, seconds }: Throttle,
  kind: string,
  subject = '',
): Promise<void> {
  const row = await authRow<{ count: number; wait: number }>(services, target, countStatement, [
    keyOf(kind, subject),
    seconds,
  ]);
  if (row!.count > times) refuseHurry(Math.max(1, row!.wait));
}

/** Counts a try of the network that it comes from; as {@link countTry}. The service key speaks for many users. */
export async function countOfNetwork(
  { services, request, target, keyRole }: Pick<Context, 'services' | 'request'> & ProjectCaller,
  throttle: Throttle,
  kind: string,
): Promise<void> {
  if (keyRole !== 'service_role') await countTry(services, target, throttle, kind, networkOf(request.address));
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
  text: `with swept as (
      delete from auth.throttles where key in (
        select key from auth.throttles where window_ends < now() and key <> $1
        order by window_ends limit 10 for update skip locked)
    )
    insert into auth.throttles as t (key, count, window_ends) values ($1, 1, now() + make_interval(secs => $2::int))
    on conflict (key) do update set
      count = case when t.window_ends <= now() then 1 else least(t.count + 1, 1000000) end,
      window_ends = case when t.window_ends <= now() then excluded.window_ends else t.window_ends end
    returning json_build_object('count', t.count, 'wait', ceil(extract(epoch from t.window_ends - now())))`,
};

const forgetStatement: AuthStatement = { name: 'throttle_forget', text: 'delete from auth.throttles where key = $1' };
