import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { computed, statement, typed } from '../../db/sql.ts';
import { customWords, routinesSql } from '../../engines/expose/custom-calls.ts';
import type { Finding } from '../../engines/expose/finding.ts';
import { onProject, signedIn } from '../../kernel/access/access.ts';
import { callerKey } from '../../kernel/access/caller.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { analyse } from './analyse.ts';
import { factsOf, readFacts } from './manifest-store.ts';
import { findingToWire, findingWire, manifestInput } from './manifest-wire.ts';
import { projectDataActions } from './shared/actions.ts';
import { asOwnReader, databaseOf, inProject, once } from './shared/in-project.ts';
import { readingSql } from './shared/reading-sql.ts';

/** A migration that takes longer to follow would hold others up. */
const migrationBytesMax = 256 * 1024;

const given = {
  manifest: manifestInput,
  migration_sql: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= migrationBytesMax, `at most ${migrationBytesMax} bytes`)
    .optional()
    .describe('SQL that will have run before the manifest is applied; it is read, and never run.'),
};

const answer = {
  wire: z.object({ has_errors: z.boolean(), errors: z.array(findingWire), warnings: z.array(findingWire) }),
  toWire: (findings: readonly Finding[]) => {
    const errors = findings.filter(({ severity }) => severity === 'error').map(findingToWire);
    const warnings = findings.filter(({ severity }) => severity === 'warning').map(findingToWire);
    return { has_errors: errors.length > 0, errors, warnings };
  },
};

/** `POST /projects/v1/admin/:project_id/expose/validate`. Contract 01, section 2.12. */
export const validateExpose = query({
  name: 'projects.validateExpose',
  tool: 'validate_manifest',
  command: 'projects validate-expose',
  summary: 'What is wrong with a manifest in front of a project’s database; nothing is run.',
  path: 'POST /projects/v1/admin/:project_id/expose/validate',
  access: onProject(projectDataActions['project:expose:read'], ({ project }: { project: string }) => project),
  input: z.object({ project: projectId, ...given }),
  async handler(ctx, { manifest, migration_sql: migration }) {
    const called = once(routinesSql, [JSON.stringify(customWords(manifest))]);
    const [, found, rows] = await inProject(() =>
      ctx.services.projectPools.run(databaseOf(ctx), [asOwnReader, called, readFacts], { signal: ctx.signal }),
    );
    const ground = { facts: factsOf(rows), routines: { called: found![0]![0]!, everywhere: true } };
    const { findings, asked } = await readingSql(() =>
      ctx.services.sqlReader.read(ctx.project.id, 'judgeManifest', manifest, ground, migration),
    );
    return [...findings, ...(await analyse(ctx, databaseOf(ctx), asked))];
  },
  ...answer,
});

// Its text names no table of ours. The first parameter is what it calls $1.
const routinesStatement = statement(
  'expose.routines',
  { params: { words: typed<string>('json') }, row: { called: computed<string>('text', sql`found.called`) } },
  (_words, row) => sql`select ${row} from (${sql.raw(routinesSql)}) found`,
);

/** `POST /projects/v1/expose/validate`. Contract 01, section 2.12. */
export const validateManifest = query({
  name: 'projects.validateManifest',
  tool: 'validate_manifest',
  command: 'projects validate-expose',
  summary: 'What is wrong with a manifest in front of an empty database; nothing is run.',
  path: 'POST /projects/v1/expose/validate',
  access: signedIn<object>('wallet', 'control_plane', 'operator'),
  input: z.object(given),
  async handler({ services, request, principal }, { manifest, migration_sql: migration }) {
    const party = callerKey(principal, request.address);
    const words = customWords(manifest);
    // What PostgreSQL itself can do, the database of the gateway knows as well.
    const [found] =
      words.length === 0 ? [] : await services.db.rows(routinesStatement.with({ words: JSON.stringify(words) }));
    const ground = { routines: { called: found?.called ?? '[]', everywhere: false } };
    const { findings } = await readingSql(() =>
      services.sqlReader.read(party, 'judgeManifest', manifest, ground, migration),
    );
    return findings;
  },
  ...answer,
});
