import { randomBytes } from 'node:crypto';
import { alias, sql } from '../../db/drizzle.ts';
import { keptResults } from '../../db/schema/kept-results.ts';
import { from, insertInto, pick, statement, typed } from '../../db/sql.ts';
import type { Context } from '../../kernel/run/context.ts';

/** What one client may have laid by at a time. Contract 04, section 4.1. */
const perClient = 32;
/** The same in bytes: what was laid by first makes room. */
const clientBytesMax = 8 * 1024 * 1024;
/** What all clients of one owner may have laid by: a session is made by whoever names one. */
const perOwner = 512;
const ownerBytesMax = 64 * 1024 * 1024;
/** Longest list that is laid by, in bytes of JSON. */
const listBytesMax = 2 * 1024 * 1024;
/** How long a list can be read on in, in minutes. Contract 04, section 4.1. */
const keptMinutes = 30;

const older = alias(keptResults, 'k');
const newestFirst = sql`${keptResults.createdAt} desc, ${keptResults.ref}`;
const constant = (value: number) => sql.raw(String(value));

// A client that keeps two lists at once skips what the other is taking away.
const keepStatement = statement(
  'kept_results.keep',
  {
    params: {
      ...pick(keptResults, 'ref', 'owner', 'items'),
      bytes: typed<number>('bigint'),
      session: keptResults.session,
    },
  },
  ({ bytes, ...given }) => sql`with gone as (
      delete from ${keptResults} where ${keptResults.ref} = any (array(
        select ${older.ref} from ${from(older)} where ${older.owner} = ${given.owner} and (${older.expiresAt} <= now()
          or ${older.ref} in (
            select ref from (
              select ${keptResults.ref}, ${keptResults.session},
                row_number() over own as place, sum(${keptResults.bytes}) over own as weight,
                row_number() over whole as place_of_all, sum(${keptResults.bytes}) over whole as weight_of_all
              from ${keptResults} where ${keptResults.owner} = ${given.owner} and ${keptResults.expiresAt} > now()
              window own as (partition by ${keptResults.session} order by ${newestFirst}),
                whole as (order by ${newestFirst})
            ) standing
            where session = ${given.session}
                and (place >= ${constant(perClient)} or weight + ${bytes} > ${constant(clientBytesMax)})
              or place_of_all >= ${constant(perOwner)} or weight_of_all + ${bytes} > ${constant(ownerBytesMax)}))
        for update skip locked)))
    ${insertInto(keptResults, {
      ...given,
      bytes,
      expiresAt: sql`now() + interval '${constant(keptMinutes)} minutes'`,
    })}`,
);

const findStatement = statement(
  'kept_results.find',
  { params: pick(keptResults, 'ref', 'owner', 'session'), row: pick(keptResults, 'items'), pipelined: true },
  ({ ref, owner, session }, row) => sql`select ${row} from ${keptResults} where ${keptResults.ref} = ${ref}
    and ${keptResults.owner} = ${owner} and ${keptResults.session} = ${session} and ${keptResults.expiresAt} > now()`,
);

/** Whose a list is: nobody else reads on in it. */
export interface Keeper {
  /** Who asked, as callers are told apart. */
  readonly owner: string;
  /** Of clients that are one caller, which; empty for a caller that is somebody by itself. */
  readonly session: string;
}

/**
 * Lays a list by for whoever was shown its beginning.
 *
 * @returns a reference to read it on by; undefined for one that is too long to be kept
 */
export async function keepResult(
  { services }: Pick<Context, 'services'>,
  { owner, session }: Keeper,
  items: readonly unknown[],
): Promise<string | undefined> {
  const text = JSON.stringify(items);
  const bytes = Buffer.byteLength(text);
  if (bytes > listBytesMax) return undefined;
  const ref = `res_${randomBytes(8).toString('hex')}`;
  await services.db.rows(keepStatement.with({ ref, owner, items: text, bytes, session }));
  return ref;
}

/** A list that was laid by; undefined when there is none any more, or it is somebody else's. */
export async function findResult(
  { services }: Pick<Context, 'services'>,
  { owner, session }: Keeper,
  ref: string,
): Promise<readonly unknown[] | undefined> {
  const [kept] = await services.db.rows(findStatement.with({ ref, owner, session }));
  return kept === undefined ? undefined : (JSON.parse(kept.items) as unknown[]);
}
