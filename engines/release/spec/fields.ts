import { findTextFault } from '../../../core/text.ts';
import { invalid, SpecError } from '../errors.ts';

/** An object of JSON as it came. */
export type Json = Readonly<Record<string, unknown>>;

/** A reader of one member: its value, and where it is. */
export type Read<Value> = (value: unknown, at: string) => Value;

/** The dotted path of a member. */
export const below = (at: string, name: string | number): string => (at === '' ? String(name) : `${at}.${name}`);

/** Whether a value is an object that is no list. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * An object that has no other members than these. Local references of the authoring form are told apart, since a client
 * that sends one has forgotten a step.
 *
 * @throws SpecError
 */
export function object(value: unknown, at: string, members: readonly string[]): Json {
  if (!isObject(value)) throw invalid(at, 'must be an object');
  if (Object.hasOwn(value, '__source'))
    throw new SpecError('INVALID_WIRE_SCHEMA', `${at} names files of the client, which has to upload them first.`, {
      resource: at,
    });
  for (const name of Object.keys(value))
    if (!members.includes(name)) throw invalid(below(at, name), 'is not known here', { known: members });
  return value;
}

/** One of several spellings of a member; it may be given once. */
export function either(given: Json, at: string, ...names: readonly string[]): unknown {
  const present = names.filter((name) => given[name] !== undefined);
  if (present.length > 1) throw invalid(below(at, present[1]!), `is ${present[0]} under another name`);
  return present.length === 0 ? undefined : given[present[0]!];
}

/** What may be left out. */
export const optional =
  <Value>(read: Read<Value>): Read<Value | undefined> =>
  (value, at) =>
    value === undefined ? undefined : read(value, at);

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for.
const control = /[\u0000-\u001f\u007f]/;

/** Text that is not empty, and has neither control characters nor half a surrogate pair. */
export const text =
  (max = 1_024): Read<string> =>
  (value, at) => {
    if (typeof value !== 'string') throw invalid(at, 'must be text');
    if (value === '') throw invalid(at, 'is empty');
    if (Buffer.byteLength(value) > max) throw invalid(at, `is longer than ${max} bytes`);
    if (control.test(value) || !value.isWellFormed()) throw invalid(at, 'has characters that it cannot have');
    return value;
  };

export const matching =
  (pattern: RegExp, problem = `must match ${pattern.source}`): Read<string> =>
  (value, at) => {
    const found = text()(value, at);
    if (!pattern.test(found)) throw invalid(at, problem);
    return found;
  };

export const oneOf =
  <const Value extends string>(...values: readonly Value[]): Read<Value> =>
  (value, at) => {
    if (!values.includes(value as Value)) throw invalid(at, `must be ${values.join(' or ')}`);
    return value as Value;
  };

export const boolean: Read<boolean> = (value, at) => {
  if (typeof value !== 'boolean') throw invalid(at, 'must be true or false');
  return value;
};

export const integer =
  (min: number, max: number): Read<number> =>
  (value, at) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max)
      throw invalid(at, `must be a whole number from ${min} to ${max}`);
    return value;
  };

/** A list, whose entries are all read. */
export const list =
  <Value>(read: Read<Value>, { min = 0, max }: { readonly min?: number; readonly max: number }): Read<Value[]> =>
  (value, at) => {
    if (!Array.isArray(value)) throw invalid(at, 'must be a list');
    if (value.length > max) throw invalid(at, `has more than ${max} entries`);
    if (value.length < min) throw invalid(at, 'is empty');
    return value.map((one, place) => read(one, below(at, place)));
  };

/** A list without repetitions. */
export const distinct =
  <Value>(read: Read<Value[]>): Read<Value[]> =>
  (value, at) => {
    const found = read(value, at);
    const seen = new Set<Value>();
    for (const [place, one] of found.entries()) {
      if (seen.has(one)) throw invalid(below(at, place), 'is there twice', { value: one });
      seen.add(one);
    }
    return found;
  };

/**
 * A map by name. It has no prototype, so that every name is one like any other.
 *
 * @param readName the name as it is kept; two that are kept alike are refused
 */
export const map =
  <Value>(readName: Read<string>, read: Read<Value>, max: number): Read<Map<string, Value>> =>
  (value, at) => {
    if (!isObject(value)) throw invalid(at, 'must be an object');
    if (Object.hasOwn(value, '__source')) object(value, at, []);
    const entries = Object.entries(value);
    if (entries.length > max) throw invalid(at, `has more than ${max} entries`);
    const found = new Map<string, Value>();
    for (const [key, one] of entries) {
      const place = below(at, key);
      const name = readName(key, place);
      if (found.has(name)) throw invalid(place, 'is there twice');
      found.set(name, read(one, place));
    }
    return found;
  };

/** Plain data of a client's own, up to so many bytes. */
export const data =
  (max: number): Read<Json> =>
  (value, at) => {
    if (!isObject(value)) throw invalid(at, 'must be an object');
    // Before it is written: writing what is nested without end runs out of stack.
    const fault = findTextFault(value);
    if (fault !== undefined) {
      const member = fault.field.replace(/\[(\d+)\]/g, '.$1');
      throw invalid(member === '' ? at : below(at, member), fault.reason);
    }
    if (Buffer.byteLength(JSON.stringify(value)) > max) throw invalid(at, `takes more than ${max} bytes`);
    return value;
  };
