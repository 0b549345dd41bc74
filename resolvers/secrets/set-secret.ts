import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { advisoryLock } from '../../db/advisory-lock.ts';
import { sql } from '../../db/drizzle.ts';
import { projectSecrets } from '../../db/schema/secrets.ts';
import { computed, excluded, insertInto, namesOf, pick, setOf, statement } from '../../db/sql.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import { quotaExceeded } from '../../kernel/limits/quota.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { keyOf, keyParams, onItsProject, type ShownSecret, secretColumns, secretKey } from './secret.ts';
import { secretActions } from './shared/actions.ts';
import { sealSecret } from './shared/secret-values.ts';

/** Longest value, in bytes. Contract 03, section 11. */
const valueBytesMax = 4_096;

interface SetSecret {
  readonly secret: ShownSecret;
  /** Whether there was none of this key. */
  readonly isNew: boolean;
}

/** `POST /projects/v1/admin/:project_id/secrets`. Contract 03, section 11. */
export const setSecret = mutation({
  name: 'secrets.set',
  tool: 'set_secret',
  command: 'secrets set',
  effects: ['destructive', 'idempotent'],
  summary: 'Set a secret of a project, in place of the one that its key has.',
  path: 'POST /projects/v1/admin/:project_id/secrets',
  access: onItsProject(secretActions['project:secrets:write']),
  lifecycle: 'owned',
  writeApproval: { action: 'project.secret.write', field: 'project_id', target: ({ project }) => project },
  input: z.object({
    project: projectId,
    key: secretKey,
    value: z
      .string()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= valueBytesMax, `at most ${valueBytesMax} bytes in UTF-8`)
      .describe(`The value, at most ${valueBytesMax} bytes. It is stored encrypted, and nobody is shown it.`)
      .meta({ secret: true }),
  }),
  async handler(work, { key, value }): Promise<SetSecret> {
    if (key.startsWith('SVC_')) throw new ServiceError('RESERVED_SECRET_KEY', { details: { key } });
    const { org, services } = work;
    // The tier counts those of all projects together: callers who race at two of them wait for each other.
    await work.rows(advisoryLock.with({ key: `secrets:${org.id}` }));
    await lockProjectFor(work, secretActions['project:secrets:write']);
    const place = keyOf(work, key);
    const [counted] = await work.rows(countStatement.with(place));
    const { used, known } = counted!;
    const limit = limitsOf(org).secrets;
    if (!known && used >= limit) throw quotaExceeded({ scope: 'organization', metric: 'secrets' }, limit, used);
    const [secret] = await work.rows(
      setStatement.with({
        ...place,
        sealed: sealSecret(services, place, Buffer.from(value)),
        updatedBy: principalIdOf(await work.caller()),
      }),
    );
    return { secret: secret!, isNew: !known };
  },
  audit: ({ secret: { key }, isNew }, _input, { project }) => ({
    action: isNew ? 'secret.created' : 'secret.replaced',
    object: { kind: 'secret', id: key },
    details: { project_id: project.id },
  }),
  wire: z.object({ status: z.literal('set'), key: z.string() }),
  toWire: ({ secret: { key } }) => ({ status: 'set' as const, key }),
});

const countStatement = statement(
  'secrets.count',
  {
    params: keyParams,
    row: {
      used: computed<number>('integer', sql`count(*)::int`),
      known: computed<boolean>(
        'boolean',
        sql`coalesce(bool_or(${projectSecrets.projectId} = $2 and ${projectSecrets.key} = $3), false)`,
      ),
    },
  },
  ({ orgId }, row) => sql`select ${row} from ${projectSecrets} where ${projectSecrets.orgId} = ${orgId}`,
);

const setStatement = statement(
  'secrets.set',
  { params: { ...keyParams, ...pick(projectSecrets, 'sealed', 'updatedBy') }, row: secretColumns },
  (given, row) => sql`${insertInto(projectSecrets, given)}
    on conflict (${namesOf(projectSecrets.orgId, projectSecrets.projectId, projectSecrets.key)}) do update
    ${setOf(projectSecrets, {
      sealed: excluded(projectSecrets.sealed),
      updatedBy: excluded(projectSecrets.updatedBy),
      updatedAt: sql`now()`,
    })} returning ${row}`,
);
