import { randomBytes } from 'node:crypto';
import type { Statement } from '../../db/pool.ts';
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

// Whoever keeps two lists at once skips what the other is taking away.
const keepStatement: Statement = {
  name: 'kept_results.keep',
  text: `with gone as (
      delete from kept_results where ref = any (array(
        select k.ref from kept_results k where k.owner = $2 and (k.expires_at <= now() or k.ref in (
          select ref from (
            select ref, session, row_number() over own as place, sum(bytes) over own as weight,
              row_number() over whole as place_of_all, sum(bytes) over whole as weight_of_all
            from kept_results where owner = $2 and expires_at > now()
            window own as (partition by session order by created_at desc, ref), whole as (order by created_at desc, ref)
          ) standing
          where session = $5 and (place >= ${perClient} or weight + $4 > ${clientBytesMax})
            or place_of_all >= ${perOwner} or weight_of_all + $4 > ${ownerBytesMax}))
        for update skip locked)))
    insert into kept_results (ref, owner, items, bytes, session, expires_at)
    values ($1, $2, $3, $4, $5, now() + interval '${keptMinutes} minutes')`,
};

const findStatement: Statement = {
  name: 'kept_results.find',
  pipelined: true,
  text: 'select items from kept_results where ref = $1 and owner = $2 and session = $3 and expires_at > now()',
};

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
  await services.db.rows(keepStatement, [ref, owner, text, bytes, session]);
  return ref;
}

/** A list that was laid by; undefined when there is none any more, or it is somebody else's. */
export async function findResult(
  { services }: Pick<Context, 'services'>,
  { owner, session }: Keeper,
  ref: string,
): Promise<readonly unknown[] | undefined> {
  const [kept] = await services.db.rows<{ readonly items: string }>(findStatement, [ref, owner, session]);
  return kept === undefined ? undefined : (JSON.parse(kept.items) as unknown[]);
}
