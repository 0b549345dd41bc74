/**
 * Shows whether two builds answer alike: both are asked the same, of every surface, and where an answer differs by more
 * than its ids, times and tokens it is told. `npm run wire -- [<old commit> [<new commit>]]`; see CONTRIBUTING.md.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { accepts, readAccepted } from './accepted.ts';
import { buildConsole, checkOut, workingTree } from './checkout.ts';
import { startBuild } from './gateway.ts';
import { withoutDescriptions } from './mask.ts';
import { parts } from './parts.ts';
import { report } from './report.ts';
import { runWire } from './run.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    limit: { type: 'string' },
    transcript: { type: 'string' },
    'without-descriptions': { type: 'boolean', default: false },
    accepted: { type: 'string', default: new URL('accepted.json', import.meta.url).pathname },
  },
});
const names = values.only?.split(',') ?? Object.keys(parts);
const unknown = names.find((name) => !(name in parts));
if (unknown !== undefined) {
  process.stderr.write(`--only knows no part ${unknown}; there are ${Object.keys(parts).join(', ')}.\n`);
  process.exit(2);
}
const accepted = await readAccepted(values.accepted);
const checkouts = [
  await checkOut(positionals[0] ?? 'HEAD'),
  positionals[1] === undefined ? workingTree : await checkOut(positionals[1]),
] as const;
const running: { readonly stop: () => Promise<void> }[] = [];
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort());
try {
  for (const checkout of checkouts) buildConsole(checkout);
  const old = await startBuild('old', checkouts[0]);
  running.push(old);
  const next = await startBuild('new', checkouts[1]);
  running.push(next);
  const log: string[] = [];
  let answered = 0;
  const began = performance.now();
  const outcome = await runWire(
    [old.side, next.side],
    names.map((name) => parts[name as keyof typeof parts]),
    {
      signal: ending.signal,
      rewrite: values['without-descriptions'] ? withoutDescriptions : undefined,
      limit: values.limit === undefined ? undefined : Number(values.limit),
      onAnswer({ group, name }, answer, differs) {
        answered += 1;
        if (answered % 500 === 0) process.stderr.write(`${answered} requests, now ${group}\n`);
        if (values.transcript !== undefined) log.push(`${differs ? '!' : '='} ${group} | ${name}\n${answer}\n\n`);
      },
    },
  );
  if (values.transcript !== undefined) writeFileSync(values.transcript, log.join(''));
  const left = outcome.differences.filter((one) => !accepts(accepted, one));
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stdout.write(
    report(
      { ...outcome, differences: left },
      {
        old: checkouts[0].name,
        new: checkouts[1].name,
        seconds,
        acceptedCount: outcome.differences.length - left.length,
      },
    ),
  );
  process.exitCode = left.length === 0 ? 0 : 1;
} finally {
  for (const one of running) await one.stop();
  for (const one of checkouts) await one.remove();
}
