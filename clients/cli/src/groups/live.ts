import { SvcError } from '../../../sdk/src/errors.ts';
import { liveStream } from '../../../sdk/src/live.ts';
import type { Cli } from '../cli.ts';
import type { Command, Group } from '../command.ts';
import { badUsage, Failure, local } from '../failure.ts';
import { apikeyCredential, type KeyKind } from '../keys.ts';
import type { Credential } from '../net/credential.ts';
import { call, connection, failed } from '../net/gateway.ts';
import { note, pause } from '../progress.ts';
import { projectFlag, requireProject } from '../resolve.ts';

/** Pauses before the stream reconnects, in milliseconds; the last one repeats. */
const pauses = [250, 1_000, 3_000, 10_000];

const live: Command = {
  words: 'live',
  summary: 'Follow what changes in live tables of a project.',
  about: [
    'A line for each event: `ready`, `change`, `resync` (fetch anew), `reconnect`, and `disconnected` when the stream drops, which is said here and not by the gateway. It comes back by its cursor, unless it was never there. Hints never hold rows: `projects rest` reads those.',
    'With --once it is one read: what changed after --cursor, waiting up to --wait seconds for it.',
  ],
  flags: [
    { name: 'tables', type: 'list', placeholder: 'a,b', required: true, about: 'Live tables, at most 20.' },
    { name: 'cursor', type: 'string', about: 'Go on after this; from now on unless told.' },
    {
      name: 'as',
      type: 'string',
      choices: ['anon', 'service'],
      about: 'Which of the project’s keys: service unless told, where it is kept here.',
    },
    { name: 'once', type: 'boolean', about: 'Read once, and answer {changes, cursor, resync}.' },
    {
      name: 'wait',
      type: 'integer',
      min: 1,
      max: 25,
      placeholder: 'seconds',
      about: 'With --once: wait for a change, 1 to 25 seconds.',
    },
    projectFlag,
  ],
  examples: [
    ['Follow two tables', 'live --tables notes,tags'],
    ['What happened since', 'live --tables notes --once --cursor lcr_… --wait 10'],
  ],
  operations: ['projects.openLive'],
  async run({ cli, flags, line }) {
    if (flags.number('wait') !== undefined && !flags.is('once'))
      throw badUsage('--wait goes with --once: a stream waits anyway.', { field: 'wait' });
    const project = await requireProject(cli, { '--project': flags.text('project') });
    const tables = flags.list('tables')!.join(',');
    const credential = await keyFor(cli, project, flags.text('as'));
    const query = { project_id: project, tables, cursor: flags.text('cursor') };
    if (flags.is('once')) {
      const wait = flags.number('wait')?.toString();
      return (await call(cli, { method: 'GET', path: '/live/v1/changes', query: { ...query, wait }, credential })).body;
    }
    const gateway = await connection(cli, { credential });
    let cursor = query.cursor;
    let served = false;
    for (let failures = 0; !cli.signal.aborted; ) {
      let asked = false;
      try {
        const search = new URLSearchParams({
          project_id: project,
          tables,
          ...(cursor === undefined ? {} : { cursor }),
        });
        const request = { method: 'GET', path: '/live/v1', query: `?${search}`, isChange: false, signal: cli.signal };
        for await (const { type: event, ...told } of liveStream(gateway, request)) {
          cursor = told.cursor;
          failures = 0;
          served = true;
          asked = event === 'reconnect';
          line({ event, ...told });
        }
      } catch (error) {
        if (cli.signal.aborted) return undefined;
        refuse(cli, error, served);
      }
      if (cli.signal.aborted) return undefined;
      if (asked) continue;
      line({ event: 'disconnected', cursor: cursor ?? null });
      const ms = pauses[Math.min(failures, pauses.length - 1)]!;
      failures += 1;
      note(cli, `The stream dropped; trying again in ${ms / 1000} seconds.`);
      await pause(cli, ms);
    }
    return undefined;
  },
};

/** Throws permanent errors: refusals of the gateway, and any error before the first successful connection. */
function refuse(cli: Cli, error: unknown, served: boolean): void {
  const isPublished = error instanceof Failure || error instanceof SvcError;
  if (!isPublished && served) return;
  const failure = isPublished
    ? failed(cli, error)
    : local('NETWORK_ERROR', 'No stream comes through.', { hint: '--once reads without one.', retryable: true });
  if (!served || failure.envelope.retryable !== true) throw failure;
}

async function keyFor(cli: Cli, project: string, as: string | undefined): Promise<Credential> {
  if (as !== undefined) return apikeyCredential(cli, project, as as KeyKind);
  try {
    return await apikeyCredential(cli, project, 'service');
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return apikeyCredential(cli, project, 'anon');
  }
}

export const group: Group = { name: 'live', about: [live.summary], commands: [live] };
