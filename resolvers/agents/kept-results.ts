import { randomBytes } from 'node:crypto';
import type { Statement } from '../../db/pool.ts';
import type { Context } from '../context.ts';

/** What one caller may have laid by at a time. Contract 04, section 4.1. */
const perOwner = 32;
/** The same in bytes: what was laid by first makes room. */
const ownerBytesMax = 8 * 1024 * 1024;
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
            select ref, row_number() over later as place, sum(bytes) over later as weight
            from kept_results where owner = $2 and expires_at > now()
            window later as (order by created_at desc, ref)
          ) standing where place >= ${perOwner} or weight + $4 > ${ownerBytesMax}))
        for update skip locked)))
    insert into kept_results (ref, owner, items, bytes, expires_at)
    values ($1, $2, $3, $4, now() + interval '${keptMinutes} minutes')`,
};

const findStatement: Statement = {
  name: 'kept_results.find',
  pipelined: true,
  text: 'select items from kept_results where ref = $1 and owner = $2 and expires_at > now()',
};

/**
 * Lays a list by for whoever was shown its beginning.
 *
 * @param owner whose it is: nobody else reads on in it
 * @returns a reference to read it on by; undefined for one that is too long to be kept
 */
export async function keepResult(
  { services }: Pick<Context, 'services'>,
  owner: string,
  items: readonly unknown[],
): Promise<string | undefined> {
  const text = JSON.stringify(items);
  const bytes = Buffer.byteLength(text);
  if (bytes > listBytesMax) return undefined;
  const ref = `res_${randomBytes(8).toString('hex')}`;
  await services.db.rows(keepStatement, [ref, owner, text, bytes]);
  return ref;
}

/** A list that was laid by; undefined when there is none any more, or it is somebody else's. */
export async function findResult(
  { services }: Pick<Context, 'services'>,
  owner: string,
  ref: string,
): Promise<readonly unknown[] | undefined> {
  const [kept] = await services.db.rows<{ readonly items: string }>(findStatement, [ref, owner]);
  return kept === undefined ? undefined : (JSON.parse(kept.items) as unknown[]);
}
