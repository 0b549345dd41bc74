import type { Cli } from '../cli.ts';
import type { Command, Flags, Group } from '../command.ts';
import { badUsage, Failure, local } from '../failure.ts';
import { call } from '../net/gateway.ts';
import { orgFlag, projectFlag, requireOrg, requireProject } from '../resolve.ts';

type Origin = 'app' | 'platform';

interface Entry {
  readonly source: 'audit' | 'events' | 'errors';
  readonly timestamp: string;
  readonly message: string;
  readonly origin: Origin;
  readonly record: Readonly<Record<string, unknown>>;
}

const pattern = /^(req|fnrun|fnatt|trc)_[A-Za-z0-9_-]{1,128}$/;
const pageRows = 200;
/** How many pages of each feed are searched, the newest first where the feed allows it. */
const pagesMax = 10;
const tailMax = 1000;

const logs: Command = {
  words: 'logs',
  summary: 'What is known of one request: in the audit trail, the events and the grouped failures.',
  about: [
    'A request’s id is the `trace_id` of its answer, or `req_…` of a function. It is looked for in the project in use and its organization, or with --org in that organization alone. The audit trail needs the role admin; what you may not read is named in `errors`, and the rest is shown.',
    'Of a long feed 2000 rows are looked through: the newest of the audit trail, the oldest of the events; one that has more is named in `incomplete`.',
  ],
  positionals: [{ name: 'function', optional: true, about: 'Only failures of this function; as --function says.' }],
  flags: [
    {
      name: 'request-id',
      type: 'string',
      placeholder: 'id',
      about: 'The request: trc_…, req_…, fnrun_… or fnatt_….',
      required: true,
    },
    { name: 'function', type: 'string', placeholder: 'name', about: 'Only failures of this function.' },
    {
      name: 'tail',
      type: 'integer',
      min: 1,
      max: tailMax,
      about: 'At most so many entries, the latest: 100 unless told.',
    },
    {
      name: 'since',
      type: 'string',
      placeholder: 'time',
      about: 'Only what is later: ISO 8601, or milliseconds since 1970.',
    },
    { name: 'app', type: 'boolean', about: 'What the application said.' },
    { name: 'platform', type: 'boolean', about: 'What the platform said.' },
    { name: 'all', type: 'boolean', about: 'Both, which is so unless told.' },
    projectFlag,
    { ...orgFlag, about: 'Organization, in place of a project.' },
  ],
  examples: [
    ['By the trace of an answer', 'logs --request-id trc_0123456789abcdef0123456789abcdef'],
    ['By a sample of a failure', 'logs checkout --request-id req_0kz3m --app'],
    [
      'What an organization knows of it',
      'logs --request-id trc_0123456789abcdef0123456789abcdef --org 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70',
    ],
  ],
  async run({ cli, positionals, flags }) {
    const id = flags.text('request-id')!;
    if (!pattern.test(id))
      throw badUsage('--request-id is no id of a request: trc_…, req_…, fnrun_… or fnatt_….', { field: 'request-id' });
    const chosen = ['app', 'platform', 'all'].filter((name) => flags.is(name));
    if (chosen.length > 1) throw badUsage('--app, --platform and --all exclude each other.', { field: chosen[1]! });
    const origin = chosen[0] ?? 'all';
    const since = sinceOf(flags.text('since'));
    const name = functionOf(positionals.function, flags.text('function'));
    const { org, project } = await place(cli, flags);
    const sources = {
      audit: () => inAudit(cli, org, id, () => incomplete.push('audit')),
      events: () => inEvents(cli, { org, project }, id, () => incomplete.push('events')),
      ...(project === undefined ? {} : { errors: () => inErrors(cli, project, id, name) }),
    };
    const errors: { name: string; error: unknown }[] = [];
    const found: Entry[] = [];
    const incomplete: string[] = [];
    const scanned: string[] = [];
    await Promise.all(
      Object.entries(sources).map(async ([name, read]) => {
        try {
          found.push(...(await read()));
          scanned.push(name);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          errors.push({ name, error: error.envelope });
        }
      }),
    );
    if (scanned.length === 0) throw local('API_ERROR', 'Nothing could be read.', { details: { errors } });
    const late = found.filter(({ timestamp }) => since === undefined || Date.parse(timestamp) >= since);
    const shown = late.filter((entry) => origin === 'all' || entry.origin === origin);
    const hidden = late.length - shown.length;
    return {
      ok: errors.length === 0,
      request_id: id,
      project_id: project ?? null,
      org_id: org,
      scanned: scanned.sort(),
      ...(incomplete.length === 0 ? {} : { incomplete: incomplete.sort() }),
      entries: shown.sort((a, b) => a.timestamp.localeCompare(b.timestamp)).slice(-(flags.number('tail') ?? 100)),
      ...(errors.length === 0 ? {} : { errors }),
      origin,
      ...(hidden === 0
        ? {}
        : { hidden: { [origin === 'app' ? 'platform' : 'app']: hidden }, hint: '--all shows the rest.' }),
    };
  },
};

interface Place {
  readonly org: string;
  /** Undefined when only the organization is searched. */
  readonly project?: string | undefined;
}

async function place(cli: Cli, flags: Flags): Promise<Place> {
  const named = flags.text('org');
  if (named !== undefined) {
    if (flags.text('project') !== undefined)
      throw badUsage('--org and --project exclude each other.', { field: 'org' });
    return { org: await requireOrg(cli, { '--org': named }) };
  }
  const project = await requireProject(cli, { '--project': flags.text('project') });
  const { body } = await call<{ org_id: string }>(cli, { method: 'GET', path: `/projects/v1/${project}`, project });
  return { org: body.org_id, project };
}

function functionOf(word: string | undefined, flag: string | undefined): string | undefined {
  if (word !== undefined && flag !== undefined && word !== flag)
    throw badUsage('Two different functions are named.', { field: 'function' });
  return word ?? flag;
}

function sinceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(ms)) throw badUsage('--since is a time: ISO 8601, or milliseconds since 1970.', { field: 'since' });
  return ms;
}

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Rows that contain the request id anywhere. */
const mentioning = (rows: Rows, id: string): Rows => rows.filter((row) => JSON.stringify(row).includes(id));

async function inAudit(cli: Cli, org: string, id: string, gaveUp: () => void): Promise<Entry[]> {
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

async function inEvents(cli: Cli, { org, project }: Place, id: string, gaveUp: () => void): Promise<Entry[]> {
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

async function inErrors(cli: Cli, project: string, id: string, name: string | undefined): Promise<Entry[]> {
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

export const group: Group = { name: 'logs', about: [logs.summary], commands: [logs] };
