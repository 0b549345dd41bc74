import { expect, test } from 'vitest';
import { parseCron } from '../../../engines/release/cron.ts';
import { nextDue } from '../../../engines/release/next-due.ts';

/** The moments at which a schedule comes due after another one, in UTC. */
function due(cron: string, timezone: string, after: string, count: number): string[] {
  expect(parseCron(cron)).toBeDefined();
  const found: string[] = [];
  for (let at: Date | null = new Date(after); found.length < count && at !== null; ) {
    at = nextDue(cron, timezone, at);
    if (at !== null) found.push(at.toISOString().replace(':00.000Z', 'Z'));
  }
  return found;
}

const zurich = 'Europe/Zurich';

test.each<[string, string, string, string, string[]]>([
  // Clocks go from 2:00 to 3:00.
  [
    'a left-out time of day: at the end of the gap',
    '30 2 * * *',
    zurich,
    '2026-03-28T00:00Z',
    ['2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z'],
  ],
  [
    'in spring by real time',
    '*/15 * * * *',
    zurich,
    '2026-03-29T00:40Z',
    ['2026-03-29T00:45Z', '2026-03-29T01:00Z', '2026-03-29T01:15Z'],
  ],
  // Clocks go from 3:00 back to 2:00.
  [
    'a repeated time of day: once',
    '30 2 * * *',
    zurich,
    '2026-10-24T12:00Z',
    ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
  ],
  [
    'in autumn by real time',
    '*/30 * * * *',
    zurich,
    '2026-10-25T00:00Z',
    ['2026-10-25T00:30Z', '2026-10-25T01:00Z', '2026-10-25T01:30Z', '2026-10-25T02:00Z'],
  ],
  [
    'half an hour of change',
    '45 1 * * *',
    'Australia/Lord_Howe',
    '2026-04-03T20:00Z',
    ['2026-04-04T14:45Z', '2026-04-05T15:15Z'],
  ],
  [
    'midnight left out',
    '0 0 * * *',
    'America/Sao_Paulo',
    '2018-11-03T12:00Z',
    ['2018-11-04T03:00Z', '2018-11-05T02:00Z'],
  ],
  ['no change', '30 2 * * *', 'UTC', '2026-03-28T12:00Z', ['2026-03-29T02:30Z', '2026-03-30T02:30Z']],
  [
    'days of month or of week',
    '0 0 13 * 5',
    'UTC',
    '2026-03-01T00:00Z',
    ['2026-03-06T00:00Z', '2026-03-13T00:00Z', '2026-03-20T00:00Z'],
  ],
  [
    'days with a step or of week',
    '0 0 */10 * 1',
    'UTC',
    '2026-03-01T00:00Z',
    ['2026-03-02T00:00Z', '2026-03-09T00:00Z', '2026-03-11T00:00Z'],
  ],
  [
    'a value with a step',
    '10/20 * * * *',
    'UTC',
    '2026-03-01T00:00Z',
    ['2026-03-01T00:10Z', '2026-03-01T00:30Z', '2026-03-01T00:50Z', '2026-03-01T01:10Z'],
  ],
  ['names', '0 9 * jan,dec mon-tue', 'UTC', '2026-11-30T12:00Z', ['2026-12-01T09:00Z', '2026-12-07T09:00Z']],
  ['a leap day', '0 0 29 2 *', 'UTC', '2026-03-01T00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
])('%s: %s in %s', (_what, cron, timezone, after, expected) => {
  expect(due(cron, timezone, after.replace('Z', ':00Z'), expected.length)).toEqual(expected);
});

test('whatever is taken as a schedule comes due', () => {
  const fields = [
    ['*', '0', '5,35', '*/7', '10-20/5', '59', '3/9'],
    ['*', '0', '22-23', '*/5', '4/6'],
    ['*', '1', '31', '*/9', '28-30', '5/10'],
    ['*', '2', 'feb', '1-12/4', 'NOV', '2/3'],
    ['*', '0', '7', 'sun', 'MON-FRI', '*/2', '5-7', '1/2'],
  ];
  let random = 20_261_129;
  const pick = (from: readonly string[]) => {
    random = (random * 48_271) % 2_147_483_647;
    return from[random % from.length]!;
  };
  const after = new Date('2026-01-15T12:34:56.789Z');
  for (let tried = 0; tried < 400; tried++) {
    const cron = fields.map(pick).join(' ');
    if (parseCron(cron) === undefined) continue;
    const at = nextDue(cron, zurich, after);
    expect(at?.getTime(), cron).toBeGreaterThan(after.getTime());
    expect(at!.getTime() % 60_000, cron).toBe(0);
  }
});
