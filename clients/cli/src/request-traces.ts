import type { Cli } from './cli.ts';
import { Failure } from './failure.ts';
import { call } from './net/gateway.ts';

type Origin = 'app' | 'platform';

/** Something that is known of a request. */
export interface Entry {
  readonly source: 'audit' | 'events' | 'errors' | 'functions' | 'mail' | 'payments' | 'requests';
  /** The function that printed it. */
  readonly function?: string;
  readonly timestamp: string;
  readonly message: string;
  readonly origin: Origin;
  readonly record: Readonly<Record<string, unknown>>;
}

/** Where a request was looked for. */
export interface Place {
  readonly org: string;
  /** Undefined when only the organization is searched. */
  readonly project?: string | undefined;
}

/** What could not be read, with why. */
export interface Unread {
  readonly name: string;
  readonly error: unknown;
}

const pageRows = 200;
/** How many pages of each feed are searched, the newest first where the feed allows it. */
const pagesMax = 10;
/** Most lines of one function that are answered. */
const linesMax = 1_000;

type Rows = readonly Readonly<Record<string, unknown>>[];

const pair = /^(trc|req)_(?=[0-9a-f]{32}$)/;

/** The id by which functions know a request: one that a function answers has it beside the id of its trace. */
const asRequest = (id: string): string => id.replace(pair, 'req_');

const asTrace = (id: string): string => id.replace(pair, 'trc_');

/** Rows that contain the request’s id anywhere, in either form. */
const mentioning = (rows: Rows, id: string): Rows =>
  rows.filter((row) => {
    const text = JSON.stringify(row);
    return text.includes(asTrace(id)) || text.includes(asRequest(id));
  });

/** In the audit trail of an organization. @param gaveUp told when there is more than was looked through */
export async function inAudit(cli: Cli, org: string, id: string, gaveUp: () => void): Promise<Entry[]> {
  const entries: Entry[] = [];
  let after: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const query = { limit: String(pageRows), after };
    const { body } = await call<{ events: Rows; next_cursor: string | null }>(cli, {
      method: 'GET',
      path: `/orgs/v1/${org}/audit`,
      query,
    });
    for (const record of mentioning(body.events, id))
      entries.push({
        source: 'audit',
        timestamp: String(record.occurred_at),
        message: String(record.action),
        origin: 'platform',
        record,
      });
    if (body.next_cursor === null) return entries;
    after = body.next_cursor;
  }
  gaveUp();
  return entries;
}

/** In the events of a project or an organization. @param gaveUp told when there is more than was looked through */
export async function inEvents(cli: Cli, { org, project }: Place, id: string, gaveUp: () => void): Promise<Entry[]> {
  const path = project === undefined ? `/orgs/v1/${org}/events` : `/projects/v1/${project}/events`;
  const entries: Entry[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const query = { limit: String(pageRows), cursor };
    const { body } = await call<{ events: Rows; cursor: string; has_more: boolean }>(cli, {
      method: 'GET',
      path,
      query,
      project,
    });
    for (const record of mentioning(body.events, id))
      entries.push({
        source: 'events',
        timestamp: String(record.occurred_at),
        message: String(record.event_type),
        origin: record.source === 'app' ? 'app' : 'platform',
        record,
      });
    if (!body.has_more) return entries;
    cursor = body.cursor;
  }
  gaveUp();
  return entries;
}

/** In the grouped failures of a project. */
export async function inErrors(cli: Cli, project: string, id: string, name: string | undefined): Promise<Entry[]> {
  const query = { limit: String(pageRows), function: name };
  const { body } = await call<{ errors: Rows }>(cli, {
    method: 'GET',
    path: `/projects/v1/${project}/errors`,
    query,
    project,
  });
  return mentioning(body.errors, id).map((record) => ({
    source: 'errors' as const,
    timestamp: String(record.last_seen),
    message: `${record.function}: ${record.error_name}: ${record.message_template}`,
    origin: 'app' as const,
    record,
  }));
}

