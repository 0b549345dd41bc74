import { createHash } from 'node:crypto';
import { invalidField } from '../../core/errors.ts';
import { isObject } from '../../engines/release/spec/fields.ts';

type Json = Readonly<Record<string, unknown>>;

/** A specification as the gateway plans it, with the bytes that came inside of it. */
export interface InlineSpec {
  readonly spec: Json;
  /** By SHA-256. */
  readonly content: ReadonlyMap<string, Buffer>;
}

/** Most content that one call may bring, in bytes. Contract 04, section 4.2.2. */
export const inlineBytesMax = 1_000_000;

type Rule = (value: unknown, at: string) => unknown;

/**
 * Replaces texts and data in a specification by their digests. Uploaded content (`sha256` and `size`) stays as it is.
 *
 * @throws VALIDATION_FAILED for too much content, for data that is not what it says, and for files of another machine
 */
export function inlineSpec(given: Json): InlineSpec {
  const content = new Map<string, Buffer>();
  let total = 0;

  function keep(bytes: Buffer, at: string) {
    total += bytes.length;
    if (total > inlineBytesMax)
      throw invalidField(at, `exceeds the ${inlineBytesMax} bytes of content that one call may bring`);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    content.set(sha256, bytes);
    return { sha256, size: bytes.length };
  }

  const file: Rule = (value, at) => {
    if (typeof value === 'string') return keep(Buffer.from(value), at);
    if (!isObject(value) || value.sha256 !== undefined) return value;
    if (value.path !== undefined) throw unreadable(at);
    if (typeof value.data !== 'string') return value;
    const { data, encoding, ...rest } = value;
    return { ...rest, ...keep(bytesOf(value.data, encoding, at), at) };
  };
  const files: Rule = (value, at) => {
    if (isObject(value) && value.__source !== undefined) throw unreadable(at);
    return each(file)(value, at);
  };
  const migration: Rule = (value, at) => {
    if (!isObject(value)) return value;
    if (value.sql_path !== undefined || value.sql_file !== undefined) throw unreadable(at);
    // The SQL stays where it is: a plan warns of what it can read, and uploads come after the plan.
    return value;
  };
  const asset: Rule = (value, at) => {
    if (!isObject(value) || value.source === undefined) return value;
    const { source, ...rest } = value;
    const ref = file(source, `${at}.source`);
    return isObject(ref) ? { ...rest, sha256: ref.sha256, size_bytes: ref.size } : value;
  };
  const code: Rule = members({ source: file, files });

  const spec = members({
    site: members({ replace: files, patch: members({ put: files }) }),
    database: members({ migrations: each(migration) }),
    functions: members({ replace: each(code), patch: members({ set: each(code) }) }),
    assets: members({ put: each(asset) }),
  })(given, '') as Json;
  return { spec, content };
}

const below = (at: string, name: string | number) => (at === '' ? String(name) : `${at}.${name}`);

/** Each member that has a rule, by it; all others as they are. */
const members =
  (rules: Readonly<Record<string, Rule>>): Rule =>
  (value, at) =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([name, one]) => {
            const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
            return [name, rule === undefined ? one : rule(one, below(at, name))];
          }),
        )
      : value;

/** Each entry of a list or a map by one rule. */
const each =
  (rule: Rule): Rule =>
  (value, at) =>
    Array.isArray(value)
      ? value.map((one, place) => rule(one, below(at, place)))
      : isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, rule(one, below(at, name))]))
        : value;

/** The bytes of a text or of base64. @throws VALIDATION_FAILED */
export function bytesOf(data: string, encoding: unknown, at: string): Buffer {
  if (encoding === undefined || encoding === 'utf-8') return Buffer.from(data);
  if (encoding !== 'base64') throw invalidField(`${at}.encoding`, 'must be utf-8 or base64');
  const bytes = Buffer.from(data, 'base64');
  if (bytes.toString('base64') !== data) throw invalidField(`${at}.data`, 'is not base64');
  return bytes;
}

const unreadable = (at: string) =>
  invalidField(at, 'names files of a machine, which this tool cannot read: send their data, or use deploy_site_dir');
