import { Readable } from 'node:stream';
import type pg from 'pg';
import { z } from 'zod';
import { sqlState } from '../../../db/pool.ts';
import { runDoneState } from '../../../db/project-template/sql-runs.ts';
import { withClient } from '../../../db/with-client.ts';
import { FileFault, openCsv } from '../../../engines/table-import/csv.ts';
import { type Imported, ImportRejected, importRows, linesMax } from '../../../engines/table-import/import-rows.ts';
import { openNdjson } from '../../../engines/table-import/ndjson.ts';
import { ownerRole, tenantSchema } from '../../project-data/shared/in-project.ts';
import { assetOfJob } from './asset-of-job.ts';
import {
  JobFailure,
  type JobType,
  jsonFile,
  keepOfFailed,
  type MadeFile,
  type RunningJob,
  readBy,
} from './job-type.ts';

/** Largest file inside of a request, in characters. */
const inlineMax = 256 * 1024;

const identifier = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[^\0]+$/, 'must be a name of PostgreSQL');

const input = z
  .strictObject({
    table: identifier.describe('The table.'),
    schema: identifier.default('public').describe('Its schema: `public` unless told.'),
    format: z.enum(['csv', 'ndjson']).describe('`csv`, or `ndjson`: an object of JSON in each line.'),
    asset_key: z.string().min(1).max(1_024).optional().describe('The file, as an asset of the project.'),
    inline: z.string().max(inlineMax).optional().describe('The file itself, at most 256 KiB.'),
    columns: z
      .array(identifier)
      .min(1)
      .max(1_600)
      .optional()
      .describe('The columns of the values in order; those that the file names unless told.'),
    header: z.boolean().default(true).describe('Of CSV: whether its first line names the columns.'),
    delimiter: z
      .string()
      .length(1)
      .regex(/^[^"\r\n]$/, 'must be one character other than a quotation mark')
      .default(',')
      .describe('Of CSV: what stands between values.'),
    on_error: z
      .enum(['stop', 'skip'])
      .default('stop')
      .describe('`stop`: one line at fault, and nothing is imported. `skip`: such lines are left out, and told.'),
  })
  .refine(
    ({ asset_key: key, inline }) => (key === undefined) !== (inline === undefined),
    'the file is either asset_key or inline',
  );

type Given = z.output<typeof input>;

/** What an import came to, as its report says. */
const reportOf = ({ schema, table, format }: Given, found: Imported, error: string | undefined) => ({
  table: `${schema}.${table}`,
  format,
  columns: found.columns,
  committed: error === undefined,
  rows_imported: found.rows,
  records_read: found.read,
  lines_rejected: found.rejected,
  rejected: found.lines,
  ...(found.rejected > linesMax ? { rejected_shown: linesMax } : {}),
  ...(error === undefined ? {} : { error }),
});

type Report = ReturnType<typeof reportOf>;

/** Longest wait for a lock of the table, in milliseconds. */
const lockMs = 30_000;

/** Puts the rows of a file into a table: all of them, or none. */
export const tableImport: JobType = {
  name: 'table_import',
  kind: 'built_in',
  description:
    'Imports CSV or NDJSON into a table of the project by COPY, in one transaction, with a report of rows and rejected lines.',
  price: { perJob: 0n, perSecond: 100n },
  maxSeconds: 3_600,
  repeatable: true,
  inputSchema: z.toJSONSchema(input, { io: 'input' }) as Record<string, unknown>,
  read: readBy(input),
  async run(job, given) {
    const asked = input.parse(given);
    const bytes = await bytesOf(job, asked);
    job.log(`Importing into ${asked.schema}.${asked.table}.`);
    const report = await reported(job, asked, bytes);
    job.log(`${report.rows_imported} rows are imported, ${report.lines_rejected} lines were rejected.`);
    for (const { line, reason } of report.rejected.slice(0, 20)) job.log(`line ${line}: ${reason}`, 'stderr');
    await job.keep(reportFile(report));
  },
};

const reportFile = (report: Report): MadeFile => jsonFile('report.json', report);

/** The bytes of the file. @throws JobFailure */
async function bytesOf(job: RunningJob, { asset_key: key, inline }: Given): Promise<Readable> {
  if (key === undefined) return Readable.from([Buffer.from(inline!)]);
  const { open } = await assetOfJob(job, key);
  return open();
}

const nothing: Imported = { columns: [], rows: 0, read: 0, rejected: 0, lines: [] };

/** @throws JobFailure when nothing was imported; the report is kept then, too */
async function reported(job: RunningJob, asked: Given, bytes: Readable): Promise<Report> {
  const refuse = async (found: Imported, message: string) => {
    await keepOfFailed(job, [reportFile(reportOf(asked, found, message.slice(0, 1_000).toWellFormed()))]);
    return new JobFailure('TABLE_IMPORT_REJECTED', `Nothing was imported. ${message}`);
  };
  try {
    return await inDatabase(job, (client) => importOnce(client, job, asked, bytes));
  } catch (error) {
    if (error instanceof ImportRejected) throw await refuse(error.found, error.message);
    if (error instanceof FileFault) {
      const lines = [{ line: error.line, reason: error.message }];
      throw await refuse({ ...nothing, read: 1, rejected: 1, lines }, `Line ${error.line}: ${error.message}`);
    }
    // Of what PostgreSQL refuses of its own, classes 08, 53, 57 and 58 are the machine's; all others are the file's or the table's.
    const state = sqlState(error);
    if (state !== undefined && !/^(08|53|57|58|XX)/.test(state)) throw await refuse(nothing, (error as Error).message);
    throw error;
  } finally {
    bytes.destroy();
  }
}

/** A connection of the import's own, as the project's role, which ends with the job. */
function inDatabase<Result>(
  { ctx: { services }, target, signal, mostMs }: RunningJob,
  run: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  return withClient(
    services.projectDatabases.loginUrl(target.database),
    async (client) => {
      const end = () => void client.end().catch(() => undefined);
      signal.addEventListener('abort', end, { once: true });
      try {
        await client.query(`set statement_timeout = ${Math.min(mostMs, 2_000_000_000)}`);
        return await run(client);
      } finally {
        signal.removeEventListener('abort', end);
      }
    },
    { name: 'import', lockMs },
  );
}

/** The import, and that it was done, in one transaction: an attempt after it finds its report there. */
async function importOnce(client: pg.Client, job: RunningJob, asked: Given, bytes: Readable): Promise<Report> {
  try {
    await client.query('begin');
    await client.query('select _svc.begin_run($1)', [job.id]);
  } catch (error) {
    if (sqlState(error) !== runDoneState) throw error;
    await client.query('rollback');
    const { rows } = await client.query<{ outcome: string }>('select _svc.run_outcome($1) as outcome', [job.id]);
    job.log('It was imported by the attempt before.');
    return JSON.parse(rows[0]!.outcome) as Report;
  }
  await client.query(`select set_config('role', $1, true), set_config('search_path', '${tenantSchema}', true)`, [
    ownerRole,
  ]);
  const { format, delimiter, header, columns, schema, table, on_error: onError } = asked;
  const file =
    format === 'csv' ? await openCsv(bytes, { delimiter, header, columns }) : await openNdjson(bytes, columns);
  const found = await importRows(client, file, {
    schema,
    table,
    skipsRejected: onError === 'skip',
    signal: job.signal,
    told: (rows) => job.log(`${rows} rows were sent.`),
  });
  // What was put off to the end is refused here, while the report can still say so.
  await client.query('set constraints all immediate');
  const report = reportOf(asked, found, undefined);
  await client.query('reset role');
  await client.query('select _svc.end_run($1, $2)', [job.id, JSON.stringify(report)]);
  job.signal.throwIfAborted();
  await client.query('commit');
  return report;
}
