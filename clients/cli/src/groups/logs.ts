import type { Cli } from '../cli.ts';
import type { Command, Flags, Group } from '../command.ts';
import { badUsage, Failure, local } from '../failure.ts';
import { call } from '../net/gateway.ts';
import {
  type Entry,
  inAudit,
  inErrors,
  inEvents,
  inFunctions,
  inMail,
  inPayments,
  inRequests,
  type Place,
  type Unread,
} from '../request-traces.ts';
import { orgFlag, projectFlag, requireOrg, requireProject } from '../resolve.ts';

const pattern = /^(req|fnrun|fnatt|job|trc)_[A-Za-z0-9_-]{1,128}$/;
const tailMax = 1000;

const logs: Command = {
  words: 'logs',
  summary:
    'What is known of one request: in the log of requests, what functions print, mail, payments, the audit trail, the events and the grouped failures.',
  about: [
    'A request’s id is the `trace_id` of its answer, or `req_…` of a function; with what its functions did through the platform’s library as they answered it. It is looked for in the project in use and its organization, or with --org in that organization alone. The audit trail and the payments need the role admin; what you may not read is named in `errors`, and the rest is shown.',
    'Of a long feed 2000 rows are looked through: the newest of the audit trail, the oldest of the events; one that has more is named in `incomplete`.',
  ],
  positionals: [
    { name: 'function', optional: true, about: 'Only what this function printed and failed with; as --function says.' },
  ],
  flags: [
    {
      name: 'request-id',
      type: 'string',
      placeholder: 'id',
      about: 'The request: trc_…, req_…, fnrun_…, fnatt_… or job_….',
      required: true,
    },
    {
      name: 'function',
      type: 'string',
      placeholder: 'name',
      about: 'Only what this function printed and failed with.',
    },
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
      throw badUsage('--request-id is no id of a request: trc_…, req_…, fnrun_…, fnatt_… or job_….', {
        field: 'request-id',
      });
    const chosen = ['app', 'platform', 'all'].filter((name) => flags.is(name));
    if (chosen.length > 1) throw badUsage('--app, --platform and --all exclude each other.', { field: chosen[1]! });
    const origin = chosen[0] ?? 'all';
    const since = sinceOf(flags.text('since'));
    const name = functionOf(positionals.function, flags.text('function'));
    const { org, project } = await place(cli, flags);
    const errors: Unread[] = [];
    const incomplete: string[] = [];
    const sources = {
      audit: () => inAudit(cli, org, id, () => incomplete.push('audit')),
      payments: () => inPayments(cli, org, id),
      events: () => inEvents(cli, { org, project }, id, () => incomplete.push('events')),
      ...(project === undefined
        ? {}
        : {
            requests: () => inRequests(cli, project, id),
            mail: () => inMail(cli, project, id),
            errors: () => inErrors(cli, project, id, name),
            functions: () => inFunctions(cli, project, { id, name, since: flags.text('since') }, errors),
          }),
    };
    const found: Entry[] = [];
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

export const group: Group = { name: 'logs', about: [logs.summary], commands: [logs] };