interface Wanted {
  readonly id: string;
  /** One function. @default all that the project has */
  readonly name: string | undefined;
  readonly since: string | undefined;
}

/** In the log of a project’s requests, with those that functions sent as they answered it. */
export async function inRequests(cli: Cli, project: string, id: string): Promise<Entry[]> {
  const { body } = await call<{ requests: Rows }>(cli, {
    method: 'GET',
    path: `/projects/v1/${project}/requests`,
    query: { limit: String(pageRows), request_id: asTrace(id) },
    project,
  });
  return body.requests.map((record) => ({
    source: 'requests',
    timestamp: String(record.at),
    message: [record.method, record.path, record.status, record.code].filter((one) => one !== null).join(' '),
    origin: 'platform',
    record,
  }));
}

/** In the mail that a project sends, of all its mailboxes. */
export async function inMail(cli: Cli, project: string, id: string): Promise<Entry[]> {
  const { body } = await call<{ mailboxes: readonly { readonly mailbox_id: string }[] }>(cli, {
    method: 'GET',
    path: '/mailboxes/v1',
    query: { project_id: project },
    project,
  });
  const pages = await Promise.all(
    body.mailboxes.map(({ mailbox_id: mailbox }) =>
      call<{ messages: Rows }>(cli, {
        method: 'GET',
        path: `/mailboxes/v1/${mailbox}/messages`,
        query: { project_id: project, limit: String(pageRows), request_id: asRequest(id) },
        project,
      }),
    ),
  );
  return pages.flatMap((page) =>
    page.body.messages.map((record) => ({
      source: 'mail' as const,
      timestamp: String(record.created_at),
      message: [`To ${record.to}: ${record.status}`, record.last_error ?? ''].filter((one) => one !== '').join(': '),
      origin: 'platform' as const,
      record,
    })),
  );
}

/** In what moved the balance of an organization. */
export async function inPayments(cli: Cli, org: string, id: string): Promise<Entry[]> {
  const { body } = await call<{ entries: Rows }>(cli, {
    method: 'GET',
    path: `/orgs/v1/${org}/billing/history`,
    query: { limit: String(pageRows), request_id: asRequest(id) },
  });
  return body.entries.map((record) => ({
    source: 'payments',
    timestamp: String(record.created_at),
    message: `${record.kind}: ${record.direction} of ${record.amount_usd_micros} micro-dollars`,
    origin: 'platform',
    record,
  }));
}

/**
 * In what the functions of a project have printed, all of them at once.
 *
 * @param unread is told of the functions whose lines could not be read
 */
export async function inFunctions(
  cli: Cli,
  project: string,
  { id, name, since }: Wanted,
  unread: Unread[],
): Promise<Entry[]> {
  if (asRequest(id).startsWith('trc_')) return [];
  const all = `/projects/v1/admin/${project}/functions`;
  const read = async (one: string): Promise<Entry[]> => {
    const { body } = await call<{ logs: Rows }>(cli, {
      method: 'GET',
      path: `${all}/${encodeURIComponent(one)}/logs`,
      query: { request_id: asRequest(id), tail: String(linesMax), since },
      project,
    });
    return body.logs.map((record) => ({
      source: 'functions' as const,
      function: one,
      timestamp: String(record.timestamp),
      message: String(record.message),
      origin: record.origin === 'platform' ? ('platform' as const) : ('app' as const),
      record,
    }));
  };
  if (name !== undefined) return read(name);
  const { body } = await call<{ functions: readonly { readonly name: string }[] }>(cli, {
    method: 'GET',
    path: all,
    project,
  });
  const found = await Promise.all(
    body.functions.map(({ name: one }) =>
      read(one).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        unread.push({ name: `functions/${one}`, error: error.envelope });
        return [];
      }),
    ),
  );
  return found.flat();
}
