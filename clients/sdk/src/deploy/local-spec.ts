import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { contentOfBytes, contentOfFile, inParallel, type LocalContent, walkFolder } from './local-files.ts';

type Json = Readonly<Record<string, unknown>>;

/** A specification as it is sent, with the bytes that it names. */
export interface ResolvedSpec {
  readonly spec: Json;
  /** By SHA-256. */
  readonly content: ReadonlyMap<string, LocalContent>;
  /** SQL that is too long to be written into the specification. A plan reads it, so it is uploaded first. */
  readonly longSql: readonly LocalContent[];
}

/** Longer SQL of a migration is uploaded, in bytes. A plan tells what the SQL does, and reads what stands in it. */
const inlineSqlBytes = 256 * 1024;

/** How many files are read at once. */
const readAtOnce = 8;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A local folder as a specification names it: `{ "__source": "local-dir", "path": "dist" }`. */
const folderOf = (value: unknown): string | undefined =>
  isObject(value) && value.__source === 'local-dir' && typeof value.path === 'string' ? value.path : undefined;

/**
 * Makes what is sent of what people write: folders, files and texts become content by its digest.
 *
 * @param spec may name a folder for `site.replace`, `{ path }`, `{ data, encoding }` or a text in place of content, `sql_path`
 * of a migration, and `source` of an asset
 * @param base folder that paths are meant from
 * @throws Error for a file that cannot be read
 */
export async function resolveSpec(spec: Json, base: string): Promise<ResolvedSpec> {
  const content = new Map<string, LocalContent>();
  const longSql: LocalContent[] = [];
  const keep = (found: LocalContent): LocalContent => {
    content.set(found.sha256, found);
    return found;
  };
  const at = (path: string) => (isAbsolute(path) ? path : join(base, path));
  const refOf = ({ sha256, size }: LocalContent, type?: unknown) => ({
    sha256,
    size,
    ...(type === undefined ? {} : { content_type: type }),
  });

  async function file(value: unknown): Promise<unknown> {
    if (typeof value === 'string') return refOf(keep(contentOfBytes(Buffer.from(value))));
    if (!isObject(value) || typeof value.sha256 === 'string') return value;
    if (typeof value.path === 'string') return refOf(keep(await contentOfFile(at(value.path))), value.content_type);
    if (typeof value.data === 'string') {
      const bytes = Buffer.from(value.data, value.encoding === 'base64' ? 'base64' : 'utf8');
      return refOf(keep(contentOfBytes(bytes)), value.content_type);
    }
    return value;
  }

  async function files(value: unknown): Promise<unknown> {
    const folder = folderOf(value);
    if (folder !== undefined) {
      const root = at(folder);
      const found = await inParallel(await walkFolder(root), readAtOnce, async (path) => {
        const one = keep(await contentOfFile(join(root, path)));
        return [path, refOf(one)] as const;
      });
      return Object.fromEntries(found);
    }
    if (!isObject(value)) return value;
    const entries = await inParallel(
      Object.entries(value),
      readAtOnce,
      async ([path, one]) => [path, await file(one)] as const,
    );
    return Object.fromEntries(entries);
  }

  async function migration(value: unknown): Promise<unknown> {
    if (!isObject(value)) return value;
    const { sql, sql_path: path = value.sql_file, sql_file: _file, ...rest } = value;
    if (typeof path !== 'string' && typeof sql !== 'string') return value;
    const { sql_path: _path, ...kept } = rest as Json;
    const bytes = typeof sql === 'string' ? Buffer.from(sql) : await readFile(at(path as string));
    const found = contentOfBytes(bytes);
    if (found.size <= inlineSqlBytes && isUtf8(bytes))
      return { ...kept, checksum: found.sha256, sql: bytes.toString() };
    longSql.push(keep(found));
    return { ...kept, checksum: found.sha256, sql_ref: refOf(found) };
  }

  async function asset(value: unknown): Promise<unknown> {
    if (!isObject(value) || value.source === undefined) return value;
    const { source, ...rest } = value;
    const found = (await file(typeof source === 'string' ? { path: source } : source)) as {
      sha256: string;
      size: number;
    };
    return { ...rest, sha256: found.sha256, size_bytes: found.size };
  }

  async function fn(value: unknown): Promise<unknown> {
    if (!isObject(value)) return value;
    return {
      ...value,
      ...(value.source === undefined ? {} : { source: await file(value.source) }),
      ...(value.files === undefined ? {} : { files: await files(value.files) }),
    };
  }

  /** Each member of an object by a rule of its own; others as they are. */
  async function members(value: unknown, rules: Readonly<Record<string, (one: unknown) => Promise<unknown>>>) {
    if (!isObject(value)) return value;
    const made = { ...value } as Record<string, unknown>;
    for (const [name, rule] of Object.entries(rules)) if (made[name] !== undefined) made[name] = await rule(made[name]);
    return made;
  }
  const each = (rule: (one: unknown) => Promise<unknown>) => async (value: unknown) =>
    Array.isArray(value)
      ? inParallel(value, readAtOnce, rule)
      : isObject(value)
        ? Object.fromEntries(
            await inParallel(Object.entries(value), readAtOnce, async ([key, one]) => [key, await rule(one)]),
          )
        : value;

  const { verify: _verify, $schema: _schema, ...sent } = spec;
  const resolved = await members(sent, {
    site: (site) => members(site, { replace: files, patch: (patch) => members(patch, { put: files }) }),
    database: (database) => members(database, { migrations: each(migration) }),
    functions: (functions) =>
      members(functions, { replace: each(fn), patch: (patch) => members(patch, { set: each(fn) }) }),
    assets: (assets) => members(assets, { put: each(asset) }),
  });
  return { spec: resolved as Json, content, longSql };
}
