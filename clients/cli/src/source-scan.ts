import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, resolve } from 'node:path';
import { readSource } from './read-source.ts';

/** The library that functions are written with. */
const library = '@svc/functions';

/** What it exports. Names of errors are its own. Contract 03, section 3. */
const exported: ReadonlySet<string> = new Set([
  'db',
  'adminDb',
  'auth',
  'email',
  'assets',
  'events',
  'functions',
  'defineFunctionRuns',
  'parseFunctionRun',
  'permanentRunError',
  'retryableRunError',
  'getSvcContext',
]);

const authMembers: ReadonlySet<string> = new Set([
  'requireUser',
  'requireRole',
  'requireMembership',
  'requireFresh',
  'user',
  'role',
  'fetch',
  'csrfToken',
  'csrfField',
  'checkCsrf',
]);

/** What of the library changes something, by its methods. */
const writes: Readonly<Record<string, string>> = {
  db: 'insert|update|upsert|delete',
  adminDb: 'insert|update|upsert|delete',
  email: 'send',
};

export interface ScanFinding {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface Scan {
  /** Sources that use the library. */
  readonly files: number;
  readonly findings: readonly ScanFinding[];
}

/** A source as it is scanned: its name for people, and its text. */
interface Source {
  readonly file: string;
  readonly text: string;
}

const extensions: ReadonlySet<string> = new Set([
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.astro',
]);
const skipped: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build', 'coverage']);
const bytesMax = 1024 * 1024;
const filesMax = 5_000;
const foldersMax = 20_000;
/** Of one source. */
const findingsMax = 100;

/** Scans the sources below a folder; what is installed, built, hidden or reached by a link is left out. */
export async function scanFolder(folder: string): Promise<Scan> {
  const sources: Source[] = [];
  const unread: ScanFinding[] = [];
  let files = 0;
  let seen = 0;
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const here = relative(folder, at);
    if ((seen += 1) > foldersMax) {
      unread.push(unreadable(here || '.', `Only the first ${foldersMax} folders are scanned: name one by --scan-dir.`));
      break;
    }
    const entries = await readdir(at, { withFileTypes: true }).catch(() => undefined);
    if (entries === undefined) unread.push(unreadable(here || '.', 'The folder cannot be read.'));
    for (const entry of entries ?? []) {
      const path = join(at, entry.name);
      if (entry.isDirectory() && !entry.name.startsWith('.') && !skipped.has(entry.name)) folders.push(path);
      if (!entry.isFile() || !extensions.has(extname(entry.name))) continue;
      const file = relative(folder, path);
      if ((files += 1) > filesMax) {
        unread.push(unreadable(file, `Only the first ${filesMax} sources are scanned: name a folder by --scan-dir.`));
        return scan(sources, unread);
      }
      try {
        const text = await textIn(path);
        // Most use other things: their text is not kept.
        if (text.includes(library)) sources.push({ file, text });
      } catch (error) {
        unread.push(unreadable(file, whyUnread(error)));
      }
    }
  }
  return scan(sources, unread);
}

/** The text of a source. @throws TooLong, and whatever keeps it from being read */
async function textIn(path: string): Promise<string> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error('It is no file.');
  if (found.size > bytesMax) throw new TooLong();
  return readFile(path, 'utf8');
}

class TooLong extends Error {}

const whyUnread = (error: unknown): string =>
  error instanceof TooLong ? 'The file is too long to be scanned.' : 'Its file cannot be read.';

/** Scans the functions of a release specification. @param folder where its paths begin */
export async function scanSpecification(specification: unknown, folder: string): Promise<Scan> {
  const { functions } = (specification ?? {}) as { functions?: { replace?: object; patch?: { set?: object } } | null };
  const specs = { ...functions?.replace, ...functions?.patch?.set } as Record<string, FunctionSpec | null>;
  const sources: Source[] = [];
  const unread: ScanFinding[] = [];
  for (const [name, spec] of Object.entries(specs))
    for (const [label, entry] of [['source', spec?.source] as const, ...Object.entries(spec?.files ?? {})]) {
      const file = `functions.${name}.${label}`;
      try {
        const text = await textOf(entry, folder);
        if (text !== undefined) sources.push({ file, text });
      } catch (error) {
        unread.push(unreadable(file, whyUnread(error)));
      }
    }
  return scan(sources, unread);
}

type FileEntry = string | { readonly path?: string; readonly data?: unknown; readonly encoding?: string } | undefined;

interface FunctionSpec {
  readonly source?: FileEntry;
  readonly files?: Readonly<Record<string, FileEntry>>;
}

/** @returns undefined for what stands elsewhere, as a content reference does */
async function textOf(entry: FileEntry, folder: string): Promise<string | undefined> {
  if (typeof entry === 'string') return entry;
  if (typeof entry?.path === 'string') return textIn(resolve(folder, entry.path));
  if (typeof entry?.data !== 'string') return undefined;
  return entry.encoding === 'base64' ? Buffer.from(entry.data, 'base64').toString() : entry.data;
}

const unreadable = (file: string, message: string): ScanFinding => ({
  code: 'SVC_AUTH_SOURCE_SCAN_ERROR',
  severity: 'warning',
  file,
  line: 1,
  message,
});

function scan(sources: readonly Source[], unread: readonly ScanFinding[]): Scan {
  const using = sources.filter(({ text }) => text.includes(library));
  return { files: using.length, findings: [...unread, ...using.flatMap(findingsIn)] };
}

function findingsIn({ file, text }: Source): ScanFinding[] {
  const source = readSource(text, library);
  const findings: ScanFinding[] = [];
  const found = (code: string, severity: ScanFinding['severity'], at: number, message: string) => {
    if (findings.length < findingsMax)
      findings.push({ code: `SVC_AUTH_${code}`, severity, file, line: source.lineAt(at), message });
  };
  for (const { name, at } of source.imports)
    if (!exported.has(name) && !name.endsWith('Error'))
      found('UNKNOWN_EXPORT', 'error', at, `${library} exports no ${name}.`);
  const auth = source.imports.find(({ name }) => name === 'auth');
  if (auth !== undefined)
    for (const { name, at } of source.membersOf(auth.local))
      if (!authMembers.has(name)) found('UNKNOWN_EXPORT', 'error', at, `auth of ${library} has no ${name}.`);
  const prerender = /\bexport\s+const\s+prerender\s*=\s*true\b/.exec(source.code);
  if (auth !== undefined && prerender !== null)
    found('PRERENDERED', 'error', prerender.index, 'A page that is made ahead of time has no user to ask about.');
  for (const { index } of source.code.matchAll(/\bauthz_?version\b/gi))
    found('AUTHZ_VERSION_PROHIBITED', 'error', index, 'The version of a user’s rights is the platform’s own.');
  const writers = source.imports.filter(({ name }) => writes[name] !== undefined);
  for (const { from, body } of source.handlers('GET'))
    for (const { name, local } of writers) {
      const change = new RegExp(
        `(?<![\\w$.])${local.replaceAll('$', '\\$')}\\b[^;]{0,1000}?\\.(?:${writes[name]})\\s*\\(`,
      ).exec(body);
      if (change !== null)
        found('STATE_CHANGING_GET', 'warning', from + change.index, 'A GET changes something: any link can cause it.');
    }
  return findings;
}

/** The folder that is scanned where none is named: this one, when it is a checkout. */
export async function checkoutFolder(cwd: string): Promise<string | undefined> {
  const names = await readdir(cwd);
  return ['package.json', '.svc.json', '.svc.local.json', '.svc'].some((name) => names.includes(name))
    ? cwd
    : undefined;
}
