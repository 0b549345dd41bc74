import type { RowPlan } from './answer/row-plan.ts';
import { RowError } from './errors.ts';
import { argumentNames } from './plan/find-routine.ts';
import { refuseCostlyPatterns } from './plan/patterns.ts';
import { planCall } from './plan/plan-call.ts';
import { planChange } from './plan/plan-change.ts';
import { planOptions } from './plan/plan-options.ts';
import { planRead } from './plan/plan-read.ts';
import { requireRight } from './plan/require-right.ts';
import { seenBy } from './plan/seen-by.ts';
import { tableNamed } from './plan/table-named.ts';
import { readPreferences } from './request/preferences.ts';
import { parseQuery } from './request/query.ts';
import type { RowRequest, RowRole } from './request/row-request.ts';
import type { SchemaCache } from './schema/types.ts';

/** Refusals whose advice names tables and functions that the caller may not know of. */
const telling = new Set(['PGRST200', 'PGRST202', 'PGRST205']);

/**
 * Makes a request ready for a project's database: one statement, and how its row becomes an answer.
 *
 * @throws RowError for everything that can be refused without asking the database
 */
export function planRows(request: RowRequest, cache: SchemaCache, role: RowRole): RowPlan {
  try {
    if (request.target.kind === 'table') requireRight(cache, request.target.name, role);
    return plan(request, seenBy(cache, role), role);
  } catch (error) {
    const hides = error instanceof RowError && telling.has(error.code) && role !== 'service_role';
    throw hides ? error.withoutHint() : error;
  }
}

function plan(request: RowRequest, cache: SchemaCache, role: RowRole): RowPlan {
  if (request.method === 'OPTIONS') return planOptions(request, cache, role);
  const isFunction = request.target.kind === 'function';
  const preferences = readPreferences(request.header('prefer'));
  const query = parseQuery(
    request.search,
    isFunction && request.method !== 'POST' ? argumentNames(cache, request.target.name, role) : undefined,
  );
  refuseCostlyPatterns(query, role);
  if (isFunction) return planCall(request, cache, query, preferences, role);
  const table = tableNamed(cache, request.target.name);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead
    ? planRead(request, cache, table, query, preferences)
    : planChange(request, cache, table, query, preferences, role);
}
