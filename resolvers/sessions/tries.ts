import { networkOf } from '../../core/network-of.ts';
import { sql } from '../../db/drizzle.ts';
import { signInTries } from '../../db/schema/sign-in-flows.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import {
  assertWithinWindow,
  countAttempt,
  forgetAttempts,
  windowCount,
  windowKey,
} from '../../kernel/limits/counted-window.ts';
import type { Throttle } from '../../kernel/limits/limits.ts';
import type { Context } from '../../kernel/run/context.ts';

type Caller = Pick<Context, 'services' | 'request'>;

/**
 * Counts a try before it is made, outside its transaction: a refused try counts, too.
 *
 * @throws RATE_LIMITED until the window ends that the first try began
 */
export async function countTry(
  { services }: Pick<Caller, 'services'>,
  throttle: Throttle,
  kind: string,
  subject: string,
): Promise<void> {
  const { seconds } = throttle;
  const [counted] = await services.db.rows(countStatement.with({ key: windowKey(kind, subject), seconds }));
  assertWithinWindow(throttle, counted!);
}

/** As {@link countTry}, for the network that a request comes from. */
export const countOfNetwork = (ctx: Caller, throttle: Throttle, kind: string): Promise<void> =>
  countTry(ctx, throttle, kind, networkOf(ctx.request.address));

/** Begins the count anew. */
export async function forgetTries(
  { services }: Pick<Caller, 'services'>,
  kind: string,
  subject: string,
): Promise<void> {
  await services.db.rows(forgetStatement.with({ key: windowKey(kind, subject) }));
}

const countStatement = statement(
  'sessions.count-try',
  { params: { ...pick(signInTries, 'key'), seconds: typed<number>('integer') }, row: windowCount(signInTries) },
  ({ key, seconds }, row) => sql`${countAttempt(signInTries, key, seconds)} returning ${row}`,
);

const forgetStatement = statement('sessions.forget-tries', { params: pick(signInTries, 'key') }, ({ key }) =>
  forgetAttempts(signInTries, key),
);
