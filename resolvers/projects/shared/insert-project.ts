import { randomBytes } from 'node:crypto';
import { sql } from '../../../db/drizzle.ts';
import type { ProjectDatabase } from '../../../db/project-databases.ts';
import { type BranchFacts, projects } from '../../../db/schema/projects.ts';
import { insertInto, pick, statement } from '../../../db/sql.ts';
import type { OrgScope } from '../../../kernel/access/access.ts';
import { principalIdOf } from '../../../kernel/access/caller.ts';
import { actorOf } from '../../../kernel/durability/audit-log.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** A project whose database is yet to be made. */
export interface InsertedProject {
  readonly id: string;
  readonly database: ProjectDatabase;
}

/** Writes a project that is not ready yet, and chooses where its database will be. */
export async function insertProject(
  work: Work,
  scope: Pick<OrgScope, 'org' | 'authority'>,
  { name, branch = null }: { readonly name: string; readonly branch?: BranchFacts | null },
): Promise<InsertedProject> {
  const caller = await work.caller();
  const id = work.services.newId('prj');
  const database = work.services.projectDatabases.assign();
  await work.rows(
    insertStatement.with({
      orgId: scope.org.id,
      id,
      publicId: randomBytes(6).toString('hex'),
      name,
      ...database,
      branch: branch === null ? null : JSON.stringify(branch),
      createdBy: principalIdOf(caller),
      creator: JSON.stringify(actorOf(caller, scope, work.services.now())),
    }),
  );
  return { id, database };
}

const insertStatement = statement(
  'projects.insert',
  {
    params: {
      ...pick(projects, 'orgId', 'id', 'publicId', 'name', 'server', 'databaseName', 'roleName', 'createdBy'),
      ...pick(projects, 'creator', 'branch'),
    },
  },
  (given) =>
    insertInto(projects, {
      ...given,
      state: sql`'provisioning'`,
      schemaSlot: sql`'p' || lpad(nextval('project_slots')::text, 4, '0')`,
    }),
);
