import type pg from 'pg';
import { z } from 'zod';

/** What the platform knows of a project's database beside what is defined in it: the fact set of an archive. */
export const projectFacts = z.object({
  schema_version: z.literal('svc.project_archive.fact_set.v1'),
  database: z.object({
    /** Of the platform's own schema. */
    template_version: z.int().min(1),
    migrations: z.array(z.object({ id: z.string().min(1).max(256), checksum: z.string().max(128) })).max(10_000),
    /** What is exposed; null: nothing was said. */
    manifest: z.record(z.string(), z.unknown()).nullable(),
    /** Tables that give hints, with the column that says whose a row is. */
    live: z.array(z.object({ table: z.string().max(63), owner: z.string().max(63).nullable() })).max(1_000),
    /** Materialized views that have rows. */
    filled_views: z.array(z.string().max(63)).max(1_000),
  }),
});

export type ProjectFacts = z.infer<typeof projectFacts>;

const factsText = `select
  coalesce((select pg_catalog.json_agg(pg_catalog.json_build_object('id', m.id, 'checksum', m.checksum) order by m.id)
    from _svc.migrations m where m.state = 'applied'), '[]') as migrations,
  (select m.manifest from _svc.manifest m) as manifest`;

/** Reads from the platform's own tables, which no tenant may define anything in. */
export async function readFacts(client: pg.Client): Promise<Pick<ProjectFacts['database'], 'migrations' | 'manifest'>> {
  const { rows } = await client.query<Pick<ProjectFacts['database'], 'migrations' | 'manifest'>>(factsText);
  return rows[0]!;
}

const idsText = 'select u.id::text as id from auth.users u where u.id > $1::uuid order by u.id limit 5000';
const beforeAll = '00000000-0000-0000-0000-000000000000';

/** The ids of the users of a project, in their order, and whether any of them has a way to sign in. */
export async function* readUserIds(client: pg.Client): AsyncGenerator<string> {
  for (let after = beforeAll; ; ) {
    const { rows } = await client.query<{ id: string }>(idsText, [after]);
    for (const { id } of rows) yield id;
    if (rows.length === 0) return;
    after = rows.at(-1)!.id;
  }
}

/** Gives a new database what an archive says of it. @param operationId what the migrations were brought by */
export async function writeFacts(
  client: pg.Client,
  { database: { migrations, manifest } }: ProjectFacts,
  operationId: string,
): Promise<void> {
  if (migrations.length > 0)
    await client.query(
      `insert into _svc.migrations (id, checksum, state, operation_id)
       select given.id, given.checksum, 'applied', $3 from unnest($1::text[], $2::text[]) as given (id, checksum)`,
      [migrations.map(({ id }) => id), migrations.map(({ checksum }) => checksum), operationId],
    );
  if (manifest !== null)
    await client.query('insert into _svc.manifest (manifest) values ($1::jsonb)', [JSON.stringify(manifest)]);
}

/** The address of a user who came with an archive: nobody receives mail there, so nobody signs in with it. */
const stubAddress = `given.id || '@imported.invalid'`;

/** Makes users who cannot sign in. */
export async function writeUserStubs(client: pg.Client, ids: readonly string[]): Promise<void> {
  await client.query(
    `insert into auth.users (id, email) select given.id::uuid, ${stubAddress} from unnest($1::text[]) as given (id)`,
    [ids],
  );
}
