import { quoteHint, refusals } from '../errors.ts';
import type { Preferences } from '../request/preferences.ts';
import type { RowQuery } from '../request/query.ts';
import type { RowRequest } from '../request/row-request.ts';
import type { ReadNode } from './read-node.ts';

const whereHint = 'Choose the rows by conditions on columns of the table, such as id=eq.1.';

/**
 * Refuses a PATCH or DELETE with a part that seems to choose rows and does not: the change would reach more rows than
 * were meant. What shapes the answer is no such part where the rows are answered.
 *
 * @throws PGRST100
 */
export function refuseIdleParts(request: RowRequest, query: RowQuery, root: ReadNode, preferences: Preferences): void {
  const { method } = request;
  const refuse = (part: string, hint = whereHint) => {
    throw refusals.choosesNothing(part, method, hint);
  };
  const answersRows = preferences.return === 'representation';
  const choosesRows = [...query.filters, ...query.logic].some(({ path }) => path.length === 0);
  for (const part of query.bare) refuse(`'${part}' without a value`);
  if (root.window !== undefined) refuse('A limit or offset', `${quoteHint('limit')} ${whereHint}`);
  if (request.header('range') !== undefined) refuse('A Range header');
  if (root.order.length > 0 && !answersRows) refuse('An order', `${quoteHint('order')} ${whereHint}`);
  if (query.onConflict !== undefined) refuse('on_conflict', `${quoteHint('on_conflict')} ${whereHint}`);
  if (method === 'DELETE' && query.columns !== undefined) refuse('columns', `${quoteHint('columns')} ${whereHint}`);
  const embedded = [...query.filters, ...query.logic].find(({ path }) => path.length > 0);
  if (embedded !== undefined && !(answersRows && choosesRows))
    refuse(`A condition on the embedded relation '${embedded.path.join('.')}'`);
  for (const { name, link } of root.children) if (link!.join === 'inner') refuse(`The inner join with '${name}'`);
}
