import { z } from 'zod';
import type { BatchStatement } from '../../db/wire/batch.ts';
import { type FunctionAccess, policiesMax, type Reached, type RelationAccess } from '../../engines/expose/access.ts';
import { accessFactsSql, requestRoles } from '../../engines/expose/access-facts.ts';
import type { Manifest } from '../../engines/expose/manifest-shape.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { appliedOf, readApplied } from './manifest-store.ts';
import { projectDataActions } from './shared/actions.ts';
import { asOwnReader, databaseOf, inProject, once, schemaTooLarge } from './shared/in-project.ts';
import { readingSql } from './shared/reading-sql.ts';

/** A relation with what the manifest says of it. */
export interface ListedRelation extends RelationAccess {
  /** Whether the manifest exposes it; null where the manifest does not name it. */
  readonly exposed: boolean | null;
  /** The policy of the manifest, for a table that it exposes. */
  readonly policy: string | null;
}

export interface ListedFunction extends FunctionAccess {
  /** Whether the manifest names a function of this name. */
  readonly exposed: boolean;
}

export interface ProjectAccess {
  readonly projectId: string;
  readonly relations: readonly ListedRelation[];
  readonly functions: readonly ListedFunction[];
}

const relationKinds = ['table', 'view', 'materialized_view', 'foreign_table'] as const;
const reaches = ['all', 'own', 'policy', 'none'] as const;
const causes = [
  'no_privilege',
  'read_only',
  'no_policy',
  'no_user',
  'policy',
  'no_row_security',
  'bypasses_row_security',
] as const;

const ReachedWire = z
  .object({
    rows: z.enum(reaches),
    cause: z.enum(causes),
    columns: z.array(z.string()).nullable(),
    owner_column: z.string().nullable(),
    policies: z.array(
      z.object({
        table: z.string(),
        name: z.string(),
        restrictive: z.boolean(),
        using: z.string().nullable(),
        check: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Reached' });

const reachedToWire = ({ rows, cause, columns, ownerColumn, policies }: Reached): z.output<typeof ReachedWire> => ({
  rows,
  cause,
  columns: columns === null ? null : [...columns],
  owner_column: ownerColumn,
  policies: [...policies],
});

/** `GET /projects/v1/admin/:project_id/access`: an addition, for people who decide what a project shows. */
export const getAccess = query({
  name: 'projects.access',
  tool: 'get_project_access',
  command: 'projects access',
  summary: 'Who may do what in a project: for each table, view and function, by privileges and row policies.',
  path: 'GET /projects/v1/admin/:project_id/access',
  access: onProject(projectDataActions['project:schema:read'], ({ project }: { project: string }) => project),
  input: z.object({ project: projectId }),
  async handler(ctx): Promise<ProjectAccess> {
    const { services, project, signal } = ctx;
    const ask = async (...statements: BatchStatement[]) =>
      (
        await inProject(() => services.projectPools.run(databaseOf(ctx), [asOwnReader, ...statements], { signal }))
      ).slice(1);
    const [facts, stored] = await ask(readFacts, readApplied);
    const told = facts?.[0]?.[0] ?? null;
    if (told === null) throw schemaTooLarge(factsMax);
    const manifest = await appliedOf(services, project.id, stored);
    const access = await readingSql(() => services.sqlReader.read(project.id, 'readAccess', told));
    if (access === undefined) throw schemaTooLarge(policiesMax);
    const { relations, functions } = access;
    const listed = listedIn(manifest);
    return {
      projectId: project.id,
      relations: relations.map((one) => {
        const entry = listed.relations.get(one.name);
        return { ...one, exposed: entry?.expose ?? null, policy: entry?.policy ?? null };
      }),
      functions: functions.map((one) => ({ ...one, exposed: listed.functions.has(one.name) })),
    };
  },
  wire: z.object({
    status: z.literal('ok'),
    project_id: z.string(),
    relations: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(relationKinds),
        row_security: z.boolean(),
        exposed: z.boolean().nullable(),
        policy: z.string().nullable(),
        roles: z.array(
          z.object({
            role: z.enum(requestRoles),
            select: ReachedWire,
            insert: ReachedWire,
            update: ReachedWire,
            delete: ReachedWire,
          }),
        ),
      }),
    ),
    functions: z.array(
      z.object({
        name: z.string(),
        arguments: z.string(),
        security_definer: z.boolean(),
        exposed: z.boolean(),
        callers: z.array(z.enum(requestRoles)),
      }),
    ),
  }),
  toWire: ({ projectId: id, relations, functions }) => ({
    status: 'ok' as const,
    project_id: id,
    relations: relations.map(({ rowSecurity, roles, ...one }) => ({
      ...one,
      row_security: rowSecurity,
      roles: roles.map((role) => ({
        role: role.role,
        select: reachedToWire(role.select),
        insert: reachedToWire(role.insert),
        update: reachedToWire(role.update),
        delete: reachedToWire(role.delete),
      })),
    })),
    functions: functions.map(({ securityDefiner, callers, ...one }) => ({
      ...one,
      security_definer: securityDefiner,
      callers: [...callers],
    })),
  }),
});

/** What a manifest says of each name. */
function listedIn(manifest: Manifest | undefined) {
  const relations = new Map<string, { readonly expose: boolean; readonly policy: string | null }>();
  for (const { name, expose, policy } of manifest?.tables ?? [])
    relations.set(name, { expose, policy: expose ? (policy ?? null) : null });
  for (const { name, expose } of manifest?.views ?? []) relations.set(name, { expose: expose === true, policy: null });
  const functions = new Set((manifest?.rpcs ?? []).map(({ name }) => name));
  return { relations, functions };
}

/** The most that is read of what decides, in bytes. */
const factsMax = 16 * 1024 * 1024;

const readFacts = once(
  `select case when octet_length(facts) <= ${factsMax} then facts end from (${accessFactsSql}) as read (facts)`,
);
