import type { ProjectDatabase } from '../../../db/project-databases.ts';
import { exchangeDatabases, isPlaced } from '../../../db/project-exchange.ts';
import type { HeldStatement, LeasedItem } from '../../../kernel/durability/leased-statements.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { LostCopyError } from './attempt-copy.ts';
import { type Filling, fillDraft } from './fill-draft.ts';

/** Makes the database of a new project out of a copy, unless it is there. May be repeated. @throws as {@link placeFilled} */
export const placeCopy = (
  ctx: Context,
  filling: Filling,
  database: ProjectDatabase,
  item: LeasedItem,
  held: HeldStatement,
): Promise<void> => placeFilled(ctx, (project) => fillDraft(ctx, filling, project), database, item, held);

/**
 * Makes the database of a new project, unless it is there. May be repeated.
 *
 * @param fill makes its draft
 * @param held whether this node still has what is made
 * @throws LostCopyError when it has not, as when it was deleted: it gets no database then, which nobody would drop
 */
export async function placeFilled(
  ctx: Context,
  fill: (database: ProjectDatabase) => Promise<void>,
  { server, databaseName, roleName }: ProjectDatabase,
  { id, lease }: LeasedItem,
  held: HeldStatement,
): Promise<void> {
  const { projectDatabases } = ctx.services;
  const database: ProjectDatabase = { server, databaseName, roleName };
  if (await isPlaced(projectDatabases, database)) return;
  await fill(database);
  const [found] = await ctx.services.db.rows(held.with({ id, lease }));
  if (found === undefined) throw new LostCopyError('It was taken over or deleted.');
  await exchangeDatabases(projectDatabases, database, () => Promise.resolve());
}
