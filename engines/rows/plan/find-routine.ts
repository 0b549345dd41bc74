import { RowError } from '../errors.ts';
import type { BodyKind } from '../request/media-type.ts';
import type { RowRole } from '../request/row-request.ts';
import { type Routine, type SchemaCache, servedSchema } from '../schema/types.ts';
import { closest } from './closest.ts';
import { callable } from './require-right.ts';

export interface Sought {
  readonly name: string;
  readonly keys: readonly string[];
  /** The kind of body, for a call that has one. */
  readonly body: BodyKind | undefined;
}

/** What a function with a single argument without a name takes a body as. */
const wholeTypes: Readonly<Partial<Record<BodyKind, readonly string[]>>> = {
  json: ['json', 'jsonb'],
  text: ['text'],
  xml: ['xml'],
  bytes: ['bytea'],
};

/** Whether a function takes a body as it is. */
export const takesWhole = ({ arguments: args }: Routine): boolean => args.length === 1 && args[0]!.name === '';

/** Names of the arguments that the overloads of a function take which the caller has a right to. @throws 42501 */
export const argumentNames = (cache: SchemaCache, name: string, role: RowRole): ReadonlySet<string> =>
  new Set(callable(cache, name, role).flatMap((one) => one.arguments.map((argument) => argument.name)));

/**
 * The one function whose arguments are those given. Overloads differ in their arguments alone; those that the caller
 * has no right to are none, so that they neither get in the way nor are told of.
 *
 * @throws 42501, PGRST202 for none, PGRST203 for several
 */
export function findRoutine(cache: SchemaCache, role: RowRole, sought: Sought): Routine {
  const overloads = callable(cache, sought.name, role);
  const byName = overloads.filter((one) => matches(one, sought));
  const found = byName.length > 0 ? byName : overloads.filter((one) => matchesWhole(one, sought));
  if (found.length === 1) return found[0]!;
  throw found.length === 0 ? routineNotFound(cache, sought, overloads) : severalFound(found);
}

function matches(routine: Routine, { keys, body }: Sought): boolean {
  if (takesWhole(routine)) return false;
  const names = new Set(routine.arguments.map(({ name }) => name));
  if (names.size === 0) return keys.length === 0 && (body === undefined || body === 'json' || body === 'form');
  const required = routine.arguments.filter((one) => one.required);
  return keys.every((key) => names.has(key)) && required.every(({ name }) => keys.includes(name));
}

const matchesWhole = (routine: Routine, { body }: Sought): boolean =>
  body !== undefined && takesWhole(routine) && (wholeTypes[body] ?? []).includes(routine.arguments[0]!.type);

/** PGRST202 */
export function routineNotFound(
  cache: SchemaCache,
  { name, keys, body }: Sought,
  overloads: readonly Routine[],
): RowError {
  const fn = `${servedSchema}.${name}`;
  const wholeOnly = body === 'text' || body === 'xml' || body === 'bytes';
  const without = ' without parameters';
  const given = [...keys].sort();
  const listed = keys.length === 0 ? without : `(${given.join(', ')})`;
  const worded = keys.length === 0 ? without : ` with parameter${keys.length > 1 ? 's' : ''} ${given.join(', ')}`;
  const searched = wholeOnly
    ? ` with a single unnamed ${wholeTypes[body]![0]} parameter`
    : `${worded}${body === 'json' ? ' or with a single unnamed json/jsonb parameter' : ''}`;
  return new RowError(
    404,
    'PGRST202',
    `Could not find the function ${fn}${wholeOnly ? '' : listed} in the schema cache`,
    {
      details: `Searched for the function ${fn}${searched}, but no matches were found in the schema cache.`,
      hint: wholeOnly ? null : suggestion(cache, name, given, overloads),
    },
  );
}

function suggestion(cache: SchemaCache, name: string, given: string[], overloads: readonly Routine[]): string | null {
  const signature = (names: readonly string[]) => `(${[...names].sort().join(', ')})`;
  const meant =
    overloads.length === 0
      ? closest(name, cache.routines.keys())
      : closest(
          signature(given),
          overloads.map((one) => signature(one.arguments.map((argument) => argument.name))),
        );
  if (meant === undefined) return null;
  return `Perhaps you meant to call the function ${servedSchema}.${overloads.length === 0 ? '' : name}${meant}`;
}

function severalFound(found: readonly Routine[]): RowError {
  const signatures = found.map(
    (one) => `${servedSchema}.${one.name}(${one.arguments.map(({ name, type }) => `${name} => ${type}`).join(', ')})`,
  );
  return new RowError(
    300,
    'PGRST203',
    `Could not choose the best candidate function between: ${signatures.join(', ')}`,
    {
      hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
    },
  );
}
