import Papa from 'papaparse';

/** A user as the import takes it. */
export type Importable = Readonly<Record<string, unknown>> & { readonly id: string };

interface ReadImport {
  readonly users: readonly Importable[];
  /** Why the text cannot be imported. */
  readonly fault: string | undefined;
}

const names: Readonly<Record<string, string>> = {
  id: 'id',
  user_id: 'id',
  uid: 'id',
  email: 'email',
  encrypted_password: 'encryptedPassword',
  password_hash: 'encryptedPassword',
  email_confirmed_at: 'emailConfirmedAt',
  created_at: 'createdAt',
  last_sign_in_at: 'lastSignInAt',
  user_metadata: 'userMetadata',
  raw_user_meta_data: 'userMetadata',
  phone: 'phone',
  banned_until: 'bannedUntil',
  deleted_at: 'deletedAt',
};

const most = 1_000;
const refused = (fault: string): ReadImport => ({ users: [], fault });

/** Reads users from JSON, a list or `{"users": […]}`, or from CSV with names in its first line. */
export function readImport(text: string): ReadImport {
  const begins = text.trimStart()[0];
  if (begins === undefined) return refused('There is nothing to read yet.');
  const rows = begins === '[' || begins === '{' ? rowsOfJson(text) : rowsOfCsv(text);
  if (typeof rows === 'string') return refused(rows);
  if (rows.length === 0) return refused('There is no user in it.');
  if (rows.length > most) return refused(`It has ${rows.length} users; import at most ${most} at once.`);
  return { users: rows.map(userOf), fault: undefined };
}

type Rows = readonly Readonly<Record<string, unknown>>[];

function rowsOfJson(text: string): Rows | string {
  try {
    const read: unknown = JSON.parse(text);
    const list = Array.isArray(read) ? read : (read as { users?: unknown }).users;
    if (!Array.isArray(list)) return 'The JSON has to be a list of users, or an object with a list `users`.';
    const at = list.findIndex((one) => typeof one !== 'object' || one === null);
    return at === -1 ? list : `Entry ${at + 1} is no object.`;
  } catch (error) {
    return `This is no JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function rowsOfCsv(text: string): Rows | string {
  const { data, errors } = Papa.parse<Record<string, unknown>>(text, { header: true, skipEmptyLines: true });
  const [error] = errors.filter(({ type }) => type !== 'Delimiter');
  if (error !== undefined) return `Line ${(error.row ?? 0) + 2}: ${error.message}`;
  return data.some((row) => Object.hasOwn(row, 'email'))
    ? data
    : 'The first line has to name the columns, `email` among them.';
}

function userOf(row: Readonly<Record<string, unknown>>): Importable {
  const known = Object.entries(row).flatMap(([name, value]) => {
    const shown = names[name];
    return shown === undefined || value === '' || value === null ? [] : [[shown, readValue(shown, value)] as const];
  });
  // One that comes without an id is new.
  return { id: crypto.randomUUID(), ...Object.fromEntries(known) };
}

function readValue(name: string, value: unknown): unknown {
  if (name !== 'userMetadata' || typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return { text: value };
  }
}
