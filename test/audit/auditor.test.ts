import { afterAll, expect, test } from 'vitest';
import { type AuditRequest, createAuditor } from '../../engines/site-audit/auditor.ts';
import { VisitTurns } from '../../engines/site-audit/visit-turns.ts';
import { type Answerer, startSites } from '../helpers/site-server.ts';

/** What each page says next, and whether it waits before it says so. */
const pages = new Map<string, { title: string; held?: Promise<void> }>();
const numbered = (name: string, length: number) => Array.from({ length }, (_one, at) => `${name}${at}`);
const names = ['fresh', 'older', 'queued', ...numbered('held', 8), ...numbered('busy', 9)];
const answer: Answerer = async (request, response) => {
  const page = pages.get(request.headers.host!.split('.')[0]!);
  if (page === undefined || request.url !== '/') return response.writeHead(404).end();
  const { title, held } = page;
  await held;
  response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${title}</title>`);
};
const sites = await startSites(Object.fromEntries(names.map((name) => [`${name}.audit-sites.net`, answer])));
afterAll(() => sites.close());

const admit: AuditRequest['admit'] = () => undefined;
const create = (waitMs?: number) => {
  const auditor = createAuditor({ userAgent: 'SvcAudit/test', trial: sites.trial, waitMs });
  afterAll(() => auditor.close());
  const run = (name: string, fresh = false) =>
    auditor.audit(auditor.target(`${name}.audit-sites.net`), { admit, fresh });
  return { auditor, run };
};
type Answered = Awaited<ReturnType<ReturnType<typeof create>['run']>>;
const titleOf = ({ audited }: Answered) => audited.report.checks.find(({ id }) => id === 'm1')!.evidence;
const fetches = (name: string) => sites.reached.filter((one) => one === `${name}.audit-sites.net /`).length;

test('an audit that has to be fresh is fetched past what is remembered, and is what is remembered then', async () => {
  const { run } = create();
  pages.set('fresh', { title: 'first' });
  expect(titleOf(await run('fresh'))).toContain('first');
  pages.set('fresh', { title: 'second' });
  const kept = await run('fresh');
  expect([kept.cached, titleOf(kept)]).toEqual([true, expect.stringContaining('first')]);
  const fresh = await run('fresh', true);
  expect([fresh.cached, titleOf(fresh)]).toEqual([false, expect.stringContaining('second')]);
  expect(titleOf(await run('fresh'))).toContain('second');
  expect(fetches('fresh')).toBe(2);
});

test('a reading that has begun is not shared with who needs a fresh one, and does not replace it when it ends later', async () => {
  const { run } = create();
  const held = Promise.withResolvers<void>();
  pages.set('older', { title: 'first', held: held.promise });
  const slow = run('older');
  await expect.poll(() => fetches('older')).toBe(1);
  pages.set('older', { title: 'second' });
  const fresh = await run('older', true);
  expect([fresh.cached, titleOf(fresh)]).toEqual([false, expect.stringContaining('second')]);
  held.resolve();
  expect(titleOf(await slow)).toContain('first');
  expect(titleOf(await run('older'))).toContain('second');
  expect(fetches('older')).toBe(2);
});

test('what has to be fresh is a reading of its own, and is not counted as that of another who waits for its turn', async () => {
  const { auditor, run } = create();
  const held = Promise.withResolvers<void>();
  const all = numbered('held', 8);
  for (const name of [...all, 'queued']) pages.set(name, { title: name, held: held.promise });
  const busy = all.map((name) => run(name));
  await expect.poll(() => all.every((name) => fetches(name) === 1)).toBe(true);
  const counted: string[] = [];
  const ask = (name: string, fresh: boolean) =>
    auditor.audit(auditor.target('queued.audit-sites.net'), {
      admit,
      fresh,
      finished: async () => void counted.push(name),
    });
  const answers = Promise.all([
    ask('free', false),
    ask('licence', true),
    ask('other licence', true),
    ask('late', false),
  ]);
  held.resolve();
  expect((await answers).map(({ cached }) => cached)).toEqual([false, false, false, true]);
  expect(counted.toSorted()).toEqual(['free', 'licence', 'other licence']);
  expect(fetches('queued')).toBe(3);
  await Promise.all(busy);
});

test('audits that wait too long for their turn are refused, and those that do not are made', async () => {
  const { run } = create(200);
  const held = Promise.withResolvers<void>();
  for (let at = 0; at < 9; at += 1) pages.set(`busy${at}`, { title: `Busy ${at}`, held: held.promise });
  const first = Array.from({ length: 8 }, (_one, at) => run(`busy${at}`));
  await expect.poll(() => first.every((_one, at) => fetches(`busy${at}`) === 1)).toBe(true);
  // The others hold all places for as long as it takes.
  await expect(run('busy8')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  expect(fetches('busy8')).toBe(0);
  held.resolve();
  expect(await Promise.all(first)).toHaveLength(8);
  expect(titleOf(await run('busy8'))).toContain('Busy 8');
});

test('who waits is admitted in the order of coming, and refused when nothing is visited any more', async () => {
  const turns = new VisitTurns({ most: 1, waitingMax: 2, waitMs: 60_000 });
  await turns.take();
  const order: string[] = [];
  const one = turns.take().then(() => order.push('one'));
  const other = turns.take().then(
    () => order.push('other'),
    ({ code }: { code: string }) => order.push(code),
  );
  expect(turns.waiting).toBe(2);
  await expect(turns.take()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  turns.leave();
  await one;
  turns.close();
  await other;
  expect(order).toEqual(['one', 'SERVICE_UNAVAILABLE']);
  await expect(turns.take()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
