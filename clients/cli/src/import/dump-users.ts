import { badDump } from './dump-error.ts';
import { failedAt } from './failed-at.ts';
import { bytesInRequest, type ProjectEndpoint, requestBytes } from './project-endpoint.ts';
import { type DumpRow, requireWidth } from './table-rows.ts';

type Values = Readonly<Record<string, string | null | undefined>>;

/** What became of the users of a dump. */
export interface UsersOutcome {
  imported: number;
  unchanged: number;
  /** Users that are not in the project, with the reason of each. */
  readonly skipped: Record<string, unknown>[];
  /** Names of what users have there and not here, with how many have it. */
  readonly left_out: Record<string, number>;
}

interface Outcome {
  readonly imported: number;
  readonly unchanged: number;
  readonly users: readonly {
    readonly status: string;
    readonly left_out: readonly string[];
    readonly [name: string]: unknown;
  }[];
}

const usersMax = 1_000;

/**
 * Users of a Supabase dump, by the names of its columns. In a dump of schema and rows the social accounts come first,
 * and users are sent as they are read; in one of rows alone users wait in memory for their accounts.
 */
export class DumpUsers {
  readonly outcome: UsersOutcome = { imported: 0, unchanged: 0, skipped: [], left_out: {} };
  readonly #endpoint: ProjectEndpoint | undefined;
  readonly #accounts = new Map<string, object[]>();
  #hasAccounts = false;
  #users: { readonly user: Record<string, unknown>; readonly line: number; readonly bytes: number }[] = [];
  #bytes = 0;
  #read = 0;

  /** @param endpoint undefined: nothing is sent */
  constructor(endpoint: ProjectEndpoint | undefined) {
    this.#endpoint = endpoint;
  }

  /** Users that were read. */
  get count(): number {
    return this.#read;
  }

  addAccount(columns: readonly string[], { cells, line }: DumpRow): void {
    const row = valuesOf(columns, cells, line);
    const { user_id, provider } = row;
    if (!user_id || !provider || provider === 'email') return;
    const data = jsonOf(row.identity_data, line);
    const account = {
      provider,
      // Older dumps have the subject as the id of the row.
      provider_id: row.provider_id ?? (typeof data.sub === 'string' ? data.sub : (row.id ?? '')),
      email: row.email ?? (typeof data.email === 'string' ? data.email : null),
      created_at: row.created_at ?? null,
    };
    const known = this.#accounts.get(user_id);
    if (known === undefined) this.#accounts.set(user_id, [account]);
    else known.push(account);
  }

  /** All accounts are known. */
  accountsEnd(): void {
    this.#hasAccounts = true;
  }

  /** @returns something to wait for when there is enough for a request */
  addUser(columns: readonly string[], { cells, line }: DumpRow): Promise<void> | undefined {
    const row = valuesOf(columns, cells, line);
    const user = {
      id: row.id ?? '',
      email: row.email || null,
      encrypted_password: row.encrypted_password || null,
      email_confirmed_at: (columns.includes('email_confirmed_at') ? row.email_confirmed_at : row.confirmed_at) ?? null,
      created_at: row.created_at ?? null,
      last_sign_in_at: row.last_sign_in_at ?? null,
      user_metadata: jsonOf(row.raw_user_meta_data, line),
      app_metadata: jsonOf(row.raw_app_meta_data, line),
      phone: row.phone || null,
      banned_until: row.banned_until ?? null,
      deleted_at: row.deleted_at ?? null,
      is_anonymous: row.is_anonymous === 't',
      is_sso_user: row.is_sso_user === 't',
    };
    const bytes = bytesInRequest(JSON.stringify(user)) + 512;
    this.#read += 1;
    const isFull = this.#users.length === usersMax || this.#bytes + bytes > requestBytes;
    const sent = this.#hasAccounts && isFull && this.#users.length > 0 ? this.#flush() : undefined;
    this.#users.push({ user, line, bytes });
    this.#bytes += bytes;
    return sent;
  }

  async end(): Promise<void> {
    await this.#flush();
  }

  async #flush(): Promise<void> {
    const waiting = this.#users;
    this.#users = [];
    this.#bytes = 0;
    if (this.#endpoint === undefined) return;
    for (let from = 0; from < waiting.length; ) {
      let to = from;
      for (let bytes = 0; to < waiting.length && to - from < usersMax; to += 1) {
        const { user } = waiting[to]!;
        const identities = this.#accounts.get(String(user.id));
        bytes += waiting[to]!.bytes + (identities === undefined ? 0 : bytesInRequest(JSON.stringify(identities)));
        if (bytes > requestBytes && to > from) break;
        if (identities !== undefined) user.identities = identities;
      }
      const batch = waiting.slice(from, to);
      await this.#send(
        batch[0]!.line,
        batch.map(({ user }) => user),
      );
      from = to;
    }
  }

  async #send(line: number, users: readonly object[]): Promise<void> {
    const answer = (await failedAt(line, () => this.#endpoint!.importUsers(users))) as unknown as Outcome;
    this.outcome.imported += answer.imported;
    this.outcome.unchanged += answer.unchanged;
    for (const { status, left_out, ...told } of answer.users) {
      if (status === 'skipped') this.outcome.skipped.push(told);
      for (const name of left_out) this.outcome.left_out[name] = (this.outcome.left_out[name] ?? 0) + 1;
    }
  }
}

function valuesOf(columns: readonly string[], cells: readonly (string | null)[], line: number): Values {
  requireWidth({ cells, line }, columns.length);
  return Object.fromEntries(columns.map((name, at) => [name, cells[at]]));
}

function jsonOf(text: string | null | undefined, line: number): Record<string, unknown> {
  if (!text) return {};
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    throw badDump(line, 'The data of the user is no JSON.');
  }
}
