import type { z } from 'zod';
import { type ErrorCode, ServiceError } from '../../core/errors.ts';
import { ExactNumber } from '../../core/exact-json.ts';
import { findTextFault } from '../../core/text.ts';

/** What a surface calls an input of an operation; refusals name inputs as the caller wrote them. */
export type Spelling = (name: string) => string;

/**
 * Checks an input against the operation. A null that the operation has no meaning for is an absent input.
 *
 * @throws VALIDATION_FAILED, or the operation's own code, that names every field at fault
 */
export function parseInput<Input extends z.ZodObject>(
  { input, invalidCode = 'VALIDATION_FAILED' }: { readonly input: Input; readonly invalidCode?: ErrorCode },
  raw: z.input<Input>,
  spelling: Spelling,
): z.output<Input> {
  const given = withoutNulls(input, raw);
  let parsed = input.safeParse(given, { reportInput: true });
  const rounded = parsed.success ? undefined : roundedAt(given, parsed.error.issues);
  if (rounded !== undefined) parsed = input.safeParse(rounded, { reportInput: true });
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => faultOf(issue, spelling));
    throw refusal(invalidCode, faults);
  }
  const fault = findTextFault(parsed.data);
  if (fault !== undefined) {
    const [field, reason] = [fault.field.replace(/^\w+/, spelling), fault.reason];
    throw refusal(invalidCode, [{ field, reason, words: reason }]);
  }
  return parsed.data;
}

/** The input with numbers that no double holds as doubles, where a field takes no other; undefined where none is at fault. */
function roundedAt(given: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  let rounded: unknown;
  for (const { path } of issues) {
    const at = path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], given);
    if (at instanceof ExactNumber) rounded = withValue(rounded ?? given, path, Number(at.text));
  }
  return rounded;
}

function withValue(whole: unknown, [key, ...rest]: readonly PropertyKey[], value: unknown): unknown {
  if (key === undefined) return value;
  const copy = (Array.isArray(whole) ? [...whole] : { ...(whole as object) }) as Record<PropertyKey, unknown>;
  copy[key] = withValue(copy[key], rest, value);
  return copy;
}

interface Fault {
  readonly field: string;
  /** The same in words, unless the reason has a code of its own. */
  readonly reason: string;
  readonly words: string;
}

function refusal(code: ErrorCode, faults: readonly Fault[]): ServiceError {
  const fields = faults.map(({ field, reason }) => ({ field, reason }));
  return new ServiceError(code, {
    message: faults.map(({ field, words }) => (field === '' ? words : `${field}: ${words}`)).join('; '),
    details: { ...fields[0], fields },
  });
}

function withoutNulls<Input extends z.ZodObject>({ shape }: Input, raw: z.input<Input>): unknown {
  const given = raw as Readonly<Record<string, unknown>>;
  const absent = Object.keys(shape).filter(
    (name) => given[name] === null && !(shape[name] as z.ZodType).safeParse(null).success,
  );
  return absent.length === 0 ? raw : { ...given, ...Object.fromEntries(absent.map((name) => [name, undefined])) };
}

function faultOf(issue: z.core.$ZodIssue, spelling: Spelling): Fault {
  const [first, ...inner] = [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])];
  const field = first === undefined ? '' : [spelling(String(first)), ...inner].join('.');
  const words = wordsOf(issue);
  const code: unknown = issue.code === 'custom' ? issue.params?.reason : undefined;
  return { field, reason: typeof code === 'string' ? code : words, words };
}

/** What an issue says when its schema has no words of its own: the validator's are for programmers. */
function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is required';
  if (!validatorsOwn.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return typeWords[issue.expected] ?? 'is not valid';
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `at least ${amount(issue.origin, issue.minimum)}`;
    case 'too_big':
      return `at most ${amount(issue.origin, issue.maximum)}`;
    case 'unrecognized_keys':
      return 'is not known here';
    default:
      return 'is not valid';
  }
}

/** How messages begin that no schema of ours wrote. */
const validatorsOwn = /^(Invalid|Too (small|big)|Unrecognized)\b/;

const typeWords: Readonly<Record<string, string>> = {
  string: 'must be a text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
};

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

function amount(origin: string, count: number | bigint): string {
  const unit = units[origin];
  return unit === undefined ? String(count) : `${count} ${unit}${count === 1 ? '' : 's'}`;
}
