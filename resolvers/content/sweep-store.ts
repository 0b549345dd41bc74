import { inParallel } from '../../core/in-parallel.ts';
import { sql } from '../../db/drizzle.ts';
import { contentRemovals, contentUploads } from '../../db/schema/content.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import type { Task } from '../../kernel/run/task.ts';
import { isHeld } from './is-held.ts';

/** What is younger may be under way. */
const youngHours = 25;
/** Every ten minutes a few of the 256 groups that objects lie in: each about once a day, on whatever node. */
const groupsAtOnce = 2;
const turnMs = 600_000;
const discardedAtOnce = 8;

/** The groups of objects whose turn it is, by the first digits of their SHA-256. */
export function groupsAt(now: Date): readonly string[] {
  const turn = Math.floor(now.getTime() / turnMs) % (256 / groupsAtOnce);
  return Array.from({ length: groupsAtOnce }, (_none, at) => (turn * groupsAtOnce + at).toString(16).padStart(2, '0'));
}

/**
 * Finds what a node that stopped in between has left in the object store, and the database knows nothing of. Parts are
 * removed at once: no upload gets an id again. Objects are noted as let go, for {@link removeContent} to look again whether
 * somebody holds them, under its lock.
 */
export const sweepStore: Task = async ({ ctx }) => {
  const { db, objects, now } = ctx.services;
  const at = now();
  const before = new Date(at.getTime() - youngHours * 3_600_000);
  const groups = groupsAt(at);
  for (const group of groups)
    for await (const sha256s of objects.objectsBefore(before, group)) {
      ctx.signal.throwIfAborted();
      await db.rows(noteStatement.with({ sha256s }));
    }
  // What lies in no group, with the first one.
  if (!groups.includes('00')) return;
  for await (const ids of objects.uploadsBefore(before)) {
    ctx.signal.throwIfAborted();
    const unknown = await db.rows(unknownStatement.with({ ids }));
    await inParallel(unknown, discardedAtOnce, (upload) => objects.discard(upload));
  }
  await objects.endBefore(before);
};

const texts = typed<readonly string[]>('text[]');

const noteStatement = statement(
  'content.note-unknown',
  { params: { sha256s: texts } },
  (given) => sql`insert into ${contentRemovals} (sha256)
    select one.sha256 from unnest(${given.sha256s}::text[]) as one (sha256)
    where one.sha256 ~ '^[0-9a-f]{64}$' and not ${isHeld(sql`one.sha256`)}
    order by one.sha256 on conflict do nothing`,
);

const unknownStatement = statement(
  'content.unknown-uploads',
  { params: { ids: texts }, row: pick(contentUploads, 'id') },
  (given, row) => sql`select ${row} from unnest(${given.ids}::text[]) as ${contentUploads} (id)
    where not exists (select from ${contentUploads} known where known.id = ${contentUploads.id})`,
);
