import { challengeOf, paying, sign } from '../../test/payments/shop.ts';
import { median, medianRatio, race } from '../race.ts';
import { atLeast, below, compare, type Line, line } from '../report.ts';
import { fromAnywhere, type Sales, whileSelling } from '../sales.ts';
import type { Stage } from '../stage.ts';

/** Clients of a round: each may be asked to pay 120 times a minute. */
const clients = 5_000;
const soldAt = (host: string) => `/api/x402-audit?url=${host}`;

/** Asking to be paid against saying how the gateway is, over the same server. */
export const challenge = (stage: Stage): Promise<Line[]> =>
  whileSelling(stage, 1, async ({ gateway, hosts: [host] }) => {
    const asking = (path: string, expected: number) =>
      Array.from({ length: clients }, (_one, nth) => ({
        method: 'GET' as const,
        path,
        headers: fromAnywhere(nth),
        expected,
      }));
    const contenders = {
      challenge: { server: gateway, requests: asking(soldAt(host!), 402) },
      health: { server: gateway, requests: asking('/api/health', 200) },
    };
    // A challenge's header is as long as all of the other answer.
    return compare('challenge', await race(stage, contenders, 16, { thin: true }), {
      name: '402 challenge, 16 clients : /api/health',
      ours: 'challenge',
      reference: 'health',
      target: atLeast(0.6),
    });
  });

/** Sales in a round, and audits that are free. */
const perRound = 20;
const warmUp = 3;

/** Paid audits of sites that are alike, one after the other on a chain that mines at once, against free ones. */
export const paidRequest = (stage: Stage): Promise<Line[]> => {
  const pairs = stage.options.rounds * perRound + warmUp;
  return whileSelling(stage, 2 * pairs, async (sales) => {
    const payer = await sales.chain.payer();
    const rounds: { readonly ours: number; readonly reference: number }[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const [bought, free] = [sales.hosts[2 * pair]!, sales.hosts[2 * pair + 1]!];
      const asked = await fetch(sales.gateway.url + soldAt(bought), { headers: fromAnywhere(pair) });
      const header = await sign(payer, challengeOf(asked).accepts[0]);
      const ours = await timed(sales, soldAt(bought), { ...fromAnywhere(pair), ...paying(header) });
      const reference = await timed(sales, `/api/audit?url=${free}`, fromAnywhere(pair));
      if (pair >= warmUp) rounds.push({ ours, reference });
    }
    const ours = rounds.map((one) => one.ours);
    const reference = rounds.map((one) => one.reference);
    return [
      line({
        row: 'paid-request',
        name: 'a paid audit on a chain that mines at once : a free one',
        unit: 'ms',
        ours: median(ours),
        reference: median(reference),
        ratio: medianRatio(ours, reference),
        rounds,
      }),
      line({
        row: 'paid-request',
        name: '  without the audit',
        unit: 'ms',
        ours: median(rounds.map((one) => one.ours - one.reference)),
        target: below(40),
      }),
    ];
  });
};

async function timed({ gateway }: Sales, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(gateway.url + path, { headers });
  const text = await answer.text();
  const took = performance.now() - startedAt;
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 500)}`);
  return took;
}
