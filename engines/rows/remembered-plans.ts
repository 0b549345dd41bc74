import { randomBytes } from 'node:crypto';
import { Lru } from '../../core/lru.ts';
import type { RowPlan } from './answer/row-plan.ts';
import { requireRight } from './plan/require-right.ts';
import { seenBy } from './plan/seen-by.ts';
import { planRows } from './plan-rows.ts';
import { decodeParam } from './request/query-params.ts';
import type { RowRequest, RowRole } from './request/row-request.ts';
import type { SchemaCache } from './schema/types.ts';
import type { Rendered, SqlValue } from './sql/sql.ts';

/** The plan of a shape of request: which of its statement's values are to be those of the request at hand. */
interface Template {
  readonly plan: RowPlan;
  readonly statement: Slots;
  readonly estimate: Slots | undefined;
}

/** For each value of a statement the number of the request's value that goes there; undefined where it is always the same. */
type Slots = readonly (number | undefined)[];

/** Plans remembered for one schema as a role sees it. They go when it goes. */
const bounds = { entries: 200, bytes: 256 * 1024 };
const remembered = new WeakMap<SchemaCache, Lru<Template>>();

/** A comparison whose value goes into the statement as it is, and says nothing of how that is written. */
const comparison = /^([a-z_][a-z0-9_.]*=(?:not\.)?(?:eq|neq|gt|gte|lt|lte)\.)(.*)$/is;
const special = /(?:^|\.)(?:select|columns|on_conflict|or|and|order|limit|offset)=/i;

/** Begins the placeholders of values while a shape is planned; no client knows it. */
const mark = `svcvalue${randomBytes(12).toString('hex')}x`;
const markOf = (nth: number) => `${mark}${nth}x`;

/**
 * As {@link planRows}, but a read of a table that differs from an earlier one in nothing but the values that columns
 * are compared with is not planned again.
 */
export function rememberedPlan(request: RowRequest, cache: SchemaCache, role: RowRole): RowPlan {
  const { method, target } = request;
  if (target.kind !== 'table' || (method !== 'GET' && method !== 'HEAD')) return planRows(request, cache, role);
  const shape = shapeOf(request.search);
  if (shape.values.some((value) => value.includes('\0'))) return planRows(request, cache, role);
  requireRight(cache, target.name, role);
  const seen = seenBy(cache, role);
  let known = remembered.get(seen);
  if (known === undefined) remembered.set(seen, (known = new Lru(bounds)));
  const { header } = request;
  const key = [method, target.name, shape.search, header('accept'), header('prefer'), header('range')].join('\n');
  let template = known.get(key);
  if (template === undefined) {
    template = templateOf(request, shape, cache, role);
    if (template === undefined) return planRows(request, cache, role);
    known.set(key, template, 2 * (key.length + template.plan.statement.text.length) + 1_024);
  }
  return filled(template, shape.values);
}

interface Shape {
  /** The query string with marks for values. */
  readonly search: string;
  readonly values: readonly string[];
}

function shapeOf(search: string): Shape {
  const values: string[] = [];
  let marked = '';
  for (const piece of search.split('&')) {
    if (marked !== '') marked += '&';
    const [, before, value] = comparison.exec(piece) ?? [];
    if (before === undefined || value === undefined || special.test(before)) marked += piece;
    else marked += before + markOf(values.push(decodeParam(value)) - 1);
  }
  return { search: marked, values };
}

/** The shape's plan; undefined when it cannot be told where its values go, or when it is to be refused. */
function templateOf(
  request: RowRequest,
  { search, values }: Shape,
  cache: SchemaCache,
  role: RowRole,
): Template | undefined {
  let plan: RowPlan;
  try {
    plan = planRows({ ...request, search }, cache, role);
  } catch {
    // Refused in the words of the request itself.
    return undefined;
  }
  const numbers = new Map(values.map((_, nth) => [markOf(nth), nth]));
  const statement = slotsOf(plan.statement, numbers);
  const estimate = plan.estimate === undefined ? undefined : slotsOf(plan.estimate, numbers);
  if (statement === undefined || (plan.estimate !== undefined && estimate === undefined)) return undefined;
  return { plan, statement, estimate };
}

/** Where the marks are; undefined when one is anything but a whole value, or is missing. */
function slotsOf({ text, values }: Rendered, numbers: ReadonlyMap<string, number>): Slots | undefined {
  const slots = values.map((value) => (typeof value === 'string' ? numbers.get(value) : undefined));
  const isElsewhere = values.some(
    (value, at) => slots[at] === undefined && typeof value === 'string' && value.includes(mark),
  );
  if (isElsewhere || text.includes(mark) || new Set(slots.filter((slot) => slot !== undefined)).size !== numbers.size)
    return undefined;
  return slots;
}

function filled({ plan, statement, estimate }: Template, values: readonly string[]): RowPlan {
  if (values.length === 0) return plan;
  const fill = ({ text, values: own }: Rendered, slots: Slots): Rendered => ({
    text,
    values: own.map((value, at): SqlValue => (slots[at] === undefined ? value : values[slots[at]]!)),
  });
  return {
    ...plan,
    statement: fill(plan.statement, statement),
    estimate: plan.estimate === undefined ? undefined : fill(plan.estimate, estimate!),
  };
}
