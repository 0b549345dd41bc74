import { guardRefusal, guardWord } from '../answer/guards.ts';
import { answerHeaders } from '../answer/headers.ts';
import type { RowPlan } from '../answer/row-plan.ts';
import { withTenantResponse } from '../answer/tenant-response.ts';
import { type CallArguments, callSql } from '../compile/call.ts';
import { answerColumns, documentSql, type Guard, type RowsShape } from '../compile/document.ts';
import { readSql } from '../compile/read.ts';
import { refusals } from '../errors.ts';
import { type AnswerFormat, type BodyKind, bodyKindOf, negotiate } from '../request/media-type.ts';
import { ofObject, type Payload, readRows } from '../request/payload.ts';
import type { Preferences } from '../request/preferences.ts';
import type { RowQuery } from '../request/query.ts';
import { type QueryParam, readParams } from '../request/query-params.ts';
import type { RowRequest, RowRole } from '../request/row-request.ts';
import type { Routine, SchemaCache } from '../schema/types.ts';
import { render } from '../sql/sql.ts';
import { findRoutine, takesWhole } from './find-routine.ts';
import { countingOf, narrow, pageOf } from './plan-read.ts';
import { readTree } from './read-tree.ts';

/** Calls a function. */
export function planCall(
  request: RowRequest,
  cache: SchemaCache,
  query: RowQuery,
  preferences: Preferences,
  role: RowRole,
): RowPlan {
  const { method } = request;
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') throw refusals.method(method);
  const given = givenTo(request, query);
  const routine = findRoutine(cache, role, { name: request.target.name, keys: given.keys, body: given.body });
  const root = readTree(cache, routine.returnsTable ?? routine.name, query, true);
  narrow(root, request);
  const format = negotiate(request.header('accept'));
  const counting = countingOf(root, 'source', preferences);
  const statement = documentSql({
    source: callSql(routine, given.toArguments(routine)),
    rows: readSql(root, { from: 'source', limited: routine.returnsSet }),
    format,
    shape: shapeOf(routine),
    withBody: method !== 'HEAD' && !routine.returnsVoid,
    total: counting.total,
    location: [],
    guards: guardsOf(routine, format, preferences),
    guardWord,
    tenantResponse: true,
  });
  const { resolution: _resolution, missing: _missing, return: _return, ...applied } = preferences;
  return {
    statement: render(statement),
    // What a function returns, no planner knows.
    estimate: undefined,
    readOnly: method !== 'POST' || routine.volatility !== 'volatile',
    runsProjectCode: true,
    timezone: preferences.timezone,
    refusalOf: guardRefusal,
    toAnswer(row) {
      const page = pageOf(root, Number(row[answerColumns.rows]), counting.totalOf(row[answerColumns.total], undefined));
      const headers = answerHeaders(routine.returnsVoid ? undefined : format, applied, { 'content-range': page.range });
      const status = routine.returnsVoid ? 204 : page.status;
      return withTenantResponse({ status, headers, body: row[answerColumns.body] ?? '' }, row);
    },
  };
}

interface Given {
  readonly keys: readonly string[];
  readonly body: BodyKind | undefined;
  readonly toArguments: (routine: Routine) => CallArguments;
}

function givenTo(request: RowRequest, query: RowQuery): Given {
  if (request.method !== 'POST') return texts(query.args, undefined);
  const kind = bodyKindOf(request.header('content-type'));
  if (kind === 'form') return texts(readParams(Buffer.from(request.body).toString('utf8')), 'form');
  const bytes = Buffer.from(request.body);
  if (kind === 'text' || kind === 'xml' || kind === 'bytes')
    return { keys: [], body: kind, toArguments: () => ({ kind: 'whole', bytes }) };
  const payload: Payload = bytes.length === 0 ? ofObject({}) : readRows(bytes, kind, query.columns);
  return {
    keys: payload.keys,
    body: 'json',
    toArguments: (routine) =>
      takesWhole(routine) ? { kind: 'whole', bytes } : { kind: 'members', payload, names: payload.keys },
  };
}

/** One given several times is a list where the function takes any number, and else its last. */
function texts(params: readonly QueryParam[], body: BodyKind | undefined): Given {
  const all = Map.groupBy(params, ([name]) => name);
  return {
    keys: [...all.keys()],
    body,
    toArguments: ({ arguments: args }) => ({
      kind: 'texts',
      values: new Map(
        [...all].map(([name, values]) => {
          const variadic = args.some((one) => one.name === name && one.variadic);
          return [name, variadic ? values.map(([, value]) => value) : values.at(-1)![1]];
        }),
      ),
    }),
  };
}

function shapeOf({ returnsRows, returnsSet }: Routine): RowsShape {
  if (returnsRows) return returnsSet ? 'rows' : 'row';
  return returnsSet ? 'values' : 'value';
}

function guardsOf(routine: Routine, format: AnswerFormat, { handling, maxAffected }: Preferences): Guard[] {
  const guards: Guard[] = format.kind === 'object' && routine.returnsSet ? [{ kind: 'single', most: 1 }] : [];
  if (handling !== 'strict' || maxAffected === undefined) return guards;
  if (!routine.returnsSet) throw refusals.maxAffectedCall();
  return [{ kind: 'max-affected', most: maxAffected }, ...guards];
}
