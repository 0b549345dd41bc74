import { z } from 'zod';
import { projectSecrets } from '../../db/schema/secrets.ts';
import { pick, type RowOf } from '../../db/sql.ts';
import { onProject, type ProjectScope } from '../../kernel/access/access.ts';
import type { Action } from '../../kernel/access/permissions.ts';

/** The rule of an operation here: each one names its project. */
export const onItsProject = (action: Action) => onProject(action, ({ project }: { project: string }) => project);

/** A key, as functions find it in their environment. Contract 03, section 11. */
export const secretKey = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]{0,127}$/, 'must be 1 to 128 capital letters, digits and _, and begin with no digit')
  .describe('The key, for example `STRIPE_KEY`: capital letters, digits and `_`.')
  .meta({ examples: ['STRIPE_KEY'] });

/** What of a secret anybody is shown. */
export const secretColumns = pick(projectSecrets, 'key', 'updatedBy', 'updatedAt', 'createdAt');

export type ShownSecret = RowOf<typeof secretColumns>;

export const keyParams = pick(projectSecrets, 'orgId', 'projectId', 'key');

/** Where the statements of a secret find it. */
export const keyOf = ({ org, project }: ProjectScope, key: string) => ({ orgId: org.id, projectId: project.id, key });
