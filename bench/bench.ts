import { cpus, loadavg } from 'node:os';
import type { Options, RowName } from './options.ts';
import { pinning } from './processes.ts';
import { type Line, table } from './report.ts';
import { append } from './rows/append.ts';
import { siteAudit } from './rows/audits.ts';
import { backup } from './rows/backup.ts';
import { deploy } from './rows/deploys.ts';
import { executors } from './rows/executors.ts';
import { feedRead } from './rows/feeds.ts';
import { flip } from './rows/flips.ts';
import { liveIdle, liveLatency, liveWrite } from './rows/live.ts';
import { challenge, paidRequest } from './rows/payments.ts';
import { provision } from './rows/provision.ts';
import { deep, list, send, small } from './rows/queries.ts';
import { restRow, row } from './rows/reads.ts';
import { rebuild } from './rows/rebuild.ts';
import { fanOut, latency, memory, saturated } from './rows/sockets.ts';
import { start } from './rows/start.ts';
import { staticFile } from './rows/static-file.ts';
import { upload } from './rows/upload.ts';
import { bulk, large } from './rows/writes.ts';
import { onStage, type Stage } from './stage.ts';

/** In the order in which they run: memory first, while the gateway has done nothing yet. */
const rows: Readonly<Record<RowName, (stage: Stage) => Promise<Line[]>>> = {
  memory,
  'live-idle': liveIdle,
  small,
  deep,
  list,
  executors,
  send,
  append,
  row,
  'rest-row': restRow,
  'feed-read': feedRead,
  bulk,
  large,
  'live-write': liveWrite,
  'live-latency': liveLatency,
  rebuild,
  provision,
  'static-file': staticFile,
  deploy,
  flip,
  'fan-out': fanOut,
  latency,
  saturated,
  'site-audit': siteAudit,
  challenge,
  'paid-request': paidRequest,
  start,
  backup,
  upload,
};

/** Runs the rows that were asked for and prints what they say. @returns whether every row could be measured */
export async function bench(options: Options): Promise<boolean> {
  const startedAt = performance.now();
  const failures: { readonly row: string; readonly reason: string }[] = [];
  const lines = await onStage(options, async (stage) => {
    const measured: Line[] = [];
    for (const [name, measure] of Object.entries(rows) as [RowName, (typeof rows)[RowName]][]) {
      if (!options.rows.includes(name)) continue;
      stage.say(`measuring ${name}`);
      try {
        measured.push(...(await measure(stage)));
      } catch (error) {
        const { message, cause } = error as Error;
        failures.push({ row: name, reason: cause === undefined ? message : `${message} (${cause})` });
        stage.say(`${name} could not be measured: ${(error as Error).stack}`);
      }
    }
    return measured;
  });
  const facts = {
    node: process.version,
    processors: `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    pinning,
    loadAverage: loadavg()[0],
    seconds: Math.round((performance.now() - startedAt) / 1000),
    rounds: options.rounds,
    secondsOfARound: options.seconds,
    ...options.sizes,
  };
  if (options.json) process.stdout.write(`${JSON.stringify({ facts, lines, failures }, null, 2)}\n`);
  else {
    const said = Object.entries(facts).map(([name, value]) => `${name} ${value}`);
    process.stdout.write(`\n${table(lines)}\n${said.join(', ')}\n`);
    for (const { row, reason } of failures) process.stdout.write(`not measured: ${row}: ${reason}\n`);
  }
  return failures.length === 0;
}
