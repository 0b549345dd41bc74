import type { ProjectDatabase } from '../../../db/project-databases.ts';
import { exchangeDatabases, isPlaced } from '../../../db/project-exchange.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { type Filling, fillDraft } from './fill-draft.ts';

/**
 * Makes the database of a new project out of a copy, unless it is there. May be repeated.
 *
 * @param stillHeld throws when the project was deleted meanwhile: it gets no database then, which nobody would drop
 */
export async function placeCopy(
  ctx: Context,
  filling: Filling,
  { server, databaseName, roleName }: ProjectDatabase,
  stillHeld: () => Promise<void>,
): Promise<void> {
  const { projectDatabases } = ctx.services;
  const database: ProjectDatabase = { server, databaseName, roleName };
  if (await isPlaced(projectDatabases, database)) return;
  await fillDraft(ctx, filling, database);
  await stillHeld();
  await exchangeDatabases(projectDatabases, database, () => Promise.resolve());
}
