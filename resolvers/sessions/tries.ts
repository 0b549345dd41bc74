import { sha256Hex } from '../../core/keys.ts';
import { networkOf } from '../../core/network-of.ts';
import type { Statement } from '../../db/pool.ts';
import type { Throttle } from '../../kernel/limits/limits.ts';
import { assertWithinRate } from '../../kernel/limits/rate-limit.ts';
import type { Context } from '../../kernel/run/context.ts';

type Asked = Pick<Context, 'services' | 'request'>;

// A subject may be the address of somebody who is nobody here: it is kept as a digest.
const keyOf = (kind: string, subject: string) => `${kind}:${sha256Hex(subject)}`;

/**
 * Counts a try before it is made, outside its transaction: one that is refused counts, too.
 *
 * @throws RATE_LIMITED until the window ends that the first try began
 */
export async function countTry(
  { services }: Pick<Asked, 'services'>,
  { times, seconds }: Throttle,
  kind: string,
  subject: string,
): Promise<void> {
  const [row] = await services.db.rows<{ count: number; wait: number }>(countStatement, [
    keyOf(kind, subject),
    seconds,
  ]);
  if (row!.count > times) assertWithinRate(Math.max(1, row!.wait));
}

/** As {@link countTry}, for the network that a request comes from. */
export const countOfNetwork = (ctx: Asked, throttle: Throttle, kind: string): Promise<void> =>
  countTry(ctx, throttle, kind, networkOf(ctx.request.address));

/** Begins the count anew. */
export async function forgetTries({ services }: Pick<Asked, 'services'>, kind: string, subject: string): Promise<void> {
  await services.db.rows(forgetStatement, [keyOf(kind, subject)]);
}

const countStatement: Statement = {
  name: 'ceremonies.count-try',
  text: `insert into sign_in_tries as t (key, count, window_ends) values ($1, 1, now() + make_interval(secs => $2::int))
    on conflict (key) do update set
      count = case when t.window_ends <= now() then 1 else least(t.count + 1, 1000000) end,
      window_ends = case when t.window_ends <= now() then excluded.window_ends else t.window_ends end
    returning t.count, ceil(extract(epoch from t.window_ends - now()))::int as wait`,
};

const forgetStatement: Statement = {
  name: 'ceremonies.forget-tries',
  text: 'delete from sign_in_tries where key = $1',
};
