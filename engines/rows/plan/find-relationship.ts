import { RowError } from '../errors.ts';
import { type Relationship, type SchemaCache, servedSchema } from '../schema/types.ts';
import { closest } from './closest.ts';

/**
 * The one relationship from a table that a name and a hint mean.
 *
 * @throws PGRST200 for none, PGRST201 for several
 */
export function findRelationship(
  cache: SchemaCache,
  origin: string,
  target: string,
  hint: string | undefined,
): Relationship {
  const all = cache.relationships.get(origin) ?? [];
  const found = all.filter((one) => isMeant(one, target, hint));
  if (found.length === 1) return found[0]!;
  throw found.length === 0 ? noneFound(cache, origin, target, hint) : severalFound(origin, target, found);
}

function isMeant(one: Relationship, target: string, hint: string | undefined): boolean {
  if (one.kind === 'computed') return one.routine === target;
  if (one.origin === one.target) return isMeantOfItself(one, target, hint);
  if (hint !== undefined)
    return (
      one.target === target &&
      (hasConstraint(one, hint) || comesBy(one, hint) || goesTo(one, hint) || goesThrough(one, hint))
    );
  // A constraint or a column names its table, and a view has neither.
  return one.target === target || (!one.targetIsView && (hasConstraint(one, target) || comesBy(one, target)));
}

/** A table that refers to itself: its name means the many, the column's the one. */
function isMeantOfItself(one: Relationship, target: string, hint: string | undefined): boolean {
  if (hint === undefined)
    return one.kind === 'one-to-many' ? one.target === target : one.kind === 'many-to-one' && comesBy(one, target);
  return one.kind === 'one-to-many' && one.target === target && goesTo(one, hint);
}

const hasConstraint = (one: Relationship, name: string) => 'constraint' in one && one.constraint === name;
const comesBy = (one: Relationship, column: string) =>
  'pairs' in one && one.pairs.length === 1 && one.pairs[0]![0] === column;
const goesTo = (one: Relationship, column: string) =>
  'pairs' in one && one.pairs.length === 1 && one.pairs[0]![1] === column;
const goesThrough = (one: Relationship, table: string) => one.kind === 'many-to-many' && one.junction.table === table;

function noneFound(cache: SchemaCache, origin: string, target: string, hint: string | undefined): RowError {
  const own = cache.relationships.get(origin);
  const [meant, given] =
    own === undefined
      ? [closest(origin, cache.relationships.keys()), origin]
      : [closest(target, new Set(own.map((one) => one.target))), target];
  return new RowError(
    400,
    'PGRST200',
    `Could not find a relationship between '${origin}' and '${target}' in the schema cache`,
    {
      details:
        `Searched for a foreign key relationship between '${origin}' and '${target}'` +
        `${hint === undefined ? '' : ` using the hint '${hint}'`} in the schema '${servedSchema}', but no matches were found.`,
      hint: meant === undefined || meant === given ? null : `Perhaps you meant '${meant}' instead of '${given}'.`,
    },
  );
}

function severalFound(origin: string, target: string, found: readonly Relationship[]): RowError {
  const ways = found.flatMap((one) => (one.kind === 'computed' ? [] : [`'${one.target}!${hintFor(one)}'`]));
  return new RowError(
    300,
    'PGRST201',
    `Could not embed because more than one relationship was found for '${origin}' and '${target}'`,
    {
      details: found.map(describe),
      hint: `Try changing '${target}' to one of the following: ${ways.join(', ')}. Find the desired relationship in the 'details' key.`,
    },
  );
}

type Found = Exclude<Relationship, { kind: 'computed' }>;

const hintFor = (one: Found) => (one.kind === 'many-to-many' ? one.junction.table : one.constraint);
const list = (names: readonly string[]) => `(${names.join(', ')})`;

function describe(one: Relationship): Record<string, string> {
  if (one.kind === 'computed') return {};
  const { origin, target, kind } = one;
  const relationship =
    one.kind === 'many-to-many'
      ? `${one.junction.table} using ${one.junction.fromConstraint}${list(one.junction.from.map(([from]) => from))}` +
        ` and ${one.junction.toConstraint}${list(one.junction.to.map(([from]) => from))}`
      : `${one.constraint} using ${origin}${list(one.pairs.map(([from]) => from))}` +
        ` and ${target}${list(one.pairs.map(([, to]) => to))}`;
  return { cardinality: kind, embedding: `${origin} with ${target}`, relationship };
}
