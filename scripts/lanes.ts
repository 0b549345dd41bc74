/**
 * Runs the tests that need a program from outside npm. A lane whose program is missing fails: nothing is skipped silently.
 *
 * Usage: npm run test:lanes [-- nats two-nodes around domains mail s3 packages ai astro browser console]
 */
import { laneNames, runLanes } from './tests/lanes.ts';
import { report } from './tests/report.ts';

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !laneNames.includes(name));
if (unknown.length > 0) {
  process.stdout.write(`There is no lane ${unknown.join(', ')}. The lanes are ${laneNames.join(', ')}.\n`);
  process.exit(1);
}
const parts = await runLanes({
  wanted: wanted.length > 0 ? wanted : laneNames,
  tries: process.env.CI === 'true' ? 3 : 1,
});
process.stdout.write(report(parts));
process.exitCode = parts.every((part) => part.passed) ? 0 : 1;
